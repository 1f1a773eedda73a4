/**
 * The console in a browser while data changes: changes made elsewhere appear by themselves, in
 * every tab; large folders and the first load stay small.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { chromium_path, openPage, why_skipped } from "../helpers/chromium";
import { email, limit_ms, password, startConsole, type Console } from "../helpers/console";

let at: Console;
let page: Page;
beforeAll(async () => {
  if (!chromium_path) return console.log(why_skipped);
  at = await startConsole();
  ({ page } = at);
}, 300_000);
afterAll(() => at?.[Symbol.asyncDispose]());

const addText = (folder_id: string, name: string) =>
  at.api("POST", "/documents", {
    folder_id,
    name,
    content: `About ${name}: turn left at the cairn.`,
  });
const ready = (name: string, on = page) =>
  on.getByRole("row", { name }).getByText("Ready").waitFor();
/** Lost when the page is reloaded. */
const mark = (on: Page) => on.evaluate("globalThis.never_reloaded = true");
const isMarked = (on: Page) => on.evaluate("globalThis.never_reloaded === true");
const isEvents = (url: string) => new URL(url).pathname.endsWith("/changes");

describe.skipIf(!chromium_path)("a change made elsewhere", () => {
  test(
    "appears in an open folder and turns Ready, in two tabs with one stream; the second takes " +
      "over when the first is closed",
    async () => {
      const { id } = await at.api("POST", "/folders", { name: "Live" });
      const streams: string[] = [];
      page.context().on("request", (request) => {
        if (isEvents(request.url())) streams.push(request.url());
      });
      await at.open(`/folders/${id}`);
      await page.getByText("Drop files or a folder here").waitFor();
      const second = await page.context().newPage();
      await second.goto(`/console/folders/${id}`);
      await second.getByText("Drop files or a folder here").waitFor();
      for (const tab of [page, second]) await mark(tab);
      await addText(id, "First");
      await ready("First");
      await ready("First", second);
      expect(streams).toHaveLength(1);
      // The tab that held the stream closes, and the other one takes it over.
      await page.goto("about:blank");
      await at.dossier.untilTrue(() => streams.length === 2);
      await addText(id, "Second");
      await ready("Second", second);
      await at.api("PUT", `/folders/${id}`, { name: "Renamed" });
      await second.getByRole("heading", { level: 1, name: "Renamed" }).waitFor();
      expect(await isMarked(second)).toBe(true);
      await second.close();
    },
    limit_ms,
  );

  test(
    "appears by polling where the stream is blocked",
    async () => {
      const { id } = await at.api("POST", "/folders", { name: "Polled" });
      await page.route(
        ({ pathname }) => pathname.endsWith("/changes"),
        (route) => route.fulfill({ status: 502 }),
      );
      await at.open(`/folders/${id}`);
      await page.getByText("Drop files or a folder here").waitFor();
      await mark(page);
      await addText(id, "Third");
      await ready("Third");
      expect(await isMarked(page)).toBe(true);
      await page.unrouteAll();
    },
    limit_ms,
  );
});

describe.skipIf(!chromium_path)("size", () => {
  test("a folder of 5,000 documents is shown in pages and can be filtered", async () => {
    const { id } = await at.api("POST", "/folders", { name: "Large" });
    const many = 5_000;
    const senders = 8;
    let next = 0;
    await Promise.all(
      Array.from({ length: senders }, async () => {
        while (next < many) {
          const number = ++next;
          await addText(id, `Note ${String(number).padStart(4, "0")}`);
        }
      }),
    );
    await at.open(`/folders/${id}`);
    const rows = page.getByRole("table", { name: "Documents" }).getByRole("row");
    const small = async () => {
      expect(await rows.count()).toBeLessThanOrEqual(51);
      expect(await page.evaluate("document.querySelectorAll('*').length")).toBeLessThan(4_000);
    };
    await page.getByText("1–50 of 5000").waitFor();
    await small();
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByText("51–100 of 5000").waitFor();
    await small();
    await page.getByLabel("Search by name or content").fill("Note 4321");
    await page.getByRole("link", { name: "Note 4321" }).first().waitFor();
    await page.getByText("Note 4320").waitFor({ state: "detached" });
    await small();
    await at.open("/folders");
    await page.getByText("5,000").first().waitFor();
    await small();
  }, 300_000);

  test(
    "the first load transfers at most 125 KB, nothing twice, and nothing is loaded later unasked",
    async () => {
      const cold = await openPage(at.browser, at.dossier.url());
      await cold.page.clock.install();
      await cold.page.goto("/console/");
      await cold.page.getByLabel("Email").waitFor();
      const entries = async (): Promise<{ name: string; bytes: number }[]> =>
        cold.page.evaluate(`performance.getEntries()
      .filter(({ entryType }) => entryType === "navigation" || entryType === "resource").map(({ name, transferSize }) => ({ name, bytes: transferSize }))`);
      const loaded = await entries();
      const bytes = loaded.reduce((sum, file) => sum + file.bytes, 0);
      expect({ bytes, fits: bytes <= 125 * 1024 }).toEqual({ bytes, fits: true });
      // Each one counts: nothing came from a cache.
      expect(loaded.filter((file) => file.bytes === 0)).toEqual([]);
      expect(new Set(loaded.map(({ name }) => name)).size).toBe(loaded.length);
      // Signed in, only the page that is shown is loaded, however long it stays.
      const requests: string[] = [];
      cold.page.on("request", (request) => requests.push(request.url()));
      await cold.page.getByLabel("Email").fill(email);
      await cold.page.getByLabel("Password", { exact: true }).fill(password);
      await cold.page.getByRole("button", { name: "Sign in" }).click();
      await cold.page.getByRole("row").nth(1).waitFor();
      const files = () => requests.filter((name) => /\.(js|css)$/.test(name));
      const shown = files();
      await cold.page.clock.runFor(10_000);
      await cold.page.evaluate("fetch('/health/live')");
      expect(files()).toEqual(shown);
      expect(shown.filter((name) => /reference|swagger|palette|pdf/.test(name))).toEqual([]);
      const all_bytes = (await entries())
        .filter(({ name }) => !name.includes("/api/"))
        .reduce((sum, file) => sum + file.bytes, 0);
      expect({ all_bytes, fits: all_bytes <= 125 * 1024 }).toEqual({ all_bytes, fits: true });
      expect(cold.faults).toEqual([]);
      await cold.page.context().close();
    },
    limit_ms,
  );
});
