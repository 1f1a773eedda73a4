/**
 * The document reader in a browser: text rendered, marked and searched to its end, its outline; the
 * pages of a PDF searched, rotated and browsed.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { chromium_path, why_skipped } from "../helpers/chromium";
import { expectWell, fileForm, handbook, startConsole, type Console } from "../helpers/console";
import { buildPdf } from "../helpers/pdf";

const words = "Words of a paragraph that fill the page until there are enough of them. ".repeat(12);
const harbour = [
  "# Harbour rules",
  "Some *emphasis*, and <script>alert(1)</script> that stays text.",
  "## Fees",
  "| Quarter | North | South | What was special about it, in a few words |\n|---|---:|---:|---|",
  "| Q1 | 1,250.50 | | Ice<br>and fog |\n| Q2 | 40 | 80 | |\n| Q3 | 77 | 95 | South did best |",
  "## Long part",
  ...Array.from({ length: 400 }, (_, n) => `${words}Paragraph ${n}.`),
  "## Last words",
  "A lighthouse at the very end.",
];
const text = harbour.join("\n\n").replace("|---|\n\n|", "|---|\n|");
/** Its headings are in larger type, and it has no bookmarks. */
const survey = buildPdf(
  ["Harbour survey", "Tide gauge", "Closing remarks"].map((title) => ({
    lines: [
      { x: 60, y: 780, size: 20, text: title },
      ...Array.from({ length: 20 }, (_, row) => ({
        x: 60,
        y: 740 - 16 * row,
        text: `Row ${row} of what the surveyors wrote about the quay under this title.`,
      })),
    ],
  })),
);
let at: Console;
let page: Page;
const ids = { harbour: "", handbook: "", survey: "" };

beforeAll(async () => {
  if (!chromium_path) return console.log(why_skipped);
  at = await startConsole();
  ({ page } = at);
  const folder = (await at.api("POST", "/folders", { name: "Harbour" })).id;
  const upload = async (form: FormData): Promise<string> =>
    (await at.api("POST", `/documents/file?folder_id=${folder}`, form)).id;
  ids.harbour = await upload(fileForm("Harbour.md", text, "text/markdown"));
  ids.handbook = await upload(fileForm("handbook.pdf", handbook));
  ids.survey = await upload(fileForm("survey.pdf", survey));
  await at.settled(folder);
}, 180_000);
afterAll(() => at?.[Symbol.asyncDispose]());

const tool = (name: string) => page.getByRole("toolbar").getByRole("button", { name });
const count = (of: string) => page.getByRole("search").getByText(of, { exact: true }).waitFor();
/** Whether the middle of the element is visible in its scroll container. */
const inView = (selector: string): Promise<boolean> =>
  page
    .locator(selector)
    .first()
    .evaluate((element) => {
      const { top, height } = element.getBoundingClientRect();
      const box = element.closest("[role=region]")?.getBoundingClientRect();
      // A page that was redrawn since has a new element in its place.
      if (!box) return false;
      return top + height / 2 > box.top && top + height / 2 < box.bottom;
    });

describe.skipIf(!chromium_path)("a text", () => {
  test("is rendered, with the quote marked in its table, and markup in it stays text", async () => {
    const row = text.indexOf("| Q3");
    const end = text.indexOf("\n", row);
    await at.open(`/documents/${ids.harbour}?start=${row}&end=${end}`);
    await page.locator(".text-view mark").first().waitFor();
    expect(await page.locator(".text-view mark").allInnerTexts()).toEqual([
      "Q3",
      "77",
      "95",
      "South did best",
    ]);
    expect(await page.locator(".text-view em").innerText()).toBe("emphasis");
    expect(await page.locator(".text-view td br").count()).toBe(1);
    expect(await page.locator("main script").count()).toBe(0);
    await at.dossier.untilTrue(() => inView(".text-view mark"));
  }, 60_000);

  test("is searched with Ctrl+F to its end, also where not drawn yet", async () => {
    expect(await page.getByText("A lighthouse").count()).toBe(0);
    await page.keyboard.press("Control+f");
    await page.keyboard.type("PARAGRAPH 39");
    await count("1 of 11");
    await page.keyboard.press("Shift+Enter");
    await count("11 of 11");
    await at.dossier.untilTrue(() => inView(".find-current"));
    await page.locator(".find-current", { hasText: /^Paragraph 39$/ }).waitFor();
    await page.getByRole("textbox", { name: "Find in this document" }).fill("zyzzyva");
    await count("No matches");
    await expectWell(at.window, { within: ".document-view" });
    await page.keyboard.press("Escape");
    await page.locator(".find-box").waitFor({ state: "detached" });
  }, 60_000);

  test("is navigated by its outline", async () => {
    await at.window.setAppearance({});
    await tool("Outline").click();
    await expectWell(at.window, { within: ".document-view" });
    await at.window.setAppearance({});
    await page.getByRole("button", { name: "Last words" }).click();
    await page.getByText("A lighthouse").waitFor();
    await at.dossier.untilTrue(() => inView(".reader-target"));
  }, 60_000);
});

describe.skipIf(!chromium_path)("the pages of a PDF", () => {
  test("are searched, also where not drawn yet", async () => {
    await at.open(`/documents/${ids.handbook}`);
    await page.locator(".pdf-sheet canvas").first().waitFor();
    await page.keyboard.press("Control+f");
    await page.keyboard.type("ceramic filter");
    await page.keyboard.press("Enter");
    await page.locator(".pdf-text .find-current").first().waitFor();
    await at.dossier.untilTrue(() => inView(".pdf-text .find-current"));
    expect(
      (await page.locator(".pdf-text .find-current").allInnerTexts()).join("").toLowerCase(),
    ).toBe("ceramic filter");
    await page.getByRole("button", { name: "Close search" }).click();
  }, 60_000);

  test("are rotated together with their text", async () => {
    const shape = () =>
      page.locator('.pdf-sheet[data-page="1"]').evaluate((sheet) => {
        const { width, height } = sheet.getBoundingClientRect();
        return width > height ? "wide" : "high";
      });
    expect(await shape()).toBe("high");
    await tool("Rotate").click();
    await at.dossier.untilTrue(async () => (await shape()) === "wide");
    await page.locator(".pdf-text[data-main-rotation='90'] span").first().waitFor();
    const [layer, sheet] = await Promise.all(
      [".pdf-text[data-main-rotation='90']", ".pdf-sheet:has(.pdf-text)"].map((selector) =>
        page.locator(selector).first().boundingBox(),
      ),
    );
    for (const side of ["x", "y", "width", "height"] as const)
      expect(Math.abs(layer![side] - sheet![side])).toBeLessThan(3);
  }, 60_000);

  test("are navigated by thumbnails and the file's outline", async () => {
    await at.window.setAppearance({});
    await tool("Thumbnails and outline").click();
    await page.getByRole("button", { name: "Go to page 5" }).click();
    await at.dossier.untilTrue(
      async () => (await page.getByRole("textbox", { name: /^Page, 1 to/ }).inputValue()) === "5",
    );
    await expectWell(at.window, { within: ".document-view" });
    await at.window.setAppearance({});
    await page.getByRole("button", { name: "Outline", exact: true }).click();
    await page.locator(".heading-link").nth(1).click();
    await page.locator(".heading-link[aria-current=true]").waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".reader-side").waitFor({ state: "detached" });
  }, 60_000);

  test("have an outline of the headings in the text where the file has no bookmarks", async () => {
    const { content } = await at.api("GET", `/documents/${ids.survey}`);
    const start = content.indexOf("Closing remarks");
    // The target of a link without a page is found, too.
    await at.open(`/documents/${ids.survey}?start=${start}&end=${start + 15}`);
    await page.locator('.pdf-sheet[data-page="3"] mark').first().waitFor();
    await tool("Thumbnails and outline").click();
    await page.getByRole("button", { name: "Outline", exact: true }).click();
    await page.getByRole("button", { name: "Tide gauge" }).click();
    await at.dossier.untilTrue(
      async () => (await page.getByRole("textbox", { name: /^Page, 1 to/ }).inputValue()) === "2",
    );
  }, 60_000);

  test("cited by answers are readable on a phone, and lead to the citations", async () => {
    await at.window.setAppearance({ width: 390, height: 844 });
    const { id } = await at.api("POST", "/chats", { all_folders: true });
    const question = { text: "How many people may sleep in the hut, and what does a night cost?" };
    const { requestId } = await at.api("POST", `/chats/${id}/messages`, question);
    await at.dossier.until(
      `/chats/${id}/messages/${requestId}`,
      ({ body }) => body.status === "COMPLETED",
      { key: at.key },
    );
    await at.open(`/chats/${id}`);
    await page.locator(".cite").first().click();
    // In the text, whose lines are as wide as the screen.
    await page.locator(".source-panel .text-view mark").first().waitFor();
    await at.dossier.untilTrue(() => inView(".text-view mark"));
    await page.getByRole("link", { name: "Open the document" }).click();
    await page.getByText("Citation 1 of 2").waitFor();
    await page.getByRole("button", { name: "Next citation" }).click();
    await page.getByText("Citation 2 of 2").waitFor();
    await at.dossier.untilTrue(() => inView(".text-view mark"));
    await expectWell(at.window, { within: ".document-view" });
    await at.window.setAppearance({});
    await page.goBack();
    await page.locator(".answer").first().waitFor();
    expect(at.window.faults).toEqual([]);
  }, 60_000);
});
