/**
 * The main pages in Firefox, whose engine differs from Chromium's: they load, nothing is blocked or
 * fails, and nothing scrolls sideways.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { email, limit_ms, password } from "../helpers/console";
import { startExecutable, type Executable } from "../helpers/executable";
import { firefox_path, launchFirefox, why_no_firefox, type Firefox } from "../helpers/firefox";
import { until } from "../helpers/server";

let dossier: Executable;
let firefox: Firefox;
let folder = "";

beforeAll(async () => {
  if (!firefox_path) return console.log(why_no_firefox);
  dossier = await startExecutable({
    env: { DOSSIER_ADMIN_EMAIL: email, DOSSIER_ADMIN_PASSWORD: password },
  });
  const key = (await dossier.mustCli(["key", "create", "--user", email, "--name", "test"])).trim();
  folder = (await dossier.api("POST", "/folders", { name: "Fell" }, { key })).body.id;
  await dossier.api(
    "POST",
    "/documents",
    { folder_id: folder, name: "Route notes", content: "Turn left at the cairn." },
    { key },
  );
  firefox = await launchFirefox();
}, limit_ms);
afterAll(async () => {
  await firefox?.[Symbol.asyncDispose]();
  await dossier?.[Symbol.asyncDispose]();
});

const shows = (text: string) =>
  until(() => firefox.evaluate(`document.body.innerText.includes(${JSON.stringify(text)})`));

const pages: readonly (readonly [page: string, path: () => string, shown: string])[] = [
  ["folders", () => "/folders", "Fell"],
  ["a folder", () => `/folders/${folder}`, "Route notes"],
  ["chats", () => "/chats", "Ask about your documents"],
  ["a new chat", () => "/chats/new", "What do you want to know?"],
  ["a search", () => "/search?q=cairn", "Turn left at the"],
  ["usage", () => "/usage", "What you have stored"],
  ["an import", () => "/imports/new", "What to import"],
  ["the system", () => "/system", "Data directory"],
  ["the API reference", () => "/reference", "/api/dev/v1/folders"],
];

describe.skipIf(!firefox_path)("in Firefox", () => {
  test(
    "a user signs in",
    async () => {
      await firefox.open(`${dossier.url()}/console/`);
      await until(() => firefox.evaluate("document.querySelector('input[type=email]') !== null"));
      await firefox.evaluate(`(() => {
        const fill = (selector, value) => {
          const field = document.querySelector(selector);
          field.value = value;
          field.dispatchEvent(new Event("input", { bubbles: true }));
        };
        fill("input[type=email]", ${JSON.stringify(email)});
        fill("input[type=password]", ${JSON.stringify(password)});
      })()`);
      await firefox.evaluate("document.querySelector('button[type=submit]').click()");
      await shows("Fell");
    },
    limit_ms,
  );

  test.each(pages)(
    "%s",
    async (_page, path, shown) => {
      for (const width of [1280, 390]) {
        await firefox.size(width, 800);
        await firefox.open(`${dossier.url()}/console${path()}`);
        await shows(shown);
        const wide = await firefox.evaluate("document.documentElement.scrollWidth - innerWidth");
        expect({ width, too_wide: Math.max(0, Number(wide)) }).toEqual({ width, too_wide: 0 });
      }
      expect(firefox.faults).toEqual([]);
    },
    limit_ms,
  );
});
