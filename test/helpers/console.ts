/**
 * The executable's console in a browser: a signed-in user, data for every page, and API calls on
 * the user's behalf.
 */
import { expect } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { join } from "node:path";
import {
  closeWindows,
  sharedChromium,
  openPage,
  type Appearance,
  type OpenedPage,
} from "./chromium";
import { startExecutable, type Executable, type ExecutableOptions } from "./executable";

/** The address of Ada, who signs in. */
export const email = "ada@example.com";
/** Her password. */
export const password = "correct horse battery staple";
/** A name that is harmful if interpreted as HTML. */
export const markup = "<img src=x onerror=alert(1)>";
/** Generous, because other work may run beside the tests. */
export const limit_ms = 120_000;

/** A console window with its own cookies. */
export interface ConsoleWindow extends OpenedPage {
  /** Loads a page of the console, until its heading is visible. */
  open(path: string): Promise<void>;
  /** Navigates within the console, without reloading. */
  go(path: string): Promise<void>;
}

/** A running console with Ada's window. */
export interface Console extends AsyncDisposable {
  readonly dossier: Executable;
  readonly browser: Browser;
  /** Ada's window; she is an administrator. */
  readonly window: ConsoleWindow;
  readonly page: Page;
  readonly key: string;
  /** A call with Ada's key, which must succeed. */
  api(method: string, path: string, body?: unknown): Promise<any>;
  /** A call of the console's own API, as the user signed in in Ada's window. */
  consoleApi(method: string, path: string, body?: unknown): Promise<any>;
  /** Waits until all documents of a folder are indexed. */
  settled(folder_id: string): Promise<void>;
  /** Loads a page of the console in Ada's window, until its heading is visible. */
  open(path: string): Promise<void>;
  /** Another window, in which nobody is signed in, or this user. */
  anotherWindow(user_email?: string): Promise<ConsoleWindow>;
}

/** Imports and webhooks may use loopback, so that a test can be both ends. */
const env = {
  DOSSIER_ADMIN_EMAIL: email,
  DOSSIER_ADMIN_PASSWORD: password,
  DOSSIER_SERVER_LOG_LEVEL: "info",
  DOSSIER_IMPORTS_ALLOW_NETWORKS: "127.0.0.0/8",
  DOSSIER_WEBHOOKS_ALLOW_NETWORKS: "127.0.0.0/8",
  DOSSIER_WEBHOOKS_RETRY_DELAYS: "20ms,20ms",
};

/** Starts the executable and signs Ada in. */
export async function startConsole(options: ExecutableOptions = {}): Promise<Console> {
  const dossier = await startExecutable({ ...options, env: { ...env, ...options.env } });
  const key = (await dossier.mustCli(["key", "create", "--user", email, "--name", "test"])).trim();
  const browser = await sharedChromium();
  const anotherWindow = async (user_email?: string) => {
    const window = await openWindow(browser, dossier.url());
    if (user_email !== undefined) await signIn(window.page, user_email);
    return window;
  };
  const window = await anotherWindow(email);
  const { page, open } = window;
  return {
    dossier,
    browser,
    window,
    page,
    key,
    async api(method, path, body) {
      const answer = await dossier.api(method, path, body, { key });
      if (answer.status >= 300)
        throw new Error(
          `${method} ${path} was answered with ${answer.status} ${JSON.stringify(answer.body)}`,
        );
      return answer.body;
    },
    consoleApi: (method, path, body) =>
      page.evaluate(
        async ([verb, url, text]) => {
          const answer = await fetch(`/console/api/v1${url}`, {
            method: verb!,
            ...(text === undefined
              ? {}
              : { body: text, headers: { "content-type": "application/json" } }),
          });
          const text_received = await answer.text();
          if (!answer.ok)
            throw new Error(`${verb} ${url} was answered with ${answer.status} ${text_received}`);
          return text_received === "" ? undefined : (JSON.parse(text_received) as unknown);
        },
        [method, path, body === undefined ? undefined : JSON.stringify(body)] as const,
      ),
    async settled(folder_id) {
      await dossier.until(
        `/folders/${folder_id}`,
        ({ body }) => body.document_count > 0 && body.status_counts.syncing === 0,
        { key, limit_ms: 60_000 },
      );
    },
    open,
    anotherWindow,
    async [Symbol.asyncDispose]() {
      await closeWindows(browser);
      await dossier[Symbol.asyncDispose]();
    },
  };
}

async function openWindow(browser: Browser, url: string): Promise<ConsoleWindow> {
  const window = await openPage(browser, url);
  const { page } = window;
  return {
    ...window,
    async open(path) {
      await page.goto(`/console${path}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
    },
    async go(path) {
      await page.evaluate(`history.pushState(null, "", ${JSON.stringify(`/console${path}`)})`);
    },
  };
}

type Step = readonly [name: string, run: () => Promise<unknown>];

/**
 * Runs rows concurrently, and the steps of a row one after the other, even if one fails. Returns a
 * function that waits for a step by name.
 */
export function sideBySide(rows: readonly (readonly Step[])[]): (name: string) => Promise<unknown> {
  const outcomes = new Map<string, Promise<unknown>>();
  for (const row of rows) {
    let before: Promise<unknown> = Promise.resolve();
    for (const [name, run] of row) {
      const outcome = before.then(run);
      outcomes.set(name, outcome);
      before = outcome.catch(() => undefined);
    }
  }
  return (name) => outcomes.get(name)!;
}

/** Possible from any page of the console; leads to the sign-in page. */
export async function signIn(page: Page, user_email: string): Promise<void> {
  await page.goto("/console/");
  await page.getByLabel("Email").fill(user_email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.locator("#main h1").waitFor();
}

const wide = 1280;
/** Where tables, the navigation and all columns have just enough room. */
const tight = [701, 961, 1081];
const narrow = 390;
/** How often each window was checked, to alternate sizes and themes. */
const turns = new WeakMap<Page, number>();

/**
 * A wide and a narrow window, one light and one dark. All rules are checked in the first, and those
 * that depend on style sheets in the second; after four turns, everything was checked in each.
 */
function appearancesOfTurn(page: Page): readonly [Appearance, Appearance] {
  const turn = turns.get(page) ?? 0;
  turns.set(page, turn + 1);
  const dark = turn % 4 > 1;
  const pair: [Appearance, Appearance] = [
    { width: wide, dark },
    { width: narrow, height: 844, dark: !dark },
  ];
  if (turn % 2 === 1) pair.reverse();
  return pair;
}

/**
 * Checks that a page has no findings in one size and theme, then in another size and the other
 * theme (alternating), no sideways scrolling in any size, and no forbidden actions. `at`: only in
 * this size and theme. `within`: the new element on a page that was already checked.
 */
export async function expectWell(
  window: OpenedPage,
  { at, within }: { readonly at?: Appearance; readonly within?: string } = {},
): Promise<void> {
  const [first, second] = at === undefined ? appearancesOfTurn(window.page) : [at];
  const problemsIn = async (look: Appearance, rules: Parameters<OpenedPage["problems"]>[0]) => {
    await window.setAppearance(look);
    return { look, problems: await window.problems(rules, within) };
  };
  expect(await problemsIn(first, "all")).toEqual({ look: first, problems: [] });
  if (second !== undefined) {
    for (const width of tight)
      expect(await problemsIn({ width }, "none")).toEqual({ look: { width }, problems: [] });
    expect(await problemsIn(second, "layout")).toEqual({ look: second, problems: [] });
  }
  expect(window.faults).toEqual([]);
}

/** The handbook of the example, a PDF file. */
export const handbook = Bun.file(join(import.meta.dir, "../../examples/handbook/handbook.pdf"));
/** A form with one file. */
export const fileForm = (
  name: string,
  content: Blob | Uint8Array<ArrayBuffer> | string,
  type = "",
): FormData => {
  const form = new FormData();
  form.append("file", content instanceof Blob ? content : new Blob([content], { type }), name);
  return form;
};
