/** A folder is exported as a file by its menu, and imported on the page of folders. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { chromium_path, why_skipped } from "../helpers/chromium";
import { limit_ms, startConsole, type Console } from "../helpers/console";
import { temporaryDirectory } from "../helpers/data-directory";

let at: Console;
let page: Page;
beforeAll(async () => {
  if (!chromium_path) return console.log(why_skipped);
  at = await startConsole();
  ({ page } = at);
}, 300_000);
afterAll(() => at?.[Symbol.asyncDispose]());

const scratch = temporaryDirectory();
const choose = async (file: string) => {
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Import" }).click();
  await (await chooser).setFiles(file);
};

describe.skipIf(!chromium_path)("a folder", () => {
  test(
    "is exported by its menu, and imported with its progress and result shown",
    async () => {
      const { id } = await at.api("POST", "/folders", { name: "Cairns" });
      for (const name of ["First", "Second"])
        await at.api("POST", "/documents", { folder_id: id, name, content: `Left at ${name}.` });
      await at.open("/folders");
      await page.getByRole("row", { name: "Cairns" }).getByText("Ready").waitFor();
      const download = page.waitForEvent("download");
      await page.getByRole("button", { name: "Actions for Cairns" }).click();
      await page.getByRole("menuitem", { name: "Export as a file" }).click();
      const file = join(scratch, (await download).suggestedFilename());
      await (await download).saveAs(file);
      expect(file).toEndWith("Cairns.zip");

      await choose(file);
      const imports = page.getByRole("region", { name: "Imported folders" });
      await imports.getByText("2 documents imported.").waitFor();
      await page.getByRole("row", { name: "Cairns (2)" }).getByText("Ready").waitFor();
      await imports.getByRole("link", { name: "Open" }).click();
      await page.getByRole("heading", { level: 1, name: "Cairns (2)" }).waitFor();
      await page.getByRole("row", { name: "Second" }).waitFor();
    },
    limit_ms,
  );

  test(
    "that is not an archive is refused with a reason that can be dismissed",
    async () => {
      const file = join(scratch, "letter.zip");
      await Bun.write(file, "no archive");
      await at.open("/folders");
      await choose(file);
      await page.getByRole("alert").getByText("not a ZIP file").waitFor();
      await page.getByRole("button", { name: "Remove letter.zip from the list" }).click();
      await page.getByText("not a ZIP file").waitFor({ state: "hidden" });
    },
    limit_ms,
  );
});
