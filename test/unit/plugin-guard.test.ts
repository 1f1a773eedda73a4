/** Values that a plugin provides to others: its faults are recorded, and the others go on. */
import { describe, expect, test } from "bun:test";
import type { Clock } from "../../core/base/clock";
import { HttpError } from "../../core/base/errors";
import { jsonLog } from "../../core/base/log";
import { originOf } from "../../core/base/origin";
import { slot } from "../../core/base/refs";
import { PluginFaults } from "../../core/plugin/faults";
import { Guard } from "../../core/plugin/guard";
import { RunningCode } from "../../core/plugin/running-code";

class Refusal extends Error {}

interface Reader {
  readonly rank: number;
  recognises(name: string): boolean;
  read(name: string): Promise<string>;
  parts(name: string): AsyncIterable<string>;
}
const Readers = slot<Reader>("test.readers", { otherwise: { recognises: () => false } });

function guarded() {
  const lines: any[] = [];
  const log = jsonLog("info", (line) => lines.push(JSON.parse(line)));
  let now_ms = 1_000_000;
  const clock: Pick<Clock, "now_ms"> = { now_ms: () => now_ms };
  const faults = new PluginFaults(log, clock);
  const code = new RunningCode();
  return {
    guard: new Guard(code, faults),
    code,
    faults,
    lines,
    pass: (ms: number) => void (now_ms += ms),
  };
}

class Thrower implements Reader {
  private reads = 0;
  constructor(
    readonly rank: number,
    private readonly error: unknown,
  ) {}
  recognises(): boolean {
    throw this.error;
  }
  async read(): Promise<string> {
    this.reads++;
    await Promise.resolve();
    throw this.error;
  }
  async *parts(): AsyncIterable<string> {
    yield `${this.reads}`;
    throw this.error;
  }
}

describe("an error thrown by a method of a value", () => {
  const cases: [string, unknown, boolean][] = [
    ["is a fault when it is a TypeError", new TypeError("oh"), true],
    ["is a fault when it is a plain Error", new Error("oh"), true],
    ["is a fault when it is not an Error", "oh", true],
    ["is no fault when it is an HttpError for the caller", new HttpError(400, "bad", "oh"), false],
    ["is no fault when it has an error class of its own", new Refusal("oh"), false],
    ["is no fault when it is an abort", new DOMException("oh", "AbortError"), false],
  ];
  for (const [why, error, is_fault] of cases)
    test(why, async () => {
      const { guard, faults } = guarded();
      const reader = guard.value("notes", Readers, new Thrower(1, error) as Reader);
      if (is_fault) expect(reader.recognises("a")).toBe(false);
      else expect(() => reader.recognises("a")).toThrow();
      await expect(reader.read("a")).rejects.toBe(error);
      const seen: string[] = [];
      const read = async (): Promise<void> => {
        for await (const part of reader.parts("a")) seen.push(part);
      };
      await expect(read()).rejects.toBe(error);
      expect(seen).toEqual(["1"]);
      const places = faults.failing().map(({ failing }) => failing.split(" failed")[0]);
      expect(places).toEqual(
        is_fault
          ? ["its test.readers.recognises", "its test.readers.read", "its test.readers.parts"]
          : [],
      );
    });
});

test("guarding a value twice gives the same object, with its properties and class", () => {
  const { guard } = guarded();
  const thrower = new Thrower(7, new Error("oh"));
  const reader = guard.value<Reader>("notes", Readers, thrower);
  expect(guard.value<Reader>("notes", Readers, thrower)).toBe(reader);
  expect([reader.rank, reader instanceof Thrower]).toEqual([7, true]);
});

test("values of a data slot are left as they are", () => {
  const { guard } = guarded();
  const page = { mount: () => undefined };
  expect(guard.value("notes", slot("test.pages", { is_data: true }), page)).toBe(page);
});

test("repeated failures are logged once a minute and reported for ten minutes", () => {
  const { guard, faults, lines, pass } = guarded();
  const observe = guard.function(
    { plugin: "notes", what: "its observer" },
    (): void => {
      throw new Error("oh");
    },
    { otherwise: () => undefined },
  );
  for (let n = 0; n < 5; n++) observe();
  expect(lines).toEqual([
    expect.objectContaining({ level: "error", plugin: "notes", what: "its observer", error: "oh" }),
  ]);
  expect(lines[0].stack[0]).toContain("plugin-guard.test.ts");
  expect(faults.failing()).toEqual([
    {
      plugin: "notes",
      failing: expect.stringMatching(/^its observer failed 5 times, last at .*oh$/),
    },
  ]);
  pass(61_000);
  observe();
  expect(lines).toHaveLength(2);
  pass(10 * 60_000);
  expect(faults.failing()).toEqual([]);
});

test("running code is listed under its plugin until it ends", async () => {
  const { guard, code } = guarded();
  const { promise, resolve } = Promise.withResolvers<void>();
  const label = { plugin: "notes", what: "GET /notes" };
  let seen: unknown;
  const handle = guard.function(label, async () => {
    seen = originOf().plugin;
    await promise;
  });
  const handled = handle();
  expect([seen, originOf().plugin]).toEqual(["notes", undefined]);
  expect(code.underWay("notes")).toEqual([label]);
  expect(code.underWay("others")).toEqual([]);
  resolve();
  await handled;
  expect(code.underWay("notes")).toEqual([]);
});
