/** Links of the documentation to files of the project lead to existing files. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { Glob } from "bun";
import * as sdk from "../../core/sdk";
import * as contracts from "../../plugins/contracts";

const root = resolve(import.meta.dir, "../..");
const pages = ["*.md", "docs/*.md", "examples/*.md"].flatMap((pattern) => [
  ...new Glob(pattern).scanSync({ cwd: root }),
]);

test.each(pages)("every link of %s has an existing target", async (page) => {
  const text = await Bun.file(join(root, page)).text();
  const links = [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, link]) => link!);
  const broken = links
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => !existsSync(join(root, dirname(page), link)));
  expect(broken).toEqual([]);
});

test("there are pages to check", () => {
  expect(pages).toContain("docs/architecture.md");
});

describe("docs/plugins.md", () => {
  const guide = readFileSync(join(root, "docs/plugins.md"), "utf8");
  /** What a plugin may fill or listen to. */
  const refs = Object.entries({ ...sdk, ...contracts }).filter(([, value]) =>
    ["slot", "event"].includes((value as { kind?: string } | undefined)?.kind ?? ""),
  );
  test("names every slot and event that plugins may import", () => {
    expect(refs.length).toBeGreaterThan(30);
    expect(refs.map(([name]) => name).filter((name) => !guide.includes(`\`${name}\``))).toEqual([]);
  });
  test("names no slot or event that doesn't exist", () => {
    const rows = guide.split("\n").filter((line) => /^\| `[A-Z]/.test(line));
    const named = rows.flatMap((row) =>
      [...row.matchAll(/`([A-Z]\w+)`/g)].map(([, name]) => name!),
    );
    const known = new Set(refs.map(([name]) => name));
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });
});
