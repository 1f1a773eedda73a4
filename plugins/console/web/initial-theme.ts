/**
 * Runs before anything is painted: sets the chosen theme, so that the page never flashes in the
 * other one. A server that people reach below a path is asked there too when it is asked directly.
 */
{
  const { base = "" } = document.documentElement.dataset;
  const { pathname, search, hash } = location;
  if (!pathname.startsWith(`${base}/`)) location.replace(base + pathname + search + hash);
  const chosen = localStorage.getItem("dossier.theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
}
