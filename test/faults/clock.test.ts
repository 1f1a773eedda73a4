/**
 * The machine's clock jumps a year ahead and is corrected, with the server running or stopped:
 * nothing waits for that year, nobody is locked out, and nothing is deleted too early. Or it jumps
 * by some hours, as after a suspension.
 */
import { afterEach, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startExecutable, type Executable } from "../helpers/executable";
import { temporaryDirectory } from "../helpers/data-directory";

const library = findLibrary();
if (library === null) console.log("Wrong clocks are skipped: they need the package `faketime`.");

const year_s = 365 * 24 * 3600;
const second_ms = 1_000;
/** Documents are purged in this minute of every hour. */
const tick_minute = 17;
/** Seconds from now until `before_s` before the next such minute. */
const secondsTo = (minute: number, before_s: number): number =>
  (minute * 60 - before_s - ((Date.now() / second_ms) % 3600) + 3600) % 3600;
const takes_all = process.env.DOSSIER_TEST_FAULTS === "all";
let server: Executable | undefined;
let clock: string;
afterEach(async () => {
  await server?.[Symbol.asyncDispose]();
  server = undefined;
});

/** Where Debian and others put libfaketime. */
function findLibrary(): string | null {
  if (process.platform !== "linux") return null;
  for (const directory of [
    "/usr/lib",
    ...(existsSync("/usr/lib") ? readdirSync("/usr/lib") : []),
  ]) {
    const path = join("/usr/lib", directory.replace("/usr/lib", ""), "faketime");
    if (existsSync(join(path, "libfaketimeMT.so.1"))) return join(path, "libfaketimeMT.so.1");
  }
  return null;
}
/** Sets the server's clock off by this many seconds, whether it runs or not. */
const set = (seconds: number): void =>
  writeFileSync(clock, `${seconds < 0 ? "-" : "+"}${Math.abs(Math.round(seconds))}\n`);

async function start(seconds: number, env: Record<string, string> = {}): Promise<Executable> {
  clock = join(temporaryDirectory(), "clock");
  set(seconds);
  server = await startExecutable({
    env: {
      LD_PRELOAD: library!,
      FAKETIME_TIMESTAMP_FILE: clock,
      FAKETIME_NO_CACHE: "1",
      // Only the wall clock is wrong; the monotonic clock is right.
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
      DOSSIER_ADMIN_EMAIL: "root@example.com",
      DOSSIER_ADMIN_PASSWORD: "correct horse battery staple",
      ...env,
    },
  });
  return server;
}
const create = async (path: string, body: object): Promise<string> => {
  const answer = await server!.send("ada", "POST", path, body);
  expect([answer.status, answer.body]).toEqual([201, answer.body]);
  return answer.body.id;
};
const add = (folder_id: string, content: string) => create("/documents", { folder_id, content });
const synced = (id: string) =>
  server!.until(`/documents/${id}`, ({ body }) => body.status === "synced");
const set_right: [how: string, restarts: boolean][] = [
  ["while the server runs", false],
  ["while it is stopped", true],
];
async function setRight(restarts: boolean): Promise<void> {
  if (restarts) await server!.stop();
  set(0);
  if (restarts) await server!.restart();
}

describe.skipIf(library === null)("a clock that was a year ahead and is corrected", () => {
  for (const [how, restarts] of set_right) {
    test(`${how}: texts are indexed, answers come, deleted links can be restored`, async () => {
      await start(0);
      const folder_id = await create("/folders", { name: "F" });
      const before = await add(folder_id, "The gannet nests on the cliff.");
      await synced(before);
      set(year_s);
      const ahead = await add(folder_id, "The puffin sleeps in the burrow.");
      const chat = await create("/chats", { usedFolders: [folder_id] });
      expect(
        (await server!.send("ada", "DELETE", `/documents/${before}?folder_id=${folder_id}`)).status,
      ).toBe(204);
      await setRight(restarts);
      await synced(ahead);
      await synced(await add(folder_id, "The seal swims."));
      expect(
        (await server!.send("ada", "POST", `/documents/${before}/restore?folder_id=${folder_id}`))
          .status,
      ).toBe(200);
      const { status, body } = await server!.send("ada", "POST", `/chats/${chat}/messages`, {
        text: "Where does the puffin sleep?",
      });
      expect(status).toBe(202);
      await server!.until(
        `/chats/${chat}/messages/${body.requestId}`,
        (answer) => answer.body.status === "COMPLETED",
      );
    });

    test(`${how}: no requests are rate-limited for that year`, async () => {
      await start(year_s, { DOSSIER_RATE_LIMIT_REQUESTS: "5", DOSSIER_RATE_LIMIT_WINDOW: "1s" });
      let status = 200;
      for (let n = 0; n < 20 && status !== 429; n++)
        ({ status } = await server!.send("ada", "GET", "/folders"));
      await setRight(restarts);
      await server!.untilTrue(
        async () => (await server!.send("ada", "GET", "/folders")).status === 200,
        5 * second_ms,
      );
    });

    test(`${how}: people sign in, and stay signed in`, async () => {
      await start(year_s);
      await signIn();
      await setRight(restarts);
      expect((await session(await signIn())).status).toBe(200);
    });

    // Without a restart it takes a minute: a schedule checks the clock no sooner.
    test.skipIf(!restarts && !takes_all)(
      `${how}: hourly schedules run, and nothing is deleted by age too early`,
      async () => {
        await start(0);
        const folder_id = await create("/folders", { name: "F" });
        const document_id = await add(folder_id, "The gannet nests on the cliff.");
        const chat_id = await create("/chats", { usedFolders: [folder_id] });
        for (const path of [
          `/documents/${document_id}?folder_id=${folder_id}`,
          `/chats/${chat_id}`,
        ])
          expect((await server!.send("ada", "DELETE", path)).status).toBe(204);
        if (restarts) await server!.stop();
        set(year_s + secondsTo(tick_minute, restarts ? 8 : 75));
        if (restarts) await server!.restart();
        const this_year = new Date().toISOString().slice(0, 4);
        const ticks = (of_this_year: boolean) =>
          ticksOf(server!.data).filter((at) => at.startsWith(this_year) === of_this_year).length;
        await server!.untilTrue(() => ticks(false) === 1, 100 * second_ms);
        // The hour scheduled before the correction may have come early.
        const early = ticks(true);
        if (restarts) await server!.stop();
        set(secondsTo(tick_minute, restarts ? 8 : 75));
        if (restarts) await server!.restart();
        await server!.untilTrue(() => ticks(true) > early, 100 * second_ms);
        for (const path of [
          `/documents/${document_id}/restore?folder_id=${folder_id}`,
          `/chats/${chat_id}/restore`,
        ])
          expect((await server!.send("ada", "POST", path)).status).toBe(200);
      },
      240_000,
    );
  }
});

test.skipIf(library === null)(
  "a machine that was suspended for eight hours: work in progress ends, people stay signed in",
  async () => {
    await start(0);
    const folder_id = await create("/folders", { name: "F" });
    const cookie = await signIn();
    const in_progress = await Promise.all(
      Array.from({ length: 20 }, (_, n) => add(folder_id, `The gannet ${n} nests. `.repeat(500))),
    );
    set(8 * 3600);
    for (const id of in_progress) await synced(id);
    expect((await session(cookie)).status).toBe(200);
    await synced(await add(folder_id, "The puffin sleeps in the burrow."));
    const found = await server!.send("ada", "POST", "/search", { query: "puffin" });
    expect(found.body.data).toHaveLength(1);
    const { status } = (await (await fetch(`${server!.url()}/health`)).json()) as any;
    expect(status).toBe("ok");
    expect(await server!.stop()).toBe(0);
  },
  60_000,
);

const signIn = async (): Promise<string> => {
  const answer = await fetch(`${server!.url()}/console/api/v1/session`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: server!.url() },
    body: JSON.stringify({
      email: "root@example.com",
      password: "correct horse battery staple",
    }),
  });
  expect(answer.status).toBe(200);
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0]!)
    .join("; ");
};
const session = (cookie: string): Promise<Response> =>
  fetch(`${server!.url()}/console/api/v1/account/sessions`, { headers: { cookie } });

/** Hours in which documents have been purged by schedule. */
function ticksOf(data: string): string[] {
  const database = new Database(join(data, "dossier.db"), { readonly: true });
  try {
    return database
      .query<{ key: string }, []>(
        "select key from core_jobs where name = 'documents.purge' and key is not null " +
          "and state = 'done' order by created_at",
      )
      .all()
      .map(({ key }) => /\d{4}-\S+/.exec(key)?.[0] ?? key);
  } finally {
    database.close();
  }
}
