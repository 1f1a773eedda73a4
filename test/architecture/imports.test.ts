/** The import rule: this tree follows it, and it catches the violations it is meant for. */
import { describe, expect, test } from "bun:test";
import {
  circles,
  heavyWorkers,
  imports,
  importsOf,
  problem,
  tooEarly,
  type Import,
  type WrittenImport,
} from "../../scripts/check-imports";

test("no file in the project breaks the import rule", async () => {
  const edges = await imports();
  expect(edges.length).toBeGreaterThan(100);
  expect(
    edges.map((edge) => ({ ...edge, why: problem(edge) })).filter(({ why }) => why !== null),
  ).toEqual([]);
});

test("no files import each other in a circle, types included", async () => {
  expect(circles(await imports())).toEqual([]);
});

test("startup loads no module that is needed later or never", async () => {
  expect(tooEarly(await imports())).toEqual([]);
});

test("early loads at startup are found through other files, but not behind lazy imports", () => {
  const edges: Import[] = [
    { from: "core/main.ts", to: "core/a.ts" },
    { from: "core/a.ts", to: "core/b.ts", lazy: true },
    { from: "core/a.ts", to: "core/c.ts", type_only: true },
    ...["core/a.ts", "core/b.ts", "core/c.ts"].map((from) => ({ from, to: "node:http" })),
  ];
  expect(tooEarly(edges)).toEqual([{ from: "core/a.ts", to: "node:http" }]);
});

test("no plugin worker loads the whole server", async () => {
  expect(heavyWorkers(await imports())).toEqual([]);
});

test("a worker's loads are found through files and lazy imports, not through type imports", () => {
  const [worker, contract] = ["plugins/a/b-worker.ts", "plugins/c/contract.ts"];
  const edges: Import[] = [
    { from: worker, to: "plugins/a/reader.ts", lazy: true },
    { from: "plugins/a/reader.ts", to: contract },
    { from: contract, to: "core/sdk.ts" },
    { from: "plugins/a/types-worker.ts", to: contract, type_only: true },
    { from: "plugins/a/plugin.ts", to: contract },
  ];
  expect(heavyWorkers(edges)).toEqual([{ from: worker, to: contract }]);
});

describe("refused", () => {
  const cases: [reason: string, edge: Import, mentions: string][] = [
    [
      "a store that imports jobs",
      { from: "core/store/store.ts", to: "core/jobs/queue.ts" },
      "core/store is below core/jobs",
    ],
    [
      "a base that reads the store",
      { from: "core/base/log.ts", to: "core/store/store.ts" },
      "below",
    ],
    [
      "HTTP that imports the host",
      { from: "core/http/gateway.ts", to: "core/plugin/host.ts" },
      "below",
    ],
    [
      "the host that imports the command line",
      { from: "core/plugin/host.ts", to: "core/cli/args.ts" },
      "below",
    ],
    [
      "jobs that import the child processes beside them",
      { from: "core/jobs/queue.ts", to: "core/isolate/pool.ts" },
      "on the same layer",
    ],
    [
      "a layer that imports the whole contract instead of its own",
      { from: "core/jobs/queue.ts", to: "core/plugin/contract.ts", type_only: true },
      "core/jobs is below core/plugin",
    ],
    [
      "a library that imports the server",
      { from: "core/lib/limiter.ts", to: "core/base/log.ts" },
      "core/lib is below core/base",
    ],
    [
      "a folder of core without a layer",
      { from: "core/extras/x.ts", to: "core/base/log.ts" },
      "is missing from the layers",
    ],
    [
      "core that imports a feature",
      { from: "core/http/gateway.ts", to: "plugins/accounts/contract.ts" },
      "core imports no plugin",
    ],
    [
      "core that imports the plugins' sdk",
      { from: "core/store/store.ts", to: "core/sdk.ts" },
      "for plugins",
    ],
    [
      "a plugin that reaches around the sdk",
      { from: "plugins/folders/service.ts", to: "core/store/store.ts" },
      "only through core/sdk.ts",
    ],
    [
      "… even for a type",
      { from: "plugins/folders/service.ts", to: "core/store/store.ts", type_only: true },
      "only through core/sdk.ts",
    ],
    [
      "a plugin that reads another one's tables",
      { from: "plugins/chats/service.ts", to: "plugins/folders/store.ts" },
      "only through its contract.ts",
    ],
    [
      "a contract file below a folder is not the contract",
      { from: "plugins/chats/service.ts", to: "plugins/folders/old/contract.ts" },
      "only through its contract.ts",
    ],
    [
      "core on a module meant for plugin workers",
      { from: "core/store/store.ts", to: "core/worker-sdk.ts" },
      "is for plugins",
    ],
    [
      "a contract for workers with behaviour",
      { from: "plugins/texts/worker-contract.ts", to: "plugins/texts/store.ts" },
      "a contract imports only contracts",
    ],
    [
      "a contract with behaviour",
      { from: "plugins/folders/contract.ts", to: "plugins/folders/store.ts" },
      "a contract imports only contracts",
    ],
    [
      "a store that imports its service",
      { from: "plugins/folders/store.ts", to: "plugins/folders/service.ts" },
      "never back",
    ],
    [
      "a service that imports its routes",
      { from: "plugins/folders/service.ts", to: "plugins/folders/routes.ts" },
      "never back",
    ],
    [
      "routes that write SQL",
      { from: "plugins/folders/routes.ts", to: "plugins/folders/store.ts" },
      "not the store",
    ],
    [
      "a job that imports the plugin around it",
      { from: "plugins/documents/indexing/indexer.ts", to: "plugins/documents/plugin.ts" },
      "connects the others",
    ],
    [
      "a contract between pages and plugins with behaviour",
      { from: "plugins/console/page-contract.ts", to: "plugins/console/contract.ts" },
      "imports nothing",
    ],
    [
      "a page on a value of a contract",
      { from: "plugins/console/web/plugin/host.ts", to: "plugins/console/page-contract.ts" },
      "its own web folder",
    ],
    [
      "the list of contracts naming more than contracts",
      { from: "plugins/contracts.ts", to: "plugins/folders/service.ts" },
      "contract.ts",
    ],
    [
      "a page in the browser that imports its server",
      { from: "plugins/console/web/app/app.tsx", to: "plugins/console/routes.ts" },
      "its own web folder",
    ],
    [
      "… or the sdk",
      { from: "plugins/console/web/app/app.tsx", to: "core/sdk.ts" },
      "its own web folder",
    ],
    [
      "a server that imports a page",
      { from: "plugins/console/plugin.ts", to: "plugins/console/web/api/types.ts" },
      "built, not imported",
    ],
    [
      "the product that imports a test",
      { from: "plugins/folders/service.ts", to: "test/helpers/executable.ts" },
      "only tests",
    ],
    [
      "the product that imports a script",
      { from: "core/main.ts", to: "scripts/build.ts" },
      "only scripts and tests",
    ],
    [
      "an example that reaches into the checkout",
      { from: "examples/activity/plugin.ts", to: "core/sdk.ts" },
      "an example imports only",
    ],
    [
      "an example that imports an undeclared package",
      { from: "examples/opentelemetry/plugin.ts", to: "kysely" },
      "an example imports only",
    ],
    [
      "an example that needs a package",
      { from: "examples/activity/plugin.ts", to: "kysely" },
      "an example imports only",
    ],
  ];
  for (const [reason, edge, mentions] of cases)
    test(reason, () => expect(problem(edge)).toContain(mentions));
});

describe("allowed", () => {
  const cases: [reason: string, edge: Import][] = [
    ["a layer on the one below", { from: "core/jobs/queue.ts", to: "core/store/store.ts" }],
    ["a layer on itself", { from: "core/store/store.ts", to: "core/store/sqlite-store.ts" }],
    ["any layer on a library", { from: "core/base/log.ts", to: "core/lib/limiter.ts" }],
    ["a plugin on a library", { from: "plugins/imports/pages.ts", to: "core/lib/xml.ts" }],
    ["main on the plugins", { from: "core/main.ts", to: "plugins/built-in.ts" }],
    ["the sdk on everything it hands out", { from: "core/sdk.ts", to: "core/plugin/contract.ts" }],
    [
      "the host on the sdk that it gives to plugin files",
      { from: "core/plugin/loader.ts", to: "core/sdk.ts" },
    ],
    ["a plugin on the sdk", { from: "plugins/folders/service.ts", to: "core/sdk.ts" }],
    [
      "a worker on its part of the sdk",
      { from: "plugins/search-index/segments/open-reader.ts", to: "core/worker-sdk.ts" },
    ],
    [
      "a worker on another plugin's module for workers",
      {
        from: "plugins/search-index/chunks/text-source.ts",
        to: "plugins/texts/worker-contract.ts",
      },
    ],
    [
      "a plugin on another one's contract",
      { from: "plugins/chats/service.ts", to: "plugins/folders/contract.ts" },
    ],
    [
      "routes on the type of a row, to map it",
      { from: "plugins/folders/routes.ts", to: "plugins/folders/store.ts", type_only: true },
    ],
    [
      "a service on its store",
      { from: "plugins/folders/service.ts", to: "plugins/folders/store.ts" },
    ],
    [
      "the list of plugins on plugins",
      { from: "plugins/built-in.ts", to: "plugins/folders/plugin.ts" },
    ],
    [
      "a page on its own files",
      { from: "plugins/console/web/app/app.tsx", to: "plugins/console/web/ui/button.tsx" },
    ],
    [
      "an example on a package that it declares",
      { from: "examples/opentelemetry/plugin.ts", to: "@opentelemetry/api" },
    ],
    ["an example on the package", { from: "examples/activity/plugin.ts", to: "dossier/contracts" }],
    ["a test on anything", { from: "test/folders.test.ts", to: "plugins/folders/store.ts" }],
  ];
  for (const [reason, edge] of cases) test(reason, () => expect(problem(edge)).toBeNull());
});

describe("imports are found", () => {
  const cases: [
    reason: string,
    text: string,
    found: (Omit<WrittenImport, "lazy"> & Partial<WrittenImport>)[],
  ][] = [
    ["plain", `import { a } from "./a";`, [{ path: "./a", type_only: false }]],
    [
      "over several lines",
      `import {\n  a,\n  type B,\n} from "./a";`,
      [{ path: "./a", type_only: false }],
    ],
    ["type-only", `import type { A } from "./a";`, [{ path: "./a", type_only: true }]],
    [
      "handed on",
      `export * from "./a";\nexport type { B } from './b';`,
      [
        { path: "./a", type_only: false },
        { path: "./b", type_only: true },
      ],
    ],
    ["for side effects", `import "./a";`, [{ path: "./a", type_only: false }]],
    [
      "at run time",
      `const a = await import("./a");`,
      [{ path: "./a", type_only: false, lazy: true }],
    ],
    [
      "as a file",
      `import wasm from "pdfium/pdfium.wasm" with { type: "file" };`,
      [{ path: "pdfium/pdfium.wasm", type_only: false }],
    ],
    [
      "as a worker",
      `new Worker(new URL("./search-worker.ts", import.meta.url))`,
      [{ path: "./search-worker.ts", type_only: false, lazy: true }],
    ],
    ["not in a comment", `/** import { a } from "./a"; */\n// import "./b";\n`, []],
    ["not in a query builder", `const q = db.selectFrom("folders");`, []],
  ];
  for (const [reason, text, found] of cases)
    test(reason, () =>
      expect(importsOf(text)).toEqual(found.map((expected) => ({ lazy: false, ...expected }))),
    );
});

describe("an import cycle", () => {
  const edge = (from: string, to: string, type_only = false): Import => ({ from, to, type_only });
  const cases: [reason: string, edges: Import[], found: string[][]][] = [
    ["none in a tree", [edge("a", "b"), edge("a", "c"), edge("b", "c")], []],
    ["of two files", [edge("a", "b"), edge("b", "a")], [["a", "b", "a"]]],
    ["of a file with itself", [edge("a", "a")], [["a", "a"]]],
    ["of type imports alone", [edge("a", "b"), edge("b", "a", true)], [["a", "b", "a"]]],
    [
      "by its shortest path",
      [edge("a", "b"), edge("b", "c"), edge("c", "a"), edge("b", "a")],
      [["a", "b", "a"]],
    ],
    [
      "seen from a file outside it",
      [edge("main", "a"), edge("a", "b"), edge("b", "a")],
      [["a", "b", "a"]],
    ],
    [
      "once, however many files it ties together",
      [
        edge("a", "b"),
        edge("b", "c"),
        edge("c", "a"),
        edge("c", "b"),
        edge("x", "y"),
        edge("y", "x"),
      ],
      [
        ["a", "b", "c", "a"],
        ["x", "y", "x"],
      ],
    ],
  ];
  for (const [reason, edges, found] of cases)
    test(reason, () => expect(circles(edges)).toEqual(found));
});
