/**
 * Runs every command and code block of the documentation in a shell, in order, against the built
 * executable. test/helpers/page-blocks.ts explains the comments before blocks.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Glob } from "bun";
import { buildIfStale } from "../../scripts/build";
import { mustRunPluginCommand } from "../helpers/workbench";
import { temporaryDirectory } from "../helpers/data-directory";
import { readPage, type Page, type Reading } from "../helpers/pages";

const limit_ms = 180_000;
const root = resolve(import.meta.dir, "../..");

/** For a page whose examples connect to this machine. */
const local = {
  DOSSIER_IMPORTS_ALLOW_NETWORKS: "127.0.0.0/8",
  DOSSIER_WEBHOOKS_ALLOW_NETWORKS: "127.0.0.0/8",
};
/** For a page whose results don't need vectors. */
const by_words = { DOSSIER_EMBEDDINGS_PROVIDER: "none" };
const pages: readonly Page[] = [
  { path: "README.md", after: "nothing" },
  { path: "docs/start.md", after: "nothing" },
  { path: "docs/api.md", after: "server", env: local, server_env: by_words },
  { path: "docs/agents.md", after: "server", stages: ["python"], server_env: by_words },
  { path: "docs/events.md", after: "server", server_env: by_words },
  {
    path: "docs/clients.md",
    after: "server",
    env: local,
    server_env: by_words,
    elsewhere: {
      words: ["npx", "python", "openapi-python-client", "go", "oapi-codegen"],
      why: "test/acceptance/clients.test.ts types it",
    },
    installs: true,
  },
  { path: "docs/models.md", after: "server" },
  { path: "docs/configuration.md", after: "server" },
  {
    path: "docs/operations.md",
    after: "server",
    stages: ["root", "socket", "prometheus", "failed jobs", "earlier version", "plugin site"],
  },
  { path: "docs/scale.md", after: "nothing", stages: ["postgres"] },
  { path: "docs/plugins.md", after: "server", server_env: by_words, installs: true },
  { path: "examples/README.md", after: "server", server_env: by_words },
  { path: "docs/architecture.md", after: "nothing" },
];
/** Pages without code blocks. */
const words_alone = [
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "docs/README.md",
  "docs/console.md",
];

const readings: Reading[] = [];
beforeAll(buildIfStale, limit_ms);

const reads = Bun.which("curl") && Bun.which("bash");
if (!reads) console.log("The documentation is not tried: that needs bash and curl.");

for (const page of pages)
  test.skipIf(!reads)(
    `${page.path}: every block works`,
    async () => {
      const reading = await readPage(page);
      const { ran, missing, to_compile } = reading;
      expect(ran + missing.length + to_compile.length).toBeGreaterThan(0);
      readings.push(reading);
    },
    limit_ms,
  );

test(
  "TypeScript examples that are not run type-check",
  async () => {
    const home = temporaryDirectory();
    try {
      await mustRunPluginCommand(home, "new", "shown", "--kind", "page");
      const project = join(home, "shown");
      rmSync(join(project, "plugin.test.ts"));
      for (const { name, text } of readings.flatMap(({ to_compile }) => to_compile))
        writeFileSync(join(project, `${name}${text.includes("bun:test") ? ".test" : ""}.ts`), text);
      await mustRunPluginCommand(project, "check");
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
  limit_ms,
);

test("every page of the project is tested", async () => {
  const all = ["*.md", "docs/*.md", "examples/*.md"].flatMap((pattern) => [
    ...new Glob(pattern).scanSync({ cwd: root }),
  ]);
  const tried = [...pages.map(({ path }) => path), ...words_alone];
  expect(all.filter((path) => !tried.includes(path)).toSorted()).toEqual([]);
  for (const path of words_alone)
    expect([path, (await Bun.file(join(root, path)).text()).includes("```")]).toEqual([
      path,
      false,
    ]);
});

afterAll(() => {
  const missing = readings.flatMap((reading) => reading.missing);
  if (missing.length > 0) console.log(`Left out here:\n  ${missing.join("\n  ")}`);
});
