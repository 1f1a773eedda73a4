/**
 * A real browser for tests of the console: Chromium through Playwright, if installed. Records
 * everything that a page must not do.
 */
import type axe from "axe-core";
import { existsSync } from "node:fs";
import { chromium, type Browser, type Page } from "playwright-core";
import { until } from "./server";

/** The shell without windows comes first: it starts and draws for half of the processor time. */
const paths = [
  process.env["CHROMIUM"],
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];
/** The path of the browser; undefined when none is found. */
export const chromium_path =
  paths.find((path): path is string => path !== undefined && existsSync(path)) ??
  Bun.which("chromium-headless-shell") ??
  Bun.which("chromium") ??
  undefined;
/** Why browser tests are skipped; "" when they are not. */
export const why_skipped = chromium_path
  ? ""
  : "No Chromium was found, so the console was not tried in a browser. Install one, or name it " +
    "in CHROMIUM.";

const launch_arguments = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const launch = (): Promise<Browser> =>
  chromium.launch({
    ...(chromium_path ? { executablePath: chromium_path } : {}),
    args: launch_arguments,
  });
let launched: Promise<Browser> | undefined;

/**
 * The browser of this process, shared by its test files and closed at the end, because a start
 * takes seconds of processor time. Tests call `closeWindows` when done.
 */
export async function sharedChromium(): Promise<Browser> {
  const browser = await (launched ??= launch());
  return browser.isConnected() ? browser : (launched = launch());
}

/** With their cookies and other storage. */
export async function closeWindows(browser: Browser | undefined): Promise<void> {
  await Promise.all((browser?.contexts() ?? []).map((context) => context.close()));
}

/**
 * Waits until the expression is true on the page. Playwright's own `waitForFunction` evaluates text
 * on the page if the first check fails, which the console's content security policy blocks.
 */
export const becomesTrue = (page: Page, expression: string, limit_ms = 60_000): Promise<void> =>
  until(() => page.evaluate<boolean>(`Boolean(${expression})`), limit_ms);

/** The size of the window, and whether its colours are dark. */
export interface Appearance {
  readonly width?: number;
  readonly height?: number;
  readonly dark?: boolean;
}
/** A page, and what is wrong with it. */
export interface OpenedPage {
  readonly page: Page;
  /**
   * Violations of the content security policy, errors of scripts, and requests to other hosts so
   * far.
   */
  readonly faults: readonly string[];
  /**
   * Findings of axe-core on the current page, and whether it scrolls sideways; empty when all is
   * well. `layout`: only rules that depend on style sheets; `none`: only scrolling. `within`: only
   * this element.
   */
  problems(rules?: "all" | "layout" | "none", within?: string): Promise<string[]>;
  /** Another size or theme of the same page. */
  setAppearance(appearance: Appearance): Promise<void>;
}

/** Minified, because it is sent to the browser with every page. */
const axe_source = Bun.file(Bun.resolveSync("axe-core/axe.min.js", import.meta.dir)).text();
const axe_options: Readonly<Record<"all" | "layout", axe.RunOptions>> = {
  all: {
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    resultTypes: ["violations"],
  },
  layout: {
    runOnly: [
      ...["color-contrast", "link-in-text-block", "target-size", "scrollable-region-focusable"],
    ],
    resultTypes: ["violations"],
  },
};

async function violationsOn(page: Page, rules: axe.RunOptions, within: string): Promise<string[]> {
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(await axe_source);
  return page.evaluate(
    async ([selector, options]) => {
      const { axe: checker } = globalThis as unknown as { axe: typeof axe };
      const checked = await checker.run(selector, options);
      return checked.violations.map(
        ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`,
      );
    },
    [within, rules] as const,
  );
}

/** A window with its own cookies, on the server at `url`. */
export async function openPage(
  browser: Browser,
  url: string,
  { width = 1280, height = 800, dark = false }: Appearance = {},
): Promise<OpenedPage> {
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width, height },
    colorScheme: dark ? "dark" : "light",
    reducedMotion: "reduce",
  });
  // Registered first, so that no violation is missed.
  await context.addInitScript(
    "addEventListener('securitypolicyviolation', (event) => console.error('content security " +
      "policy:', event.violatedDirective, event.blockedURI))",
  );
  const page = await context.newPage();
  const faults: string[] = [];
  page.setDefaultTimeout(60_000);
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (/content security policy|trusted/i.test(message.text())) faults.push(message.text());
  });
  page.on("request", (request) => {
    if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== url)
      faults.push(`request to ${request.url()}`);
  });
  page.on("dialog", (dialog) => {
    faults.push(`a script said ${dialog.message()}`);
    void dialog.dismiss();
  });
  return {
    page,
    faults,
    async problems(rules = "all", within = ":root") {
      const found = rules === "none" ? [] : await violationsOn(page, axe_options[rules], within);
      const too_wide: number = await page.evaluate(
        "document.documentElement.scrollWidth - innerWidth",
      );
      return [...found, ...(too_wide > 0 ? [`scrolls sideways by ${too_wide} px`] : [])];
    },
    async setAppearance({
      width: new_width = width,
      height: new_height = height,
      dark: is_dark = false,
    }) {
      await page.setViewportSize({ width: new_width, height: new_height });
      await page.emulateMedia({ colorScheme: is_dark ? "dark" : "light", reducedMotion: "reduce" });
    },
  };
}

/** Every size and theme that a page must support. */
export const appearances: readonly Appearance[] = [1280, 768, 390].flatMap((width) =>
  [false, true].map((dark) => ({ width, height: width === 390 ? 844 : 800, dark })),
);
