/** Opens an address in the default browser of this machine, if there is one. */

/** Does nothing where there is none. Does not wait. */
export function openInBrowser(url: string): void {
  const [opener] = ["xdg-open", "open"].map((name) => Bun.which(name)).filter((path) => path);
  if (!opener) return;
  Bun.spawn([opener, url], { stdin: "ignore", stdout: "ignore", stderr: "ignore" }).unref();
}
