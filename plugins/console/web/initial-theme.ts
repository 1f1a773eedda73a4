/**
 * Runs before anything is painted: sets the chosen theme, so that the page never flashes in the
 * other one.
 */
{
  const chosen = localStorage.getItem("dossier.theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
}
