/**
 * Runs before the first paint: sets the chosen theme, so that the page never flashes in the other
 * one. When the server is reached directly, without its base path, redirects to that path.
 */
{
  const { base = "" } = document.documentElement.dataset;
  const { pathname, search, hash } = location;
  if (!pathname.startsWith(`${base}/`)) location.replace(base + pathname + search + hash);
  const chosen = localStorage.getItem("dossier.theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
}
