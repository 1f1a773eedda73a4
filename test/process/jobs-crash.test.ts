/**
 * Kill -9 at random moments: no acknowledged job is lost, takes effect twice or ends without its
 * effect.
 */
import { expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { attempts_max } from "../helpers/jobs-child";
import { randomNumbers } from "../helpers/random";

const kills = 20;
/** Longest life of one server, milliseconds. */
const life_ms_max = 250;
const batch = 8;

type Child = Bun.Subprocess<"pipe", "pipe", "inherit">;

/**
 * One server's lifetime: enqueues from `next` on until `kill` asks to stop, and returns the
 * acknowledged jobs.
 */
async function live(
  directory: string,
  next: () => number,
  kill: (child: Child) => Promise<unknown>,
): Promise<number[]> {
  const child: Child = Bun.spawn(
    [process.execPath, join(import.meta.dir, "../helpers/jobs-child.ts"), directory],
    { stdin: "pipe", stdout: "pipe", stderr: "inherit" },
  );
  const acknowledged: number[] = [];
  let rest = "";
  let killing: Promise<unknown> | undefined;
  const send = async (count: number) => {
    if (child.killed) return;
    for (let i = 0; i < count; i++) child.stdin.write(`${next()}\n`);
    await child.stdin.flush();
  };
  // The kill may come between the check and the write.
  const brokenPipe = (error: unknown) => {
    if (!child.killed) throw error;
  };
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop()!;
    for (const line of lines) {
      if (line === "ready") {
        killing = kill(child);
        send(batch).catch(brokenPipe);
      } else {
        acknowledged.push(Number(line.split(" ")[1]));
        send(1).catch(brokenPipe);
      }
    }
  }
  await killing;
  await child.exited;
  return acknowledged;
}

test(`every acknowledged job runs exactly once, with ${kills} kills in between`, async () => {
  const seed = Number(
    process.env["DOSSIER_TEST_SEED"] ?? crypto.getRandomValues(new Uint32Array(1))[0],
  );
  console.log(`seed ${seed}; DOSSIER_TEST_SEED=${seed} repeats it`);
  const random = randomNumbers(seed);
  const directory = mkdtempSync(join(tmpdir(), "dossier-crash-"));
  const acknowledged: number[] = [];
  let number = 0;
  for (let round = 0; round < kills; round++) {
    acknowledged.push(
      ...(await live(
        directory,
        () => number++,
        async (child) => {
          await Bun.sleep(random() * life_ms_max);
          child.kill("SIGKILL");
        },
      )),
    );
  }
  const unfinished = () => new Database(join(directory, "dossier.db"), { readonly: true });
  await live(
    directory,
    () => number++,
    async (child) => {
      child.stdin.end();
      const database = unfinished();
      const count = database.query<{ n: number }, []>(
        "select count(*) as n from core_jobs where state in ('ready', 'running')",
      );
      for (const end = performance.now() + 60_000; count.get()!.n > 0 && performance.now() < end;)
        await Bun.sleep(20);
      database.close();
      child.kill("SIGKILL");
    },
  );

  const database = unfinished();
  const jobs = database
    .query<{ name: string; state: string; attempts: number }, []>(
      "select name, state, attempts from core_jobs",
    )
    .all();
  const effects = database
    .query<{ name: string }, []>("select name from effects")
    .all()
    .map((row) => row.name);
  expect(
    database.query<{ integrity_check: string }, []>("pragma integrity_check").get()!
      .integrity_check,
  ).toBe("ok");
  expect(jobs.filter((job) => job.state !== "done")).toEqual([]);
  expect(new Set(effects).size).toBe(effects.length);
  expect(
    acknowledged.filter(
      (each) => !effects.includes(`work ${each}`) || !effects.includes(`done ${each}`),
    ),
  ).toEqual([]);
  // A job without its effect would show here, and an effect without its job too.
  expect(effects.length).toBe(jobs.length);
  const interrupted = jobs.filter((job) => job.attempts > 1).length;
  console.log(
    `${acknowledged.length} acknowledged, ${jobs.length} jobs, ${interrupted} of them interrupted`,
  );
  expect(acknowledged.length).toBeGreaterThan(kills);
  expect(interrupted).toBeGreaterThan(0);
  expect(Math.max(...jobs.map((job) => job.attempts))).toBeLessThan(attempts_max);
  database.close();
  rmSync(directory, { recursive: true });
}, 180_000);
