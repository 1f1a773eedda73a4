/** Plugins are checked and ordered before any of their code runs, and every problem is named. */
import { describe, expect, test } from "bun:test";
import { order } from "../../core/plugin/order";
import { definePlugin, type Plugin } from "../../core/plugin/define";
import { service } from "../../core/base/refs";
import { route } from "../../core/http/route";

const A = service<number>("a");
const B = service<number>("b");
const never = () => {
  throw new Error("no plugin code may run");
};
const plugin = (name: string, more: object = {}): Plugin =>
  definePlugin({ name, version: "1.0.0", ...more, setup: never } as never) as Plugin;
const routes = (path: string) => ({
  one: route.get(path, { summary: "x", tag: "x", operation: "x", answers: {} }),
});

test("each comes after what it needs, whatever the order given", () => {
  const { sorted, refused } = order([
    plugin("third", { needs: { b: B } }),
    plugin("second", { needs: { a: A }, provides: { b: B } }),
    plugin("first", { provides: { a: A } }),
  ]);
  expect(sorted.map((one) => one.name)).toEqual(["first", "second", "third"]);
  expect(refused).toEqual([]);
});

describe("refused", () => {
  const cases: [string, Plugin[], string, RegExp][] = [
    ["another contract", [plugin("x", { contract: 2 })], "x", /contract 2; this host speaks 1/],
    ["a name with spaces", [plugin("my plugin")], "my plugin", /lower case/],
    ["a second plugin of one name", [plugin("x"), plugin("x")], "x", /the name x/],
    [
      "a service that another provides",
      [plugin("x", { provides: { a: A } }), plugin("y", { provides: { a: A } })],
      "y",
      /service a belongs to the plugin x/,
    ],
    [
      "a route that another answers, whatever its parameter is called",
      [plugin("x", { routes: routes("/x/:id") }), plugin("y", { routes: routes("/x/:other") })],
      "y",
      /GET \/api\/dev\/v1\/x\/:…/,
    ],
    [
      "a table of another's name",
      [plugin("x", { tables: ["folders"] })],
      "x",
      /table folders is not called x/,
    ],
    [
      "a table that two claim",
      [plugin("x", { tables: ["x_y"] }), plugin("x-y", { tables: ["x_y"] })],
      "x-y",
      /table x_y belongs to the plugin x/,
    ],
    [
      "a command that another has",
      [
        plugin("x", { commands: { c: { name: "do it", summary: "" } } }),
        plugin("y", { commands: { c: { name: "do it", summary: "" } } }),
      ],
      "y",
      /command do it/,
    ],
    [
      "a settings section that another has",
      [plugin("x", { section: "s" }), plugin("y", { section: "s" })],
      "y",
      /section s/,
    ],
    [
      "a service nobody provides",
      [plugin("x", { needs: { a: A } })],
      "x",
      /needs the service a, which no loaded plugin provides/,
    ],
    [
      "a circle",
      [
        plugin("x", { needs: { a: A }, provides: { b: B } }),
        plugin("y", { needs: { b: B }, provides: { a: A } }),
      ],
      "x",
      /circle: x → y → x|circle: y → x → y/,
    ],
    [
      "migrations out of order",
      [
        plugin("x", {
          migrations: [
            { id: "0002", up: never },
            { id: "0001", up: never },
          ],
        }),
      ],
      "x",
      /0002, 0001/,
    ],
  ];
  for (const [why, plugins, name, says] of cases)
    test(why, () => {
      const { refused } = order(plugins);
      expect(refused[0]?.plugin.name).toBe(name);
      expect(refused[0]?.reason).toMatch(says);
    });
  test("what needs a refused plugin is refused too, and the rest goes on", () => {
    const { sorted, refused } = order([
      plugin("good"),
      plugin("bad", { contract: 2, provides: { a: A } }),
      plugin("leaning", { needs: { a: A } }),
    ]);
    expect(sorted.map((one) => one.name)).toEqual(["good"]);
    expect(refused.map((one) => one.plugin.name)).toEqual(["bad", "leaning"]);
  });
});
