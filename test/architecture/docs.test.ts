/** The documentation names files of the project: each link leads to something that is there. */
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { Glob } from "bun";

const root = resolve(import.meta.dir, "../..");
const pages = ["*.md", "docs/*.md", "examples/*.md"].flatMap((pattern) => [
  ...new Glob(pattern).scanSync({ cwd: root }),
]);

test.each(pages)("every link of %s leads somewhere", async (page) => {
  const text = await Bun.file(join(root, page)).text();
  const links = [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, link]) => link!);
  const broken = links
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => !existsSync(join(root, dirname(page), link)));
  expect(broken).toEqual([]);
});

test("there are pages to look at", () => {
  expect(pages).toContain("docs/architecture.md");
});
