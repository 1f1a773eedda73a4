/**
 * Runs before anything is painted: puts the theme that was chosen on the page, so that it never
 * flashes in the other one.
 */
{
  const chosen = localStorage.getItem("dossier.theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
}
