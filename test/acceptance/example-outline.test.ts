/**
 * The plugin of examples/outline, added to the built executable: what its panel shows for a
 * document.
 */
import { expect, test } from "bun:test";
import { join, resolve } from "node:path";
import { openBrowser } from "../helpers/browser";
import { temporaryDirectory } from "../helpers/data-directory";
import { startExecutable } from "../helpers/executable";

const source = resolve(import.meta.dir, "../../examples/outline/plugin.ts");
const password = "correct horse battery staple";
const content = "# Hut book\n\nThe hut is open 😀 in winter.\n\n2.1 The roof\n\nIt leaks.\n";

/** The console's components, reduced to plain values. */
const ui = {
  text: (text: string) => text,
  button: ({ label, onPress }: { label: string; onPress: () => void }) => ({ label, onPress }),
  stack: (...parts: unknown[]) => parts.filter(Boolean),
};

test("the panel shows a document's reading time and links to its headings", async () => {
  await using dossier = await startExecutable({
    env: { DOSSIER_ADMIN_EMAIL: "ada@example.com", DOSSIER_ADMIN_PASSWORD: password },
  });
  await dossier.mustCli(["plugin", "add", source]);
  await dossier.restart();
  const browser = openBrowser(fetch, dossier.url());
  await browser.send("POST", "/session", { email: "ada@example.com", password });
  const { body: panels } = await browser.send("GET", "/panels");
  expect(panels).toEqual([
    {
      plugin: "outline",
      id: "outline",
      where: "document",
      title: "Outline",
      module: "/console/modules/panels/outline/outline.js",
    },
  ]);
  const { body: folder } = await browser.send("POST", "/folders", { name: "Huts" });
  const { body: document } = await browser.send("POST", "/documents", {
    folder_id: folder.id,
    name: "Hut book",
    content,
  });
  const file = join(temporaryDirectory(), "outline.mjs");
  await Bun.write(file, await fetch(`${dossier.url()}${panels[0].module}`));
  const { default: module } = await import(file);
  const went: string[] = [];
  let shown: any[] = [];
  await module.mount(
    { replaceChildren: (...parts: unknown[]) => (shown = parts) },
    {
      ui,
      record: () => document,
      onRecord: () => undefined,
      navigate: (path: string) => went.push(path),
      call: async (path: string) => (await browser.send("GET", path)).body,
    },
  );
  const [time, links] = shown;
  expect(time).toBe("1 minute to read, 15 words");
  expect(links.map(({ label }: any) => label)).toEqual(["Hut book", "2.1 The roof"]);
  links[1].onPress();
  const [, start, end] = /start=(\d+)&end=(\d+)/.exec(went[0]!)!;
  expect([...content].slice(Number(start), Number(end)).join("")).toBe("2.1 The roof");
}, 120_000);
