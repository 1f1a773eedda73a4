/**
 * Every page of the console in a browser, full of data, in every size and theme: no violation
 * of axe-core's rules or the page's policy, no sideways scrolling, and text stays text.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { chromium_path, why_skipped } from "../helpers/chromium";
import {
  email,
  expectWell,
  fileForm,
  handbook,
  limit_ms,
  markup,
  sideBySide,
  startConsole,
  type Console,
  type ConsoleWindow,
} from "../helpers/console";
import { png } from "../helpers/pictures";
import { startReceiver } from "../helpers/receiver";
import { captions } from "../helpers/recordings";
import { page as sitePage, startWebsite, type Website } from "../helpers/website";

/** Its job fails permanently at each start. */
const unlucky = `
import { definePlugin, handle, job, PermanentFailure, t } from "dossier";
const Count = job("unlucky.count", t.Object({}));
export default definePlugin({ name: "unlucky", version: "1.0.0", setup: ({ db, enqueue }) => ({
  jobs: [handle(Count, async () => { throw new PermanentFailure("The counter at ${markup} does not answer."); }, { attempts_max: 3, timeout_ms: 1_000 })],
  start: () => enqueue(db, Count, {}),
}) });
`;
const thanks = `<!doctype html><script>alert(6)</script>${markup}<b>Thank you</b>`;

let at: Console;
let site: Website;
const receiver = startReceiver("127.0.0.1");
const ids = {
  hut: "",
  winter: "",
  hostile: "",
  handbook: "",
  notes: "",
  broken: "",
  picture: "",
  run: "",
  transcription: "",
  failed_transcription: "",
  webhook: "",
  strange: "",
};
let invitation = "";

beforeAll(async () => {
  if (!chromium_path) return console.log(why_skipped);
  site = await startWebsite();
  at = await startConsole({
    files: {
      "plugins/activity.ts": await Bun.file(
        join(import.meta.dir, "../../examples/activity/plugin.ts"),
      ).text(),
      "plugins/unlucky.ts": unlucky,
      "plugins/torn.ts": "export default {",
    },
  });
  await fillFolders();
  await fillRuns();
  await fillAdministration();
}, 300_000);
afterAll(async () => {
  await at?.[Symbol.asyncDispose]();
  receiver[Symbol.dispose]();
  await site?.[Symbol.asyncDispose]();
});

async function fillFolders(): Promise<void> {
  ids.hut = (
    await at.api("POST", "/folders", {
      name: "Hollin Fell Hut",
      description: "Everything about the hut and its warden.",
    })
  ).id;
  ids.winter = (await at.api("POST", "/folders", { name: "Winter", parentId: ids.hut })).id;
  ids.hostile = (await at.api("POST", "/folders", { name: `${markup} inbox` })).id;
  const upload = async (
    folder_id: string,
    name: string,
    content: Parameters<typeof fileForm>[1],
    type = "",
  ) =>
    (await at.api("POST", `/documents/file?folder_id=${folder_id}`, fileForm(name, content, type)))
      .id;
  ids.handbook = await upload(ids.hut, "handbook.pdf", handbook);
  ids.broken = await upload(
    ids.hut,
    "survey-of-the-eastern-path-and-its-bridges-2025-final.pdf",
    "%PDF-1.7 torn",
  );
  ids.picture = await upload(
    ids.hut,
    "roof.png",
    png({
      width: 320,
      height: 200,
      pixels: Uint8Array.from({ length: 320 * 200 }, (_, place) => place % 255),
    }),
    "image/png",
  );
  ids.notes = (
    await at.api("POST", "/documents", {
      folder_id: ids.hut,
      name: "Route notes",
      content: "From the bridge the path climbs for an hour.\n\nTurn left at the cairn.",
    })
  ).id;
  ids.strange = await upload(ids.hostile, `${markup}.txt`, `The ${markup} buoy is red.`);
  for (const folder of [ids.hut, ids.hostile]) await at.settled(folder);
}

async function fillRuns(): Promise<void> {
  site.set("/hut", sitePage("The hut", "The hut has sixteen beds and one lamp."));
  const source = {
    type: "urls",
    urls: [`${site.url}/hut`, `${site.url}/none`, `${site.url}/${markup}`],
  };
  ids.run = (await at.api("POST", "/imports", { folder_id: ids.winter, source })).id;
  await at.api("POST", "/import-schedules", {
    folder_id: ids.winter,
    source: { type: "sitemap", url: `${site.url}/sitemap.xml` },
    every: "0 6 * * 1",
  });
  ids.transcription = (
    await at.api(
      "POST",
      `/transcriptions?folder_id=${ids.winter}`,
      fileForm("interview with the warden.vtt", captions),
    )
  ).id;
  ids.failed_transcription = (
    await at.api(
      "POST",
      `/transcriptions?folder_id=${ids.winter}`,
      fileForm("wind.wav", "no recording at all"),
    )
  ).id;
  receiver.answerWith(
    () => new Response(thanks, { status: 500, headers: { "content-type": "text/html" } }),
  );
  ids.webhook = (
    await at.api("POST", "/webhooks", {
      event_type: "import.finished",
      url: `http://127.0.0.1:${receiver.port}/hooks/dossier?from=hollin-fell-hut&secret=none`,
    })
  ).id;
  await at.api("POST", "/webhooks", {
    event_type: "transcription.completed",
    url: `http://127.0.0.1:${receiver.port}/other`,
  });
  await at.api("POST", `/webhooks/${ids.webhook}/test`);
  const over = ({ body }: { body: any }) => !["pending", "running"].includes(body.status);
  for (const path of [`/imports/${ids.run}`, `/transcriptions/${ids.transcription}`])
    await at.dossier.until(path, over, { key: at.key, limit_ms: 60_000 });
  await at.dossier.until(
    `/webhooks/${ids.webhook}/deliveries`,
    ({ body }) =>
      body.data.length > 0 &&
      body.data.every(({ status }: { status: string }) => status === "dropped"),
    { key: at.key },
  );
  await at.settled(ids.winter);
}

async function fillAdministration(): Promise<void> {
  await at.consoleApi("POST", "/keys", {
    name: `Backup ${markup}`,
    expires_at: "2099-01-01T00:00:00Z",
    scopes: ["read"],
  });
  invitation = (
    await at.consoleApi("POST", "/users", {
      email: "grace.with.a.rather.long.name@research.example.com",
      role: "member",
    })
  ).invite_url;
  const { user } = await at.consoleApi("POST", "/users", {
    email: "eve@example.com",
    role: "admin",
  });
  await at.consoleApi("PATCH", `/users/${user.id}`, { active: false });
}

/** What a user does in a window. */
const handsOf = ({ page, go }: ConsoleWindow) => ({
  page,
  go,
  say: (text: string | RegExp) => page.getByText(text).first().waitFor(),
  press: (name: string | RegExp) => page.getByRole("button", { name }).first().click(),
  choose: async (menu: string | RegExp, item: string) => {
    await page.getByRole("button", { name: menu }).first().click();
    await page.getByRole("menuitem", { name: item }).click();
  },
  dialog: () => page.getByRole("dialog").waitFor(),
  escape: () => page.keyboard.press("Escape"),
  tab: (name: string) => page.getByRole("tab", { name }).click(),
});
type Hands = ReturnType<typeof handsOf>;
/**
 * How to get there, from any page. Anything open is closed by the next state, which navigates away.
 */
type State = readonly [
  name: string,
  reach: (hands: Hands) => Promise<unknown>,
  /** The new element, where the state before has already checked the rest of a large page. */
  within?: string,
];

const work: readonly State[] = [
  [
    "folders",
    async ({ go, say }) => {
      await go("/folders");
      await say("Hollin Fell Hut");
    },
  ],
  [
    "a folder to create",
    async ({ press, dialog }) => {
      await press("New folder");
      await dialog();
    },
  ],
  [
    "a folder",
    async ({ page, go }) => {
      await go(`/folders/${ids.hut}`);
      await page.getByRole("row").nth(4).waitFor();
    },
  ],
  ["documents that are selected", ({ page }) => page.getByLabel("Select all rows").check()],
  [
    "text to paste",
    async ({ press, dialog }) => {
      await press("Paste text");
      await dialog();
    },
  ],
  [
    "a folder to delete",
    async ({ choose, dialog, escape }) => {
      await escape();
      await choose(/^More actions/, "Delete");
      await dialog();
    },
  ],
  [
    "a folder and a file full of markup",
    async ({ go, say }) => {
      await go(`/folders/${ids.hostile}`);
      await say(`${markup}.txt`);
    },
  ],
  [
    "a document of PDF pages",
    async ({ page, go }) => {
      await go(`/documents/${ids.handbook}`);
      await page.locator(".pdf-text span").first().waitFor();
    },
  ],
  [
    "a document of text",
    async ({ go, say }) => {
      await go(`/documents/${ids.notes}`);
      await say("Turn left at the cairn");
    },
  ],
  [
    "a document that failed",
    async ({ go, say }) => {
      await go(`/documents/${ids.broken}`);
      await say("This document could not be indexed");
    },
  ],
  [
    "an image",
    async ({ page, go }) => {
      await go(`/documents/${ids.picture}`);
      await page.locator(".document-view img").waitFor();
    },
  ],
  [
    "a document full of markup",
    async ({ go, say }) => {
      await go(`/documents/${ids.strange}`);
      await say(`The ${markup} buoy is red.`);
    },
  ],
  [
    "a transcript",
    async ({ go, say }) => {
      await go(`/transcriptions/${ids.transcription}`);
      await say("The heron waits in shallow water.");
    },
  ],
  [
    "transcriptions",
    async ({ go, say }) => {
      await go("/transcriptions");
      await say("interview with the warden.vtt");
      await say("wind.wav");
    },
  ],
  [
    "a transcription that failed",
    async ({ go, say }) => {
      await go(`/transcriptions/${ids.failed_transcription}`);
      await say("The transcription failed");
    },
  ],
  [
    "a transcription to start",
    async ({ go, press, dialog }) => {
      await go("/transcriptions");
      await press("New transcription");
      await dialog();
    },
  ],
  [
    "imports",
    async ({ page, go }) => {
      await go("/imports");
      await page.getByRole("row").nth(1).waitFor();
    },
  ],
  [
    "schedules",
    async ({ go, say, tab }) => {
      await go("/imports");
      await tab("Schedules");
      await say("Every Monday");
    },
  ],
  [
    "an import with items that failed",
    async ({ page, go }) => {
      await go(`/imports/${ids.run}`);
      await page.getByRole("row").nth(3).waitFor();
    },
  ],
  [
    "an import to start, and what it would bring",
    async ({ page, go, say, press }) => {
      await go("/imports/new");
      await page.getByLabel("Addresses").fill(`${site.url}/hut\n${site.url}/<b>bold</b>`);
      await press("Preview");
      await say("2 items would be imported");
    },
  ],
];
const developer: readonly State[] = [
  [
    "API keys",
    async ({ go, say }) => {
      await go("/keys");
      await say(`Backup ${markup}`);
    },
  ],
  [
    "a key to create",
    async ({ press, dialog }) => {
      await press("Create key");
      await dialog();
    },
  ],
  [
    "a key that is shown once",
    async ({ page, say }) => {
      await page.getByRole("dialog").getByLabel("Name").fill("Laptop");
      await page.keyboard.press("Enter");
      await say("Copy this key now");
    },
  ],
  [
    "webhooks",
    async ({ page, go }) => {
      await go("/webhooks");
      await page.getByRole("row").nth(2).waitFor();
    },
  ],
  [
    "a webhook to register",
    async ({ press, dialog }) => {
      await press("Register webhook");
      await dialog();
    },
  ],
  [
    "a webhook's secret, which is shown once",
    async ({ page, say }) => {
      await page.getByLabel("URL").fill(`http://127.0.0.1:${receiver.port}/third`);
      await page.keyboard.press("Enter");
      await say("Copy this secret now");
    },
  ],
  [
    "a webhook",
    async ({ page, go }) => {
      await go(`/webhooks/${ids.webhook}`);
      await page.getByRole("row").nth(1).waitFor();
    },
  ],
  [
    "a delivery, whose answer is a web page",
    async ({ page, press }) => {
      await press(/^Show the delivery/);
      await page.getByRole("dialog").getByText(thanks).first().waitFor();
    },
  ],
  [
    "usage",
    async ({ go, say }) => {
      await go("/usage");
      await say("What you have stored");
    },
  ],
  [
    "the API reference",
    async ({ page, go }) => {
      await go("/reference");
      await page.locator(".opblock").first().waitFor();
    },
  ],
  [
    "a call that was tried out",
    async ({ page, press }) => {
      await page.locator("[id$=listFolders] .opblock-summary-control").click();
      await press("Try it out");
      await press("Execute");
      await page.locator(".live-responses-table").getByText("Hollin Fell Hut").first().waitFor();
      // Nothing of it is under the bar that stays above the page.
      await page.evaluate("scrollTo(0, 0)");
    },
    ".opblock.is-open",
  ],
  [
    "a page that a plugin adds",
    async ({ page }) => {
      await page
        .getByRole("navigation", { name: "Main" })
        .getByRole("link", { name: "Activity" })
        .click();
      await page.getByRole("cell", { name: "Ready" }).first().waitFor();
    },
  ],
  [
    "no page",
    async ({ go, say }) => {
      await go("/nowhere");
      await say("Page not found");
    },
  ],
];
const administration: readonly State[] = [
  [
    "the account",
    async ({ go, say }) => {
      await go("/account");
      await say("This session");
    },
  ],
  [
    "users",
    async ({ go, say }) => {
      await go("/users");
      await say("eve@example.com");
    },
  ],
  [
    "a user to invite",
    async ({ press, dialog }) => {
      await press("Invite user");
      await dialog();
    },
  ],
  [
    "an invitation, which is shown once",
    async ({ page, say }) => {
      await page.getByRole("dialog").getByLabel("Email").fill(`lin-${Date.now()}@example.com`);
      await page.keyboard.press("Enter");
      await say("Invitation link");
    },
  ],
  [
    "the audit log",
    async ({ go, say }) => {
      await go("/audit");
      await say("Create folder");
    },
  ],
  [
    "the audit log, filtered to nothing",
    async ({ go, say }) => {
      await go("/audit?action=none&since=2026-01-01");
      await say("No matching entries");
    },
  ],
  [
    "backups, one of them just made",
    async ({ go, say, page }) => {
      await go("/backups");
      await page.getByRole("button", { name: "Create backup" }).click();
      await say("originals, Dossier");
    },
  ],
  [
    "the system's health",
    async ({ go, say }) => {
      await go("/system");
      await say("Data directory");
    },
  ],
  [
    "jobs",
    async ({ go, say, tab }) => {
      await go("/system");
      await tab("Jobs");
      await say(`The counter at ${markup} does not answer.`);
    },
  ],
  [
    "storage",
    async ({ say, tab }) => {
      await tab("Storage");
      await say("Free disk space");
    },
  ],
  [
    "plugins, one of them torn",
    async ({ say, tab }) => {
      await tab("Plugins");
      await say("Left out");
    },
  ],
  [
    "the log",
    async ({ page, tab }) => {
      await tab("Logs");
      await page.getByRole("cell", { name: "listening" }).waitFor();
    },
  ],
  [
    "settings in force",
    async ({ say, tab }) => {
      await tab("Settings");
      await say("imports.host_delay");
    },
  ],
];
const outside: readonly State[] = [
  [
    "sign-in",
    async ({ page }) => {
      await page.goto("/console/");
      await page.getByLabel("Email").waitFor();
    },
  ],
  [
    "sign-in with the wrong password",
    async ({ page, press }) => {
      await page.getByLabel("Email").fill(email);
      await page.getByLabel("Password", { exact: true }).fill("not this one");
      await press("Sign in");
      await page.getByRole("alert").waitFor();
    },
  ],
  [
    "set-up, when it is done",
    async ({ page, say }) => {
      await page.goto("/console/setup#t=dst_00000000000000000000000000000000");
      await say("Dossier is already set up");
    },
  ],
  [
    "set-up",
    async ({ page }) => {
      await page.route("**/setup/check", (route) => route.fulfill({ status: 204 }));
      await page.goto("/console/setup#t=dst_11111111111111111111111111111111");
      await page.reload();
      await page.getByLabel("Email").waitFor();
    },
  ],
  [
    "an invitation",
    async ({ page, say }) => {
      await page.goto(invitation);
      await say("grace.with.a.rather.long.name");
    },
  ],
  [
    "an invitation that does not work",
    async ({ page, say }) => {
      await page.goto("/console/invite#t=dsi_00000000000000000000000000000000");
      await page.reload();
      await say("This link does not work");
    },
  ],
];

const reach = (window: ConsoleWindow, states: readonly State[]) =>
  states.map(
    ([name, run, within]) =>
      [
        name,
        async () => {
          await window.setAppearance({});
          await run(handsOf(window));
          await expectWell(window, within === undefined ? {} : { within });
          // The next state starts with nothing open.
          const images = window.page.locator("main img[onerror], dialog img[onerror], .nav img");
          expect(await images.count()).toBe(0);
        },
      ] as const,
  );

describe.skipIf(!chromium_path)("every size and theme", () => {
  let outcome: (name: string) => Promise<unknown>;
  beforeAll(async () => {
    const beside = await at.anotherWindow(email);
    const stranger = await at.anotherWindow();
    outcome = sideBySide([
      [...reach(at.window, work), ...reach(stranger, outside)],
      reach(beside, [...developer, ...administration]),
    ]);
  }, limit_ms);

  test.each([...work, ...developer, ...administration, ...outside].map(([name]) => name))(
    "%s",
    async (name) => {
      await outcome(name);
    },
    limit_ms,
  );
});
