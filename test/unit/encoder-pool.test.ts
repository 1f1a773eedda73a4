/**
 * The encoder's workers: started when there is work, ended when there is none, and replaced when
 * they die; questions go before passages, and owners take turns.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jsonLog } from "../../core/base/log";
import { EncoderPool, type EncoderPoolOptions } from "../../plugins/embeddings-builtin/pool";
import { short_length_max, type Kind } from "../../plugins/embeddings-builtin/worker-protocol";

const directory = mkdtempSync(join(tmpdir(), "dossier-encoder-"));
const fine = join(directory, "fine");
writeFileSync(fine, "");
const pools: EncoderPool[] = [];
afterAll(() => {
  for (const pool of pools) pool.stop();
  rmSync(directory, { recursive: true, force: true });
});

let names = 0;
const freshPath = (): string => join(directory, String(++names));
interface More extends Partial<Pick<EncoderPoolOptions, "threads" | "idle_ms" | "repairModel">> {
  readonly path?: string;
}
function poolOf({ path = fine, ...more }: More = {}) {
  const started: Worker[] = [];
  const pool = new EncoderPool({
    threads: 1,
    idle_ms: 60_000,
    model: {
      path,
      bytes: 0,
      sha256: "",
      source: null,
      query_prefix: "",
      document_prefix: "",
    },
    repairModel: async (problem) => {
      throw new Error(`The model ${problem}.`);
    },
    startWorker: () => {
      const url = new URL("../helpers/fragile-encoder-worker.ts", import.meta.url).href;
      const worker = new Worker(url);
      started.push(worker);
      return worker;
    },
    log: jsonLog("error", () => undefined),
    ...more,
  });
  pools.push(pool);
  const ask = (
    texts: readonly string[],
    { kind = "document", owner = "ada", signal = AbortSignal.timeout(30_000) }: Asked = {},
  ): Promise<number[]> =>
    pool.embed(texts, { kind, owner, signal }).then((all) => all.map(([vector]) => vector![0]!));
  return { pool, started, ask };
}
interface Asked {
  readonly kind?: Kind;
  readonly owner?: string;
  readonly signal?: AbortSignal;
}
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await Bun.sleep(2);
}

describe("workers", () => {
  test("start as needed with the first text, and end when there is no work", async () => {
    const { pool, started, ask } = poolOf({ threads: 3, idle_ms: 20 });
    expect(pool.size).toBe(0);
    await ask(["a"]);
    expect(started.length).toBe(1);
    await ask(Array(50).fill("a"));
    expect(started.length).toBeGreaterThan(1);
    expect(started.length).toBeLessThanOrEqual(3);
    await until(() => pool.size === 0);
    expect(await ask(["a"])).toEqual([1]);
  });

  test("return the vectors in the order of the texts", async () => {
    const { ask } = poolOf();
    expect(await ask(["a", "b", "c"])).toEqual([1, 2, 3]);
    expect(await ask([])).toEqual([]);
  });
});

describe("a question", () => {
  test("is answered while the only worker is busy with a passage", async () => {
    const { ask, started } = poolOf();
    await ask(["a"]);
    const passage = ask(["hold"]);
    expect(await ask(["q"], { kind: "query" })).toEqual([3]);
    await ask(["release"], { kind: "query" });
    expect(await passage).toEqual([4]);
    expect(started.length).toBe(1);
  });

  test("goes before waiting passages", async () => {
    const { ask } = poolOf();
    const order: string[] = [];
    const note = (name: string) => () => void order.push(name);
    await Promise.all([
      ask(["a"]).then(note("first passage")),
      ask(["b"]).then(note("second passage")),
      ask(["q"], { kind: "query" }).then(note("question")),
    ]);
    expect(order.indexOf("question")).toBeLessThan(order.indexOf("second passage"));
  });
});

test("a sentence goes before passages, even one in progress, and after questions", async () => {
  const { ask, started } = poolOf();
  const order: string[] = [];
  const note = (name: string) => () => void order.push(name);
  await ask(["a"]);
  const passage = ask(["hold"]).then(note("passage"));
  const others = [
    ask(["a"]).then(note("second passage")),
    ask(["s", "s"], { kind: "sentence" }).then(note("sentences")),
    ask(["q"], { kind: "query" }).then(note("question")),
  ];
  await Promise.all(others.slice(1));
  await ask(["release"], { kind: "sentence" });
  await Promise.all([passage, ...others]);
  expect(order).toEqual(["question", "sentences", "passage", "second passage"]);
  expect(started.length).toBe(1);
});

test("a long question goes after short ones, even in progress, and before passages", async () => {
  const { ask, started } = poolOf();
  const order: string[] = [];
  const note = (name: string) => () => void order.push(name);
  const long = (text: string) => `${text} ${"x".repeat(short_length_max)}`;
  await ask(["a"]);
  const first = ask([long("hold")], { kind: "query" }).then(note("long question"));
  const others = [
    ask(["a"]).then(note("passage")),
    ask([long("q")], { kind: "query" }).then(note("second long question")),
    ask(["q"], { kind: "query", owner: "bob" }).then(note("question")),
  ];
  await others.at(-1);
  await ask(["release"], { kind: "query" });
  await Promise.all([first, ...others]);
  expect(order).toEqual(["question", "long question", "second long question", "passage"]);
  expect(started.length).toBe(1);
});

test("each vector is reported as soon as it is ready", async () => {
  const { pool } = poolOf();
  const vectors_reported: string[] = [];
  const signal = AbortSignal.timeout(30_000);
  const onVectors = (text: string): void => void vectors_reported.push(text);
  const request = { kind: "sentence", owner: "ada", signal, onVectors } as const;
  await expect(pool.embed(["a", "b", "fail"], request)).rejects.toThrow("it failed");
  expect(vectors_reported).toEqual(["a", "b"]);
});

test("owners take turns: a few texts don't wait for another owner's hundred", async () => {
  const { ask } = poolOf();
  const many = ask(Array(100).fill("a"), { owner: "ada" });
  const few = await ask(["b", "b"], { owner: "bob" });
  expect(Math.max(...few)).toBeLessThanOrEqual(5);
  expect(await many).toHaveLength(100);
});

describe("a worker that dies", () => {
  test("fails no call: its text goes to the next worker", async () => {
    const { ask, started } = poolOf();
    expect(await ask(["a", `die-once ${freshPath()}`, "a"])).toHaveLength(3);
    expect(started.length).toBe(2);
  });

  test("twice on a text fails only the call with that text", async () => {
    const { ask } = poolOf();
    const others = ask(["a", "a"], { owner: "bob" });
    await expect(ask(["a", "die", "a"])).rejects.toThrow("crashed on a text");
    expect(await others).toHaveLength(2);
    expect(await ask(["a"])).toHaveLength(1);
  });

  test("before opening the model fails the call, and the next call tries again", async () => {
    const path = join(directory, "dies");
    const { ask, started } = poolOf({ path });
    await expect(ask(["a"])).rejects.toThrow("does not start");
    await expect(ask(["a"])).rejects.toThrow("does not start");
    expect(started.length).toBe(2);
  });
});

test("an error on a text fails only its own call", async () => {
  const { ask } = poolOf();
  const others = ask(["a", "a"]);
  await expect(ask(["fail"])).rejects.toThrow("it failed");
  expect(await others).toHaveLength(2);
});

describe("aborting", () => {
  test("drops texts not yet sent and frees the busy worker", async () => {
    const { ask } = poolOf();
    const given_up = new AbortController();
    const waiting_call = ask(["hold", "a", "a", "a"], { signal: given_up.signal });
    await ask(["q"], { kind: "query" });
    given_up.abort(new Error("nobody waits"));
    await expect(waiting_call).rejects.toThrow("nobody waits");
    // The worker was sent the held text, the question, and this text.
    expect(await ask(["a"])).toEqual([3]);
  });

  test("before the call rejects it", async () => {
    const { ask, started } = poolOf();
    await expect(ask(["a"], { signal: AbortSignal.abort(new Error("no")) })).rejects.toThrow("no");
    expect(started).toHaveLength(0);
  });

  test("a stopping server rejects waiting calls", async () => {
    const { ask, pool } = poolOf();
    const waiting_call = ask(["hold", "a"]);
    await ask(["q"], { kind: "query" });
    pool.stop();
    await expect(waiting_call).rejects.toThrow("stopping");
    await expect(ask(["a"])).rejects.toThrow("stopping");
    expect(pool.size).toBe(0);
  });
});

describe("the model", () => {
  test("that is missing is fetched once, and the waiting texts are encoded", async () => {
    const path = freshPath();
    const problems: string[] = [];
    const { ask } = poolOf({
      path,
      threads: 2,
      repairModel: async (problem) => {
        problems.push(problem);
        writeFileSync(path, "");
        return null;
      },
    });
    expect(await ask(["a", "b", "c", "d"])).toHaveLength(4);
    expect(problems).toEqual(["is missing"]);
    expect(existsSync(path)).toBe(true);
  });

  test.each([
    ["that can't be fetched", freshPath(), "The model is missing."],
    ["that is invalid", join(directory, "fatal"), "it is no model"],
  ])("%s fails the call with the reason", async (_reason, path, message) => {
    const { ask } = poolOf({ path });
    await expect(ask(["a", "b"])).rejects.toThrow(message);
  });

  test("that is still wrong after it was fetched fails the call", async () => {
    const { ask } = poolOf({ path: freshPath(), repairModel: async () => null });
    await expect(ask(["a"])).rejects.toThrow("is missing");
  });
});
