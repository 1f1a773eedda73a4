/**
 * The console for other plugins: how to add a page to it, and a health check to its system page.
 */
import { slot } from "../../core/sdk";

export const console_root = "/console";

/** A page of the console that a plugin adds. */
export interface ConsolePage {
  /** The page's address below `/console/`: lower case letters, digits and dashes. */
  readonly path: string;
  /** The name in the navigation. */
  readonly title: string;
  readonly group: "work" | "developer" | "admin";
  /**
   * The text of an ES module. Its default export is `{ mount(root, host) }`: it fills the element
   * `root` and returns nothing, or a function to call when the page is left. What `host` offers is
   * `{ api(path, init): Promise<Response>, navigate(path), theme(): "light" | "dark", onLeave(work)
   * }`; `api` calls `/console/api/v1` in the name of whoever is signed in.
   */
  readonly module: string;
}
export const ConsolePages = slot<ConsolePage>("console.pages");

export interface CheckResult {
  readonly status: "ok" | "warn" | "fail";
  /** What was found, in a sentence. */
  readonly detail: string;
  /** What to do about it; null when nothing is wrong. */
  readonly fix: string | null;
}
export const ok = (detail: string): CheckResult => ({ status: "ok", detail, fix: null });
/** The check itself could not be made. */
export const failed = (error: unknown): CheckResult => ({
  status: "fail",
  detail: `It could not be checked: ${error instanceof Error ? error.message : String(error)}.`,
  fix: null,
});
/**
 * A check on the system page, which administrators see. It runs at most once a minute, and should
 * end within three seconds.
 */
export interface SystemCheck {
  readonly name: string;
  readonly run: () => Promise<CheckResult>;
}
export const SystemChecks = slot<SystemCheck>("console.system_checks");
