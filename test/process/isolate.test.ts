/**
 * Tasks in child processes: whatever a task does, its caller gets an answer or a reason, and
 * nothing is left behind.
 */
import { afterEach, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ChildPool, type ChildPoolOptions } from "../../core/isolate/pool";
import { fromProc, fromPs } from "../../core/isolate/memory";
import { decodeLines } from "../../core/lib/json-lines";
import { jsonLog } from "../../core/base/log";
import { withOrigin } from "../../core/base/origin";
import { TaskFailure, type IsolateOptions } from "../../core/isolate/contract";
import { child_command } from "../helpers/task-child";

const started: ChildPool[] = [];
afterEach(async () => {
  for (const isolate of started.splice(0)) await isolate.stop();
});

const logged: string[] = [];
function testIsolate(
  parts: Partial<ChildPoolOptions> = {},
): (task: string, input?: unknown, options?: Partial<IsolateOptions<any>>) => Promise<any> {
  const isolate = new ChildPool({
    command: child_command,
    log: jsonLog("warn", (line) => logged.push(line)),
    children_max: 1,
    overflow_max: 0,
    ...parts,
  });
  started.push(isolate);
  return (task, input = null, options = {}) =>
    isolate.run("test", task, input, {
      timeout_ms: 30_000,
      memory_max_bytes: 1024 ** 3,
      ...options,
    });
}
const failureOf = async (run: Promise<unknown>): Promise<TaskFailure> => {
  try {
    await run;
  } catch (error) {
    if (error instanceof TaskFailure) return error;
    throw error;
  }
  throw new Error("The task did not fail.");
};
/** Gone, or a zombie that its new parent has not reaped yet. */
const isGone = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
  } catch {
    return true;
  }
  return (
    existsSync("/proc/self/status") &&
    /^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "latin1"))
  );
};
const untilGone = async (pid: number): Promise<void> => {
  for (let tries = 0; !isGone(pid); tries++) {
    if (tries > 1_000) throw new Error(`Process ${pid} is still there.`);
    await Bun.sleep(10);
  }
};

describe("a task that ends badly says why", () => {
  const cases: [
    string,
    { task: string; input?: unknown; options?: Partial<IsolateOptions<any>> },
    Partial<TaskFailure>,
    RegExp,
  ][] = [
    [
      "an endless loop ends at its time limit",
      { task: "hang", options: { timeout_ms: 200 } },
      { reason: "timeout" },
      /0\.2 s/,
    ],
    [
      "a child that is stopped from outside, and never continued, ends at its time limit",
      { task: "stop", options: { timeout_ms: 200 } },
      { reason: "timeout" },
      /0\.2 s/,
    ],
    [
      "a memory bomb ends at its memory limit",
      { task: "bomb", options: { memory_max_bytes: 200 * 1024 ** 2 } },
      { reason: "memory" },
      /200 MiB/,
    ],
    [
      "an error keeps its message and its code",
      { task: "throw" },
      { reason: "threw", code: "odd" },
      /^The file is odd\.$/,
    ],
    [
      "a thrown value that isn't an Error keeps its text",
      { task: "throwText" },
      { reason: "threw" },
      /^just text$/,
    ],
    [
      "an unknown task is an error that names it",
      { task: "missing" },
      { reason: "threw" },
      /test has no task missing/,
    ],
    [
      "a child killed from outside has crashed",
      { task: "talkAndDie", input: 0 },
      { reason: "crashed" },
      /SIGKILL/,
    ],
    ["a child that exits has crashed", { task: "exit" }, { reason: "crashed" }, /exit code 3/],
    [
      "an unhandled rejection ends the child, not the parent",
      { task: "strayRejection" },
      { reason: "crashed" },
      /exit code 1/,
    ],
    [
      "a child that sends an unexpected message is killed",
      { task: "garble" },
      { reason: "crashed" },
      /no reply/,
    ],
  ];
  for (const [why, { task, input, options }, expected, message] of cases) {
    test(why, async () => {
      const failure = await failureOf(testIsolate()(task, input, options));
      expect(failure).toMatchObject(expected);
      expect(failure.message).toMatch(message);
    });
  }

  test("the log keeps the last words of a child that crashed", async () => {
    await failureOf(testIsolate()("exit"));
    expect(logged.at(-1)).toContain("last words");
  });
});

describe("an abort", () => {
  test("kills a running task", async () => {
    const stop = new AbortController();
    let pid = 0;
    const run = testIsolate()("hang", null, {
      signal: stop.signal,
      onMessage: (child: number) => {
        pid = child;
        stop.abort();
      },
    });
    expect((await failureOf(run)).reason).toBe("aborted");
    await untilGone(pid);
  });

  test("removes a task from the queue, and the others stay", async () => {
    const run = testIsolate();
    const stop = new AbortController();
    const first = run("sleep", 300);
    const second = failureOf(run("echo", 2, { signal: stop.signal }));
    const third = run("echo", 3);
    stop.abort();
    expect((await second).reason).toBe("aborted");
    expect(await third).toBe(3);
    await first;
  });

  test("before the run starts nothing", async () => {
    expect(
      (await failureOf(testIsolate()("echo", 1, { signal: AbortSignal.abort() }))).reason,
    ).toBe("aborted");
  });

  test("a stopped isolate ends running, waiting and later tasks", async () => {
    const isolate = new ChildPool({
      command: child_command,
      log: jsonLog("error"),
      children_max: 1,
      overflow_max: 0,
    });
    const limits = { timeout_ms: 30_000, memory_max_bytes: 1024 ** 3 };
    let stopped: Promise<void> | undefined;
    let pid = 0;
    const running = failureOf(
      isolate.run("test", "hang", null, {
        ...limits,
        onMessage: (child) => {
          pid = child;
          stopped = isolate.stop();
        },
      }),
    );
    const waiting = failureOf(isolate.run("test", "echo", 1, limits));
    expect([(await running).reason, (await waiting).reason]).toEqual(["aborted", "aborted"]);
    await stopped;
    expect(isGone(pid)).toBe(true);
    expect((await failureOf(isolate.run("test", "echo", 1, limits))).reason).toBe("aborted");
  });
});

describe("owners take turns", () => {
  const ownerRun =
    (run: ReturnType<typeof testIsolate>) =>
    (owner: string, task: string, input?: unknown, options?: Partial<IsolateOptions<any>>) =>
      withOrigin({ owner }, () => run(task, input, options));

  test("an owner's one file does not wait for another's many", async () => {
    const run = ownerRun(testIsolate());
    const ended: string[] = [];
    const all = [..."aaaaab"].map(async (owner) => {
      await run(owner, "echo");
      ended.push(owner);
    });
    await Promise.all(all);
    expect(ended.join("")).toBe("abaaaa");
  });

  test("an owner's endless files leave a child for the others", async () => {
    const run = ownerRun(testIsolate({ children_max: 2, overflow_max: 1, patience_ms: 10 }));
    const stop = new AbortController();
    const { signal } = stop;
    let hanging = 0;
    const { promise: both_hang, resolve } = Promise.withResolvers<void>();
    const onMessage = () => ++hanging === 2 && resolve();
    const hung = Array.from({ length: 5 }, () =>
      failureOf(run("a", "hang", null, { signal, onMessage })),
    );
    await both_hang;
    expect(await run("b", "echo", "read")).toBe("read");
    expect(hanging).toBe(2);
    stop.abort();
    expect(new Set((await Promise.all(hung)).map(({ reason }) => reason))).toEqual(
      new Set(["aborted"]),
    );
  });
});

describe("runs that may be paused", () => {
  const parts = { children_max: 1, overflow_max: 1, patience_ms: 1, slice_ms: 1 };
  const options = { may_pause: true };

  test("let owners through whose files are short", async () => {
    const isolate = testIsolate(parts);
    const endless = ["heavy", "heavier"].map((owner) =>
      withOrigin({ owner }, () => isolate("hang", null, options)).catch(() => "ended"),
    );
    for (let file = 0; file < 3; file++)
      expect(await withOrigin({ owner: "light" }, () => isolate("echo", file, options))).toBe(file);
    await started[0]!.stop();
    expect(await Promise.all(endless)).toEqual(["ended", "ended"]);
  });

  test("continue, and are not charged for the time between", async () => {
    const isolate = testIsolate({ ...parts, overflow_max: 0, patience_ms: 50, slice_ms: 50 });
    const run = (owner: string) =>
      withOrigin({ owner }, () => isolate("work", 600, { ...options, timeout_ms: 1_500 }));
    expect(await Promise.all([run("a"), run("b"), run("c")])).toEqual([600, 600, 600]);
    // None of the children that they leave behind stands still.
    expect(await Promise.all([1, 2, 3].map((n) => isolate("echo", n)))).toEqual([1, 2, 3]);
  });

  test("end when they are aborted, also while they are paused", async () => {
    const isolate = testIsolate({ ...parts, overflow_max: 0 });
    const pids: number[] = [];
    const leaving = new AbortController();
    const run = (owner: string) =>
      withOrigin({ owner }, () =>
        failureOf(
          isolate("hang", null, {
            ...{ ...options, signal: leaving.signal },
            onMessage: (pid: number) => void pids.push(pid),
          }),
        ),
      );
    const all = [run("a"), run("b")];
    while (pids.length < 2) await Bun.sleep(5);
    leaving.abort();
    expect((await Promise.all(all)).map(({ reason }) => reason)).toEqual(["aborted", "aborted"]);
    for (const pid of pids) await untilGone(pid);
  });
});

describe("what was sent before the end is kept", () => {
  const cases: [string, string, Partial<IsolateOptions<any>>, TaskFailure["reason"]][] = [
    ["before the time limit", "talkAndHang", { timeout_ms: 2_000 }, "timeout"],
    ["before the child died by itself", "talkAndDie", {}, "crashed"],
  ];
  for (const [why, task, options, reason] of cases) {
    test(why, async () => {
      const heard: number[] = [];
      const failure = await failureOf(
        testIsolate()(task, 2_000, {
          ...options,
          onMessage: ({ i }: { i: number }) => heard.push(i),
        }),
      );
      expect(failure.reason).toBe(reason);
      expect(heard).toEqual(Array.from({ length: 2_000 }, (_, i) => i));
    });
  }

  test("a listener that throws ends the run with its error", async () => {
    const run = testIsolate()("sleep", 60_000, {
      onMessage: () => {
        throw new Error("can't listen");
      },
    });
    await expect(run).rejects.toThrow("can't listen");
  });
});

describe("children", () => {
  test("one is kept warm and replaced after its share of runs", async () => {
    const run = testIsolate({ runs_max: 3 });
    const pids: number[] = [];
    for (let i = 0; i < 7; i++) pids.push(await run("pid"));
    expect(pids.map((pid) => pids.indexOf(pid))).toEqual([0, 0, 0, 3, 3, 3, 6]);
    await untilGone(pids[0]!);
  });

  const cases: [string, (run: ReturnType<typeof testIsolate>) => Promise<number>][] = [
    [
      "after a run that was killed",
      async (run) => {
        const stop = new AbortController();
        let pid = 0;
        await failureOf(
          run("hang", null, {
            signal: stop.signal,
            onMessage: (child: number) => {
              pid = child;
              stop.abort();
            },
          }),
        );
        return pid;
      },
    ],
    ["after a run that left it swollen", (run) => run("swell", 300)],
    [
      "when the warm one was killed in the meantime",
      async (run) => {
        const pid = await run("pid");
        process.kill(pid, "SIGKILL");
        return pid;
      },
    ],
  ];
  for (const [why, spoil] of cases) {
    test(`a fresh one is started ${why}`, async () => {
      const run = testIsolate();
      const spoiled = await spoil(run);
      expect(await run("pid")).not.toBe(spoiled);
      await untilGone(spoiled);
    });
  }

  test("a killed one is replaced before the next run needs it", async () => {
    const directory = mkdtempSync(join(tmpdir(), "dossier-isolate-"));
    const starts = join(directory, "starts");
    const run = testIsolate({
      command: ["/bin/sh", "-c", 'echo $$ >> "$0"; exec "$@"', starts, ...child_command],
    });
    const pids = (): number[] => readFileSync(starts, "utf8").trim().split("\n").map(Number);
    await failureOf(run("hang", null, { timeout_ms: 100 }));
    for (let tries = 0; pids().length < 2 && tries < 1_000; tries++) await Bun.sleep(10);
    expect(await run("pid")).toBe(pids()[1]);
    rmSync(directory, { recursive: true });
  });

  test("a task that throws costs no child", async () => {
    const run = testIsolate();
    const pid = await run("pid");
    await failureOf(run("throw"));
    expect(await run("pid")).toBe(pid);
  });

  test("an idle one goes away", async () => {
    await untilGone(await testIsolate({ idle_ms: 20 })("pid"));
  });

  test("a limited number run at a time, the rest wait", async () => {
    const run = testIsolate({ children_max: 2 });
    let now = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 6 }, async () => {
        await run("sleep", 150, {
          onMessage: () => {
            now++;
            most = Math.max(most, now);
          },
        });
        now--;
      }),
    );
    expect(most).toBe(2);
  });

  test("a long run lets others pass, up to a limit", async () => {
    const run = testIsolate({ overflow_max: 3, patience_ms: 20 });
    const stop = new AbortController();
    const hanging = [1, 2].map(() => failureOf(run("hang", null, { signal: stop.signal })));
    expect(await run("echo", "third")).toBe("third");
    expect(await run("echo", "fourth")).toBe("fourth");
    const more = failureOf(run("hang", null, { signal: stop.signal }));
    const late = failureOf(run("echo", "late", { signal: AbortSignal.timeout(300) }));
    expect((await late).reason).toBe("aborted");
    stop.abort();
    await Promise.all([...hanging, more]);
    expect(await run("echo", "last")).toBe("last");
  });

  test("a waiting run still runs after a failure", async () => {
    const run = testIsolate();
    const failing = failureOf(run("exit"));
    expect(await run("echo", "next")).toBe("next");
    await failing;
  });

  test("they see nothing of the parent's environment", async () => {
    process.env.DOSSIER_SECRET_KEY = "hidden";
    const { names } = await testIsolate()("surroundings");
    delete process.env.DOSSIER_SECRET_KEY;
    expect(names.filter((name: string) => name !== "BUN_FEATURE_FLAG_NO_ORPHANS")).toEqual([]);
  });

  test("what a task prints disturbs nothing", async () => {
    expect(await testIsolate()("print")).toBe("printed");
  });

  test("input and output may be large", async () => {
    const text = "é\u2028\n".repeat(1_000_000);
    expect(await testIsolate()("echo", { text })).toEqual({ text });
  });
});

describe("a killed parent leaves no child", () => {
  for (const state of ["busy", "idle"]) {
    test(`a ${state} one`, async () => {
      const parent = Bun.spawn(
        [process.execPath, join(import.meta.dir, "../helpers/task-child.ts"), state],
        { stdout: "pipe", stderr: "inherit" },
      );
      const reader = parent.stdout.getReader();
      const pid = Number(new TextDecoder().decode((await reader.read()).value));
      expect(isGone(pid)).toBe(false);
      parent.kill("SIGKILL");
      await untilGone(pid);
    });
  }
});

describe("memory measured from outside", () => {
  test("both measurements agree within a factor of two", async () => {
    const [proc, ps] = [fromProc(process.pid), await fromPs(process.pid)];
    expect(proc! / ps!).toBeGreaterThan(0.5);
    expect(proc! / ps!).toBeLessThan(2);
  });
  test("a finished process has none", async () => {
    expect(fromProc(2 ** 30)).toBeNull();
    expect(await fromPs(2 ** 30)).toBeNull();
  });
});

describe("lines", () => {
  const stream = async function* (...chunks: string[]) {
    for (const chunk of chunks) yield new TextEncoder().encode(chunk);
  };
  const cases: [string, string[], unknown[]][] = [
    ["several in one chunk", ["1\n2\n3\n"], [1, 2, 3]],
    ["one over several chunks", ['{"a":', '"b', 'c"}', "\n"], [{ a: "bc" }]],
    ["an unfinished last one is dropped", ["1\n2"], [1]],
  ];
  for (const [why, chunks, values] of cases)
    test(why, async () => {
      expect(await Array.fromAsync(decodeLines(stream(...chunks)))).toEqual(values);
    });

  test("a character split between two reads", async () => {
    const bytes = new TextEncoder().encode('"é"\n');
    expect(
      await Array.fromAsync(
        decodeLines(
          (async function* () {
            yield bytes.slice(0, 2);
            yield bytes.slice(2);
          })(),
        ),
      ),
    ).toEqual(["é"]);
  });
});
