/**
 * Folders in a browser: a directory keeps its tree, documents are dragged, renamed in place, sorted,
 * filtered, and all selected across pages.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Page } from "playwright-core";
import { becomesTrue, chromium_path, why_skipped } from "../helpers/chromium";
import { expectWell, limit_ms, startConsole, type Console } from "../helpers/console";
import { temporaryDirectory } from "../helpers/data-directory";
import { unpacked } from "../helpers/folder-archives";

let at: Console;
let page: Page;
let reports: string;
const many = 130;

beforeAll(async () => {
  if (!chromium_path) return console.log(why_skipped);
  at = await startConsole();
  ({ page } = at);
}, 300_000);
afterAll(() => at?.[Symbol.asyncDispose]());

const link = (name: string) => page.getByRole("link", { name, exact: true });
/** The sorted rows arrive a moment after the header changes. */
const rows = (names: readonly string[]) =>
  becomesTrue(
    page,
    `[...document.querySelectorAll("tbody .title-link")].map((row) => row.innerText).join() === ` +
      JSON.stringify(names.join()),
  );
const toast = (text: string | RegExp) => page.locator(".toasts").getByText(text).first().waitFor();

describe.skipIf(!chromium_path)("a folder", () => {
  test(
    "of samples is created by one click, with questions that it answers",
    async () => {
      await at.open("/folders");
      await page.getByRole("button", { name: "Try a sample" }).click();
      const question = page.getByRole("button", { name: "How many people may sleep in the hut?" });
      await question.and(page.locator(":enabled")).waitFor();
      await expectWell(at.window);
      await at.window.setAppearance({});
      await question.click();
      await page.getByText("thirty-two").first().waitFor();
      const { data } = await at.api("GET", "/folders");
      await at.api("DELETE", `/folders/${data[0].id}`);
    },
    limit_ms,
  );

  test(
    "from the computer keeps its tree; hidden files are left out with a notice",
    async () => {
      const root = join(temporaryDirectory(), "Reports");
      for (const path of ["readme.txt", ".DS_Store", "2025/spring.txt", "2025/q1/week 1.txt"]) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), `About ${path}.`);
      }
      await at.open("/folders");
      await page.getByText("Create your first folder").waitFor();
      await page.locator("input[webkitdirectory]").first().setInputFiles(root);
      await page.getByText("1 hidden file was skipped").waitFor();
      await link("Reports").waitFor();
      await expectWell(at.window);
      await link("2025").click();
      await link("q1/week 1.txt").waitFor();
      await link("spring.txt").waitFor();
      reports = new URL(page.url()).pathname.split("/").at(-1)!;
    },
    limit_ms,
  );

  test(
    "is sorted by a column, filtered by type, and renamed in place",
    async () => {
      await at.window.setAppearance({});
      await at.api("POST", "/documents", { folder_id: reports, name: "alpha", content: "A." });
      await link("alpha").waitFor();
      await page.getByRole("button", { name: "Document", exact: true }).click();
      await page.locator("th[aria-sort=ascending]").getByText("Document").waitFor();
      await rows(["alpha", "q1/week 1.txt", "spring.txt"]);
      await page.getByRole("button", { name: "Document", exact: true }).click();
      await rows(["spring.txt", "q1/week 1.txt", "alpha"]);
      await page.getByLabel("Type", { exact: true }).selectOption("PDF");
      await page.getByText("No matching documents").waitFor();
      await page.getByRole("button", { name: "Show all" }).click();
      await link("alpha").focus();
      await page.keyboard.press("F2");
      const field = page.getByLabel("Rename document");
      await field.fill("spring.txt ");
      await expectWell(at.window, { within: "main" });
      await page.keyboard.press("Escape");
      await link("alpha").waitFor();
      await page.keyboard.press("F2");
      await field.fill("beta");
      await page.keyboard.press("Enter");
      await link("beta").waitFor();
      await becomesTrue(page, "document.activeElement.textContent === 'beta'");
    },
    limit_ms,
  );

  test(
    "takes documents that are dragged onto it",
    async () => {
      await at.window.setAppearance({});
      await page.getByRole("row", { name: "beta" }).hover();
      await page.mouse.down();
      await page.mouse.move(400, 300, { steps: 4 });
      const dock = page.getByLabel("Folders to drop on");
      await dock.getByText("Reports", { exact: true }).hover();
      await dock.getByText("Reports", { exact: true }).hover();
      await page.mouse.up();
      await toast("“beta” moved to Reports.");
      await link("beta").waitFor({ state: "detached" });
      await page.getByRole("navigation", { name: "Breadcrumbs" }).getByText("Reports").click();
      await link("beta").waitFor();
      expect(at.window.faults).toEqual([]);
    },
    limit_ms,
  );

  const failed: [reason: string, content: string | Uint8Array<ArrayBuffer>, retries: number][] = [
    ["of a type that can't be read", Bun.gzipSync("Fog."), 0],
    ["without text", " ", 1],
  ];
  test.each(failed)(
    "offers to retry what may succeed: a document %s",
    async (reason, content, retries) => {
      const { id } = await at.api("POST", "/folders", { name: reason });
      const form = new FormData();
      form.append("file", new Blob([content]), "failed");
      const document = await at.api("POST", `/documents/file?folder_id=${id}`, form);
      for (const path of [`/folders/${id}`, `/documents/${document.id}`]) {
        await at.open(path);
        await page
          .locator(".bad-text, .note")
          .getByText(/can.t be read|no text|blank/)
          .first()
          .waitFor();
        expect(await page.getByRole("button", { name: "Retry" }).count()).toBe(retries);
      }
    },
    limit_ms,
  );

  test(
    "selects all documents across pages to download as ZIP and move, failed ones included",
    async () => {
      const { id } = await at.api("POST", "/folders", { name: "Many" });
      const to = await at.api("POST", "/folders", { name: "Elsewhere" });
      await Promise.all(
        Array.from({ length: many }, (_, number) =>
          at.api("POST", "/documents", { folder_id: id, name: `Note ${number}`, content: "Fog." }),
        ),
      );
      const upload = async (folder: string) => {
        const form = new FormData();
        form.append("file", new Blob(["Fog."]), "taken.txt");
        await at.api("POST", `/documents/file?folder_id=${folder}`, form);
      };
      await upload(id);
      await upload(to.id);
      await at.open(`/folders/${id}`);
      await page.getByLabel("Select all rows").check();
      await page.getByRole("button", { name: `Select all ${many + 1}` }).click();
      await page.getByText(`All ${many + 1} selected`).waitFor();
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("link", { name: "Download as ZIP" }).click(),
      ]);
      const zip = await Bun.file((await download.path())!).bytes();
      expect(unpacked(zip).size).toBe(many + 1);
      await page.getByRole("button", { name: "Move or add to folder" }).click();
      await page
        .getByRole("dialog")
        .getByLabel("Folder", { exact: true })
        .selectOption("Elsewhere");
      await page.getByRole("dialog").getByRole("button", { name: "Move" }).click();
      const panel = page.getByRole("region", { name: "Moving documents to Elsewhere" });
      await panel.getByText(`${many} done, 1 failed`).waitFor();
      await panel.getByRole("link", { name: "taken.txt" }).waitFor();
      await panel.getByText("already has this name").waitFor();
      await page.getByRole("row").nth(1).waitFor();
      await rows(["taken.txt"]);
      await expectWell(at.window, { within: "main" });
    },
    limit_ms,
  );
});
