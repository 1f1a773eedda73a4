/** Plugins are checked and ordered before any of their code runs; every problem is reported. */
import { describe, expect, test } from "bun:test";
import {
  disableable,
  disablingProblems,
  unknownDisabled,
} from "../../core/plugin/disabled-plugins";
import { reserved } from "../../core/cli/reserved-claims";
import { order, sortedByNeeds } from "../../core/plugin/order";
import { definePlugin, type Plugin } from "../../core/plugin/contract";
import { service } from "../../core/base/refs";
import { route } from "../../core/http/route";
import { builtIn } from "../../plugins/built-in";

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

test("each plugin comes after those it needs, whatever the input order", () => {
  const { sorted, refused } = order([
    plugin("third", { needs: { b: B } }),
    plugin("second", { needs: { a: A }, provides: { b: B } }),
    plugin("first", { provides: { a: A } }),
  ]);
  expect(sorted.map((plugin) => plugin.name)).toEqual(["first", "second", "third"]);
  expect(refused).toEqual([]);
});

describe("refused", () => {
  const cases: [string, Plugin[], string, RegExp][] = [
    [
      "another contract",
      [plugin("x", { contract: 2 })],
      "x",
      /contract 2, and this server has contract 1/,
    ],
    ["a name with spaces", [plugin("my plugin")], "my plugin", /lower-case/],
    ["a second plugin of the same name", [plugin("x"), plugin("x")], "x", /the name x/],
    [
      "a service that another plugin provides",
      [plugin("x", { provides: { a: A } }), plugin("y", { provides: { a: A } })],
      "y",
      /service a belongs to the plugin x/,
    ],
    [
      "a route of another plugin, even with another parameter name",
      [plugin("x", { routes: routes("/x/:id") }), plugin("y", { routes: routes("/x/:other") })],
      "y",
      /GET \/api\/dev\/v1\/x\/:…/,
    ],
    [
      "a table without the plugin's name as its prefix",
      [plugin("x", { tables: ["folders"] })],
      "x",
      /table folders is not called x/,
    ],
    [
      "a table that two plugins claim",
      [plugin("x", { tables: ["x_y"] }), plugin("x-y", { tables: ["x_y"] })],
      "x-y",
      /table x_y belongs to the plugin x/,
    ],
    [
      "a command of another plugin",
      [
        plugin("x", { commands: { c: { name: "do it", summary: "" } } }),
        plugin("y", { commands: { c: { name: "do it", summary: "" } } }),
      ],
      "y",
      /command do it/,
    ],
    [
      "a settings section of another plugin",
      [plugin("x", { section: "s" }), plugin("y", { section: "s" })],
      "y",
      /section s/,
    ],
    [
      "needing a service that no plugin provides",
      [plugin("x", { needs: { a: A } })],
      "x",
      /needs the service a, which no loaded plugin provides/,
    ],
    [
      "circular needs",
      [
        plugin("x", { needs: { a: A }, provides: { b: B } }),
        plugin("y", { needs: { b: B }, provides: { a: A } }),
      ],
      "x",
      /circle: x → y → x|circle: y → x → y/,
    ],
    [
      "a command of the host itself",
      [plugin("x", { commands: { c: { name: "serve", summary: "" } } })],
      "x",
      /command serve belongs to Dossier itself/,
    ],
    [
      "an operation id of another plugin",
      [plugin("x", { routes: routes("/x") }), plugin("y", { routes: routes("/y") })],
      "y",
      /operation id x belongs to the plugin x/,
    ],
    [
      "a path without a slash",
      [plugin("x", { routes: routes("notes") })],
      "x",
      /path of its route GET notes must begin with "\/"/,
    ],
    [
      "needing a newer host",
      [plugin("x", { since: "999.2" })],
      "x",
      /needs Dossier 999\.2 or newer; this is \d/,
    ],
    [
      "a `since` that is not a version",
      [plugin("x", { since: "soon" })],
      "x",
      /since "soon" is not a version/,
    ],
    [
      "replacing an unknown plugin",
      [plugin("rate-limit"), plugin("x", { replaces: ["rate-limits"] })],
      "x",
      /replaces rate-limits, which is not a plugin; the nearest is rate-limit/,
    ],
    [
      "replacing a plugin without providing a service that others need",
      [
        plugin("old", { provides: { a: A } }),
        plugin("leaning", { needs: { a: A } }),
        plugin("x", { replaces: ["old"] }),
      ],
      "x",
      /replaces old and does not provide the service a, which leaning needs/,
    ],
    [
      "a second replacement of the same plugin",
      [plugin("old"), plugin("x", { replaces: ["old"] }), plugin("y", { replaces: ["old"] })],
      "y",
      /replaces old, as x already does/,
    ],
    [
      "the settings section of the plugin it replaces",
      [plugin("old"), plugin("x", { replaces: ["old"], section: "old" })],
      "x",
      /section old belongs to the plugin old/,
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
      const { refused } = order(plugins, { reserved: ["the command serve"] });
      expect(refused[0]?.plugin.name).toBe(name);
      expect(refused[0]?.reason).toMatch(says);
    });
  test("a plugin that needs a refused one is refused too; the others are accepted", () => {
    const { sorted, refused } = order([
      plugin("good"),
      plugin("bad", { contract: 2, provides: { a: A } }),
      plugin("leaning", { needs: { a: A } }),
    ]);
    expect(sorted.map((plugin) => plugin.name)).toEqual(["good"]);
    expect(refused.map((refusal) => refusal.plugin.name)).toEqual(["bad", "leaning"]);
  });
});

describe("not set up", () => {
  const old = plugin("old", { provides: { a: A }, needs: { b: B } });
  const base = plugin("base", { provides: { b: B } });
  const leaning = plugin("leaning", { needs: { a: A } });

  test("a replaced plugin; its replacement comes after what the replaced one needs", () => {
    const fresh = plugin("fresh", { replaces: ["old"], provides: { a: A } });
    const { sorted, refused, off } = order([leaning, old, base, fresh]);
    expect(sorted.map((plugin) => plugin.name)).toEqual(["base", "fresh", "leaning"]);
    expect(refused).toEqual([]);
    expect(off).toEqual([{ plugin: old, replaced_by: fresh, reason: "fresh replaces it" }]);
  });
  test("a replaced plugin, unless its replacement is refused", () => {
    const fresh = plugin("fresh", { contract: 2, replaces: ["old"], provides: { a: A } });
    const { sorted, off } = order([leaning, old, base, fresh]);
    expect([sorted.map((plugin) => plugin.name), off]).toEqual([["base", "old", "leaning"], []]);
  });
  test("a disabled plugin; one that needs it is refused with that reason", () => {
    const { sorted, refused, off } = order([base, old, leaning], { disabled: ["old"] });
    expect(sorted).toEqual([base]);
    expect(off).toEqual([{ plugin: old, reason: "it is named in plugins.disabled" }]);
    expect(refused[0]).toEqual({
      plugin: leaning,
      reason: "it needs the service a of the plugin old: it is named in plugins.disabled",
    });
  });
  test("a disabled plugin, which keeps its name and frees its routes", () => {
    const off = plugin("off", { tables: ["off"], routes: routes("/x") });
    const { sorted } = order([off, plugin("x", { routes: routes("/x") })], { disabled: ["off"] });
    expect(sorted.map((plugin) => plugin.name)).toEqual(["x"]);
    const [thief] = order([off, plugin("off")], { disabled: ["off"] }).refused;
    expect(thief?.reason).toMatch(/the name off belongs to the plugin off/);
  });
});

describe("disabling built-in plugins", () => {
  const built_in = [
    plugin("base", { provides: { a: A } }),
    plugin("leaning", { needs: { a: A } }),
    plugin("alone"),
  ];
  const cases: [string, string[], RegExp | null][] = [
    ["one that no other needs", ["alone"], null],
    ["one that another needs", ["base"], /base can't be disabled: leaning needs it/],
    ["one together with all that need it", ["leaning", "base"], null],
    ["one that does not exist", ["gone"], null],
  ];
  for (const [why, names, says] of cases)
    test(why, () => {
      const [problem] = disablingProblems(names, built_in);
      if (says === null) expect(problem).toBeUndefined();
      else expect(problem).toMatch(says);
    });
  test("an unknown name is reported with the nearest known one", () =>
    expect(unknownDisabled(["alnoe"], ["alone", "base"])).toEqual([
      "plugins.disabled: there is no plugin alnoe; the nearest is alone.",
    ]));
  test("a plugin that can't be disabled is left out of the names", () =>
    expect(disableable(["base", "alone"], built_in)).toEqual(["alone"]));
});

test("the built-in plugins, which no start checks, have no problems and no common claims", () => {
  const { sorted, refused } = order(builtIn, { reserved });
  expect(refused).toEqual([]);
  expect(order(builtIn, { reserved, sound: builtIn }).sorted).toEqual(sorted);
  expect(sortedByNeeds(builtIn)).toEqual(sorted);
});
