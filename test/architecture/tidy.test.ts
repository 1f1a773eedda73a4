/** The rules of scripts/tidy.ts: hold in this tree, and catch what they are for. */
import { describe, expect, test } from "bun:test";
import { deadFiles, problemsOf, problemsOfPackages, tidy } from "../../scripts/tidy";

test("the project is tidy", async () => expect(await tidy()).toEqual([]), 60_000);

const purpose = "/** What this file is for, in a line. */\n";
const lines = (count: number) => "  work();\n".repeat(count);

describe("refused", () => {
  const cases: [reason: string, path: string, text: string, mentions: string][] = [
    [
      "a file that does not say what it is for",
      "core/base/a.ts",
      "export const a = 1;\n",
      "first line",
    ],
    [
      "a purpose of one word",
      "core/base/a.ts",
      "/** Utilities. */\nexport const a = 1;\n",
      "first line",
    ],
    ["no line break at the end", "core/base/a.ts", `${purpose}export const a = 1;`, "line break"],
    ["a tab", "core/base/a.ts", `${purpose}\texport const a = 1;\n`, "tab"],
    [
      "a very long line",
      "core/base/a.ts",
      `${purpose}export const a = "${"x".repeat(300)}";\n`,
      "characters in a line",
    ],
    ["a file for two sittings", "core/base/a.ts", purpose + lines(401), "402 lines"],
    [
      "a function for two screens",
      "core/base/a.ts",
      `${purpose}function a() {\n${lines(70)}}\n`,
      "a function of 72 lines",
    ],
    [
      "… as an arrow",
      "core/base/a.ts",
      `${purpose}const a = () => {\n${lines(70)}};\n`,
      "a function of 72 lines",
    ],
    [
      "a factory of many small functions",
      "core/base/a.ts",
      `${purpose}const all = () => ({\n${`  one() {\n${lines(8)}  },\n`.repeat(9)}});\n`,
      "a function of 92 lines",
    ],
    [
      "a note to do it later",
      "plugins/a/service.ts",
      `${purpose}// TODO: the other half\n`,
      "`TODO`",
    ],
    [
      "a loop that every start runs",
      "plugins/a/tables.ts",
      `${purpose}for (const row of rows) table.set(row.id, row);\n`,
      "put it into a function",
    ],
    [
      "printing from the product",
      "plugins/a/service.ts",
      `${purpose}console.log("here");\n`,
      "ctx.log",
    ],
    [
      "a test that switches the others off",
      "test/a.test.ts",
      `${purpose}test.only("a", () => {});\n`,
      "switches every other test off",
    ],
    [
      "errors hidden from the compiler",
      "core/store/a.ts",
      `${purpose}// @ts-ignore\n`,
      "hides errors",
    ],
    [
      "a clock of one's own",
      "plugins/a/service.ts",
      `${purpose}const at = Date.now();\n`,
      "ctx.now_ms",
    ],
    [
      "the same in other words",
      "core/jobs/a.ts",
      `${purpose}const at = new Date();\n`,
      "ctx.now_ms",
    ],
    [
      "settings past the configuration",
      "plugins/a/service.ts",
      `${purpose}const url = process.env.URL;\n`,
      "ctx.config",
    ],
    [
      "chance past the context",
      "plugins/a/service.ts",
      `${purpose}const id = crypto.randomUUID();\n`,
      "ctx.newId",
    ],
    [
      "an upsert of SQLite",
      "plugins/a/store.ts",
      `${purpose}sql\`insert or ignore into a values (1)\`;\n`,
      "onConflict",
    ],
    [
      "a key made by the database",
      "plugins/a/migrations.ts",
      `${purpose}c.autoIncrement();\n`,
      "made in code",
    ],
    [
      "the row number of SQLite",
      "plugins/a/store.ts",
      `${purpose}sql\`select rowid from a\`;\n`,
      "made in code",
    ],
    [
      "a function of SQLite",
      "plugins/a/store.ts",
      `${purpose}sql\`select ifnull(a, 1) from b\`;\n`,
      "SQLite alone",
    ],
    [
      "JSON inside SQL",
      "plugins/a/store.ts",
      `${purpose}sql\`select a ->> 'b' from c\`;\n`,
      "one engine",
    ],
    [
      "a column type of one engine",
      "plugins/a/migrations.ts",
      `${purpose}t.addColumn("a", "varchar(20)");\n`,
      "columns are",
    ],
    [
      "a binary column without the helper",
      "plugins/a/migrations.ts",
      `${purpose}t.addColumn("a", sql\`blob\`);\n`,
      "columns are",
    ],
    [
      "an unnamed unique index",
      "plugins/a/migrations.ts",
      `${purpose}t.addColumn("a", "text", (c) => c.unique());\n`,
      "name every unique index",
    ],
    [
      "LIKE without its escape",
      "plugins/a/store.ts",
      `${purpose}sql\`select a from b where c like \${d}\`;\n`,
      "escape '!'",
    ],
    [
      "row locks outside the job module",
      "plugins/a/store.ts",
      `${purpose}db.selectFrom("a").forUpdate();\n`,
      "row locks",
    ],
    [
      "any in a plugin",
      "plugins/a/service.ts",
      `${purpose}export const a = (b: any) => b;\n`,
      "`any` outside core",
    ],
  ];
  for (const [reason, path, text, mentions] of cases)
    test(reason, () => expect(problemsOf(path, text).join("\n")).toContain(mentions));
});

describe("allowed", () => {
  const cases: [reason: string, path: string, text: string][] = [
    ["a script with its interpreter first", "scripts/a.ts", `#!/usr/bin/env bun\n${purpose}`],
    ["a file of exactly the limit", "core/base/a.ts", purpose + lines(399)],
    [
      "a class of many small methods",
      "core/base/a.ts",
      `${purpose}class All {\n${`  one() {\n${lines(8)}  }\n`.repeat(9)}}\n`,
    ],
    [
      "a long list of cases in a test",
      "test/a.test.ts",
      `${purpose}describe("a", () => {\n${lines(200)}});\n`,
    ],
    [
      "the clock in the module that is the clock",
      "core/base/clock.ts",
      `${purpose}const at = Date.now();\n`,
    ],
    [
      "a word of SQL in a comment",
      "plugins/a/store.ts",
      `${purpose}// unlike rowid, an id is never used twice\n`,
    ],
    [
      "the engine's own words in the store",
      "core/store/sqlite.ts",
      `${purpose}const q = "insert or ignore into a";\n`,
    ],
    [
      "LIKE with its escape",
      "plugins/a/store.ts",
      `${purpose}sql\`select a from b where c like \${d} escape '!'\`;\n`,
    ],
    [
      "a named unique index",
      "plugins/a/migrations.ts",
      `${purpose}tx.schema.createIndex("a_name").unique().on("a");\n`,
    ],
    [
      "the types a column may have",
      "plugins/a/migrations.ts",
      `${purpose}t.addColumn("a", "text").addColumn("b", "double precision").addColumn("c", bytes());\n`,
    ],
    [
      "a transaction of several plugins",
      "plugins/a/service.ts",
      `${purpose}export const a = (tx: Db<any>) => tx;\n`,
    ],
  ];
  for (const [reason, path, text] of cases)
    test(reason, () => expect(problemsOf(path, text)).toEqual([]));
});

test("a file that nothing leads to is dead; entry points and imported files are not", () => {
  const files = [
    "core/main.ts",
    "core/base/log.ts",
    "core/base/old.ts",
    "plugins/a/plugin.ts",
    "plugins/a/old.ts",
    "test/a.test.ts",
    "test/helpers/old.ts",
    "plugins/search-index/ranking/search-worker.ts",
  ];
  const edges = [
    { from: "core/main.ts", to: "core/base/log.ts" },
    { from: "plugins/a/old.ts", to: "plugins/a/old.ts" },
  ];
  expect(deadFiles(files, edges)).toEqual([
    "core/base/old.ts",
    "plugins/a/old.ts",
    "test/helpers/old.ts",
  ]);
});

test("every dependency is used, pinned and explained", () => {
  const manifest = {
    dependencies: { used: "1.0.0", unused: "1.0.0" },
    devDependencies: { "@tools/loose": "^2.0.0" },
  };
  expect(
    problemsOfPackages(manifest, "| `used`, `unused` | a | b |\n| c | `@tools/loose` | d |", [
      { from: "core/main.ts", to: "used/deep" },
    ]),
  ).toEqual([
    "package.json: nothing imports unused",
    "README.md: the dependency table lacks a row for @tools/loose",
    "package.json: @tools/loose ^2.0.0 is not one exact version",
  ]);
});
