/**
 * Accessibility that Swagger UI lacks: names for its selects and regions, and keyboard access to
 * its scrolling boxes.
 */

const isNamed = (element: Element): boolean =>
  element.hasAttribute("aria-label") || element.hasAttribute("aria-labelledby");

function addAttributes(root: Element): void {
  for (const box of root.querySelectorAll(
    "pre:not([tabindex]), .highlight-code > :not([tabindex], .copy-to-clipboard, " +
      ".download-contents)",
  ))
    box.setAttribute("tabindex", "0");
  for (const select of root.querySelectorAll("select")) {
    if (isNamed(select) || select.labels?.length) continue;
    const row = select.closest("tr, .opblock-section-header, .response");
    select.setAttribute(
      "aria-label",
      row?.querySelector(".parameter__name, label, .response-col_status")?.textContent?.trim() ||
        "Choice",
    );
  }
  for (const region of root.querySelectorAll("[role=region]")) {
    const block = region.closest(".opblock");
    const call = [".opblock-summary-method", ".opblock-summary-path"]
      .map((part) => block?.querySelector(part)?.textContent?.trim() ?? "")
      .join(" ")
      .trim();
    if (!call || region.hasAttribute("data-named")) continue;
    region.removeAttribute("aria-labelledby");
    region.setAttribute("aria-label", `${call} ${region.id.split("_").at(-1)}`);
    region.setAttribute("data-named", "");
  }
}

/** Applies the fixes now and whenever something opens. Returns a function that stops it. */
export function keepAccessible(root: Element): () => void {
  const observer = new MutationObserver(() => addAttributes(root));
  observer.observe(root, { childList: true, subtree: true });
  addAttributes(root);
  return () => observer.disconnect();
}
