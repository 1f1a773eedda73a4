/**
 * The console in a browser: from the first start to a cited answer with its source on screen, as
 * a first-time user.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { join } from "node:path";
import {
  becomesTrue,
  chromium_path,
  closeWindows,
  sharedChromium,
  openPage,
  why_skipped,
} from "../helpers/chromium";
import { startExecutable, type Executable } from "../helpers/executable";
import { until } from "../helpers/server";

const handbook = join(import.meta.dir, "../../examples/handbook/handbook.pdf");
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
  "at most eight clicks lead from the printed link to the passage on its page",
  async () => {
    const link = /http:\S+\/console\/setup#t=\S+/;
    await until(() => link.test(dossier.output()));
    const { page, faults } = await openPage(browser, dossier.url());
    let clicks = 0;
    const click = async (name: string | RegExp) => {
      clicks++;
      await page.getByRole("button", { name }).or(page.getByRole("link", { name })).first().click();
    };
    await page.goto(link.exec(dossier.output())![0]);
    await page.getByLabel("Email").fill("ada@example.com");
    await page.getByLabel("Password", { exact: true }).fill("correct horse battery staple");
    await click(/create/i);
    await click("New folder");
    await page.getByLabel("Name").fill("Hollin Fell Hut");
    await click(/create/i);
    clicks++;
    const chosen = page.waitForEvent("filechooser");
    await page
      .getByRole("button", { name: /choose files|upload/i })
      .first()
      .click();
    await (await chosen).setFiles(handbook);
    await page.getByRole("row", { name: "handbook.pdf" }).getByText("Ready").waitFor();
    await click("Ask this folder");
    await page.getByLabel("Your question").fill("How often is the ceramic filter replaced?");
    await click("Ask");
    await page.locator(".answer").getByText("replaced every ninety days").waitFor();
    await click(/^Source 1: handbook\.pdf, p\. 3/);
    const marked = page
      .locator("[data-page='3'] .pdf-text mark", { hasText: "ceramic filter" })
      .first();
    await marked.waitFor();
    // It is drawn on its page, and the page is scrolled to it.
    await becomesTrue(
      page,
      "(() => { const at = document.querySelector('.pdf-text mark')?.getBoundingClientRect(); " +
        "return at && at.top > 0 && at.bottom < innerHeight; })()",
    );
    expect(clicks).toBeLessThanOrEqual(8);
    expect(faults).toEqual([]);
  },
  120_000,
);
