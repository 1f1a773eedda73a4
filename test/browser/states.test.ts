/**
 * Every page of the console in a browser in unusual states: empty, loading, refused, broken,
 * offline, not allowed, or signed out in the middle.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { Locator, Page, Route } from "playwright-core";
import { chromium_path, appearances, why_skipped } from "../helpers/chromium";
import {
  email,
  expectWell,
  fileForm,
  limit_ms,
  password,
  sideBySide,
  startConsole,
  type Console,
  type ConsoleWindow,
} from "../helpers/console";
import { captions } from "../helpers/recordings";

let at: Console;
let page: Page;
let member: ConsoleWindow;
const ids = { folder: "", document: "", chat: "", run: "", transcription: "", webhook: "" };

beforeAll(async () => {
  if (!chromium_path) return console.log(why_skipped);
  at = await startConsole();
  ({ page } = at);
  await page.clock.install();
  await at.dossier.createUser("mel@example.com");
  member = await at.anotherWindow("mel@example.com");
}, 300_000);
afterAll(() => at?.[Symbol.asyncDispose]());

/** One record for each page, so that all of Ada's pages have something to show. */
async function fill(): Promise<void> {
  ids.folder = (await at.api("POST", "/folders", { name: "Hollin Fell Hut" })).id;
  ids.document = (
    await at.api("POST", "/documents", {
      folder_id: ids.folder,
      name: "Route notes",
      content: "Turn left at the cairn.",
    })
  ).id;
  ids.chat = (await at.api("POST", "/chats", { name: "The way", usedFolders: [ids.folder] })).id;
  ids.transcription = (
    await at.api(
      "POST",
      `/transcriptions?folder_id=${ids.folder}`,
      fileForm("warden.vtt", captions),
    )
  ).id;
  const { id } = await at.api("POST", "/imports", {
    folder_id: ids.folder,
    source: { type: "urls", urls: ["http://127.0.0.1:9/closed"] },
  });
  ids.run = id;
  const over = ({ body }: { body: any }) => !["pending", "running"].includes(body.status);
  for (const path of [`/imports/${ids.run}`, `/transcriptions/${ids.transcription}`])
    await at.dossier.until(path, over, { key: at.key, limit_ms: 60_000 });
  ids.webhook = (
    await at.api("POST", "/webhooks", {
      event_type: "import.finished",
      url: "http://127.0.0.1:9/hook",
    })
  ).id;
  await at.settled(ids.folder);
}

/**
 * Waits for it while the page's timers run fast: a retry due in seconds happens at once.
 */
async function soon(wanted: Locator): Promise<void> {
  for (let left = 60; left > 0 && !(await wanted.first().isVisible()); left--) {
    await page.clock.fastForward(1_000);
    await Bun.sleep(20);
  }
  await wanted.first().waitFor();
}
const say = (text: string | RegExp, of = page) =>
  of.getByRole("main").getByText(text).first().waitFor();
const unrouteAll = (on = page) => on.unrouteAll({ behavior: "ignoreErrors" });
/** Each call returns the next of the sizes and themes that a page must support. */
function lookByLook() {
  let turn = 0;
  return () => appearances[turn++ % appearances.length]!;
}
const oneLook = lookByLook();

const nothing: readonly (readonly [path: string, text: string])[] = [
  ["/folders", "Create your first folder"],
  ["/chats", "Ask about your documents"],
  ["/chats/new", "What do you want to know?"],
  ["/prompts", "Plain words"],
  ["/imports", "Nothing imported yet"],
  ["/imports/new", "Create a folder first"],
  ["/transcriptions", "Create a folder first"],
  ["/webhooks", "No webhooks yet"],
  ["/search", "What are you looking for?"],
  ["/audit?actor=nobody", "No matching entries"],
  ["/backups", "No backups yet"],
  ["/system?part=jobs", "No jobs"],
];

describe.skipIf(!chromium_path)("without any data", () => {
  afterEach(() => unrouteAll(), limit_ms);
  test.each(nothing)(
    "%s",
    async (path, text) => {
      await at.open(path);
      if (path !== "/search") await say(text);
      await expectWell(at.window, { at: oneLook() });
    },
    limit_ms,
  );

  test(
    "no API keys",
    async () => {
      await page.route("**/console/api/v1/keys?*", (route) =>
        route.fulfill({
          json: {
            data: [],
            pagination: {
              count: 0,
              total: 0,
              per_page: 200,
              total_pages: 0,
              next_page: null,
              previous_page: null,
            },
          },
        }),
      );
      await at.open("/keys");
      await say("No API keys yet");
      await expectWell(at.window, { at: oneLook() });
    },
    limit_ms,
  );

  test(
    "no schedules, an empty folder, no deliveries",
    async () => {
      await at.open("/imports");
      await page.getByRole("tab", { name: "Schedules" }).click();
      await say("No schedules");
      await expectWell(at.window, { at: oneLook() });
      await fill();
      const empty = await at.api("POST", "/folders", { name: "Empty" });
      await at.open(`/folders/${empty.id}`);
      await say("Drop files or a folder here");
      await expectWell(at.window, { at: oneLook() });
      await at.open(`/webhooks/${ids.webhook}`);
      await say("Nothing delivered yet");
      await expectWell(at.window, { at: oneLook() });
    },
    limit_ms,
  );
});

/** The page's address, its first request, and what it shows after that. */
type Asking = readonly [path: () => string, endpoint: RegExp, shown: string | RegExp];
const api = (path: string) => new RegExp(`/console/api/v1${path}`);
const pages: readonly Asking[] = [
  [() => "/folders", api("/folders\\?"), "Hollin Fell Hut"],
  [() => `/folders/${ids.folder}`, api("/documents\\?"), "Route notes"],
  [() => `/documents/${ids.document}`, api("/documents/doc_\\w+(\\?|$)"), "Turn left at the cairn"],
  [() => "/account", api("/account/sessions"), "This session"],
  [() => "/chats", api("/chats\\?"), "The way"],
  [() => `/chats/${ids.chat}`, api("/chats/chs_\\w+$"), "The way"],
  [() => "/prompts", api("/prompts"), "Plain words"],
  [() => "/search?q=cairn", api("/search"), "Turn left at the"],
  [() => "/imports", api("/imports\\?"), "http://127.0.0.1:9/closed"],
  [() => "/imports/new", api("/folders\\?"), "What to import"],
  [() => `/imports/${ids.run}`, api("/imports/imp_\\w+$"), "http://127.0.0.1:9/closed"],
  [() => "/transcriptions", api("/transcriptions\\?"), "warden.vtt"],
  [
    () => `/transcriptions/${ids.transcription}`,
    api("/transcriptions/trn_\\w+$"),
    "The heron waits",
  ],
  [() => "/keys", api("/keys"), "test"],
  [() => "/webhooks", api("/webhooks"), "http://127.0.0.1:9/hook"],
  [() => `/webhooks/${ids.webhook}`, api("/webhooks/whk_\\w+$"), "How to verify a delivery"],
  [() => "/reference", /\/api\/dev\/v1\/openapi\.json/, "A two-level tree that holds documents"],
  [() => "/usage", api("/usage"), "What you have stored"],
  [() => "/users", api("/users"), "mel@example.com"],
  [() => "/audit", api("/audit"), "Create folder"],
  [() => "/backups", api("/backups$"), "No backups yet"],
  [() => "/system", api("/system$"), "Data directory"],
];

const problem = (status: number, code: string, detail: string) => ({
  status,
  contentType: "application/problem+json",
  body: JSON.stringify({ title: code, status, code, detail, request_id: "req_01TEST" }),
});

async function onItsWayAndBroken(
  { page, open, ...window }: ConsoleWindow,
  oneLook: ReturnType<typeof lookByLook>,
  [path, endpoint, shown]: Asking,
  place: number,
): Promise<void> {
  const well = () => expectWell({ page, ...window }, { at: oneLook() });
  /** The outcome of the page's first request. */
  let play: (route: Route) => unknown;
  const release = Promise.withResolvers<void>();
  play = async (route) => {
    await release.promise;
    return route.abort();
  };
  await page.route(endpoint, (route) => play(route));
  // Loading: a heading and a loading indicator.
  await open(path());
  await page
    .getByRole("main")
    .getByRole("status")
    .getByText(/^(Loading|Opening)/)
    .first()
    .waitFor({ state: "attached" });
  await well();
  // Offline: the banner, and the reason in place of the content.
  play = (route) => route.abort();
  const aborts = (route: Route) => route.abort();
  await page.route("**/console/api/**", aborts);
  release.resolve();
  await soon(page.getByRole("alert").getByText("Dossier can’t be reached"));
  // All pages show a failure by the same component: it is checked on every other one.
  if (place % 2 === 0) await well();
  // The server is back, but this request fails, and the page shows its request id.
  play = (route) => route.fulfill(problem(500, "internal", "The server could not do this."));
  await page.unroute("**/console/api/**", aborts);
  await soon(page.getByRole("alert").getByText("Something went wrong on the server"));
  await page.getByRole("alert").getByText("req_01TEST").waitFor();
  if (place % 2 === 1) await well();
  play = (route) => route.continue();
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("alert").waitFor({ state: "detached" });
  await say(shown);
}

async function notAllowed(
  window: ConsoleWindow,
  oneLook: ReturnType<typeof lookByLook>,
  [path, endpoint]: Asking,
  place: number,
): Promise<void> {
  const { page } = window;
  await page.route(endpoint, (route) =>
    route.fulfill(problem(403, "forbidden", "This belongs to another user.")),
  );
  // Data that a window already has is loaded again with the whole page.
  const is_known = endpoint.source === api("/folders\\?").source;
  await (is_known ? page.goto(`/console${path()}`) : window.go(path()));
  await page.getByRole("alert").getByText("You don’t have access to this").waitFor();
  if (place % 3 === 0) await expectWell(window, { at: oneLook() });
}

describe.skipIf(!chromium_path)("every page", () => {
  const names = pages.map(([path]) => path.toString().slice(6));
  let outcome: (name: string) => Promise<unknown>;
  beforeAll(async () => {
    const row = (of: string, window: ConsoleWindow, run: typeof notAllowed) => {
      const oneLook = lookByLook();
      return pages.map(
        (asking, place) =>
          [
            `${of} ${names[place]}`,
            () => run(window, oneLook, asking, place).finally(() => unrouteAll(window.page)),
          ] as const,
      );
    };
    outcome = sideBySide([
      row("on its way", at.window, onItsWayAndBroken),
      row("not allowed", await at.anotherWindow(email), notAllowed),
    ]);
  }, limit_ms);

  describe("loading, offline, broken, and working again", () => {
    test.each(names)(
      "%s",
      async (name) => {
        await outcome(`on its way ${name}`);
      },
      limit_ms,
    );
  });

  describe("not allowed", () => {
    test.each(names)(
      "%s",
      async (name) => {
        await outcome(`not allowed ${name}`);
      },
      limit_ms,
    );

    test(
      "a member sees no administrators' page and no other user's records",
      async () => {
        const mel = member.page;
        const navigation = mel.getByRole("navigation", { name: "Main" });
        await navigation.getByRole("link", { name: "Folders" }).waitFor();
        expect([
          await navigation.getByRole("link", { name: "Users" }).count(),
          await navigation.getByRole("link", { name: "System" }).count(),
        ]).toEqual([0, 0]);
        for (const path of ["/users", "/system"]) {
          await mel.goto(`/console${path}`);
          await mel.getByText("Page not found").waitFor();
        }
        for (const path of [
          `/documents/${ids.document}`,
          `/imports/${ids.run}`,
          `/transcriptions/${ids.transcription}`,
          `/webhooks/${ids.webhook}`,
          `/chats/${ids.chat}`,
        ]) {
          await mel.goto(`/console${path}`);
          await mel.getByRole("alert").getByText("You don’t have access to this").waitFor();
        }
        await mel.goto(`/console/folders/${ids.folder}`);
        await mel.getByRole("alert").getByText("Not found").waitFor();
        expect(member.faults).toEqual([]);
      },
      limit_ms,
    );
  });
});

describe.skipIf(!chromium_path)("the content on screen", () => {
  afterEach(() => unrouteAll(), limit_ms);
  test(
    "stays while the server is unreachable, under a banner that disappears by itself",
    async () => {
      await at.window.setAppearance({});
      await at.open(`/folders/${ids.folder}`);
      await say("Route notes");
      await page.route("**/console/api/**", (route) => route.abort());
      await page.getByLabel("Show", { exact: true }).selectOption("synced");
      await say("Dossier can’t be reached. Retrying");
      expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("Hollin Fell Hut");
      await page.unrouteAll();
      await page.locator(".banner").waitFor({ state: "detached" });
      await say("Route notes");
    },
    limit_ms,
  );

  test(
    "says that the server is unreachable when the next page can't be loaded, and then shows it",
    async () => {
      await at.open(`/folders/${ids.folder}`);
      await say("Route notes");
      await page.route("**/console/**", (route) => route.abort());
      await page
        .getByRole("navigation", { name: "Main" })
        .getByRole("link", { name: "Webhooks" })
        .click();
      await soon(page.getByRole("alert").getByText("Dossier can’t be reached"));
      await page.unrouteAll();
      await say("http://127.0.0.1:9/hook");
    },
    limit_ms,
  );

  test(
    "is covered by the sign-in page when the session ends elsewhere, and returns afterwards",
    async () => {
      const path = `/folders/${ids.folder}?status=synced`;
      await at.open(path);
      await say("Route notes");
      const elsewhere = await at.anotherWindow(email);
      await elsewhere.page.goto("/console/account");
      await elsewhere.page.getByRole("button", { name: "Sign out everywhere else" }).click();
      await elsewhere.page
        .getByRole("dialog")
        .getByRole("button", { name: "Sign out everywhere else" })
        .click();
      // The stream of changes reports it: nothing is pressed here.
      await page.getByLabel("Email").fill(email);
      await page.getByLabel("Password", { exact: true }).fill(password);
      await page.getByRole("button", { name: "Sign in" }).click();
      await say("Route notes");
      expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe(`/console${path}`);
      await elsewhere.page.context().close();
    },
    limit_ms,
  );

  test(
    "gives way to the sign-in page when the next call finds no session",
    async () => {
      await at.window.setAppearance({});
      await at.open("/keys");
      await say("test");
      await page.context().clearCookies();
      await page
        .getByRole("navigation", { name: "Main" })
        .getByRole("link", { name: "Webhooks" })
        .click();
      await page.getByLabel("Email").fill(email);
      await page.getByLabel("Password", { exact: true }).fill(password);
      await page.getByRole("button", { name: "Sign in" }).click();
      await say("http://127.0.0.1:9/hook");
    },
    limit_ms,
  );
});
