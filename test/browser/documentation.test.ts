/** The documentation in a browser: no violation of axe-core's rules or the page's policy. */
import { afterAll, beforeAll, test } from "bun:test";
import type { Browser } from "playwright-core";
import {
  chromium_path,
  closeWindows,
  sharedChromium,
  openPage,
  why_skipped,
} from "../helpers/chromium";
import { expectWell } from "../helpers/console";
import { startExecutable, type Executable } from "../helpers/executable";

let dossier: Executable;
let browser: Browser;
beforeAll(async () => {
  if (!chromium_path) return console.log(why_skipped);
  dossier = await startExecutable();
  browser = await sharedChromium();
}, 120_000);
afterAll(async () => {
  await closeWindows(browser);
  await dossier?.[Symbol.asyncDispose]();
});

test.skipIf(!chromium_path)(
  "from the sign-in page to a section, in every size and theme",
  async () => {
    const window = await openPage(browser, dossier.url());
    const { page } = window;
    await page.goto("/console/sign-in");
    await page.getByRole("link", { name: "Documentation" }).click();
    await page.getByRole("heading", { level: 1, name: "Documentation" }).waitFor();
    await page.getByRole("searchbox").fill("rate limit");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Search" }).waitFor();
    await expectWell(window);
    await page.getByRole("link", { name: "API › Limits" }).click();
    await page.waitForURL("**/docs/api#limits");
    await page.getByRole("heading", { name: "Limits" }).waitFor();
    await expectWell(window);
  },
  120_000,
);
