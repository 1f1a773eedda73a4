/**
 * Limits across several processes: exact under any interleaving, and released when a process dies.
 * Tested on facts in memory and, where it is installed, on facts in PostgreSQL.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { findPostgres, startPostgres, type PostgresServer } from "../../scripts/lib/postgres";
import type { SharedLimits } from "../../core/shared/shared-limiter";
import { Lockout } from "../../plugins/accounts/lockout";
import { HostDelays } from "../../plugins/imports/politeness";
import { LeasedWindows } from "../../plugins/rate-limit/leased-windows";
import { SingleUse } from "../../plugins/sign-in/single-use";
import { databaseOfFacts, processesOn, type Processes } from "../helpers/processes";
import { until } from "../helpers/server";

/** The length of a window that does not end while the tests run. */
const no_end_ms = 1e13;
const never = new AbortController().signal;
/** The three processes take turns. */
const turns = <T>(count: number, of: readonly T[]): T[] =>
  Array.from({ length: count }, (_, n) => of[n % of.length]!);

const engines: [string, () => Promise<string | null>][] = [["facts in memory", async () => null]];
let postgres: PostgresServer | null = null;
let databases = 0;
if (findPostgres() !== null) {
  beforeAll(async () => {
    postgres = await startPostgres();
  }, 60_000);
  afterAll(() => postgres?.stop());
  engines.push([
    "facts in PostgreSQL",
    () => databaseOfFacts(postgres!.url, `facts_${++databases}`),
  ]);
}

describe.each(engines)("%s", (_engine, database) => {
  let url: string | null;
  beforeAll(async () => {
    url = await database();
  });
  const processes = (): Processes => processesOn(url);

  test("changes of one fact are serialised", async () => {
    await using three = processes();
    const count = (state: Processes["all"][number]["state"]) =>
      state.change<number, number>("test", "sum", (before = 0) => ({
        value: before + 1,
        keep_ms: 60_000,
        result: before + 1,
      }));
    const sums = await Promise.all(turns(300, three.all).map(({ state }) => count(state)));
    expect(sums.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 300 }, (_, n) => n + 1));
  });

  test("changes of one fact are serialised even if it is repeatedly forgotten", async () => {
    await using three = processes();
    const steps = turns(300, three.all).map(({ state }) =>
      state.change<number, boolean>("test", "of three", (before = 0) =>
        before === 2
          ? { value: null, result: true }
          : { value: before + 1, keep_ms: 60_000, result: false },
      ),
    );
    expect((await Promise.all(steps)).filter(Boolean).length).toBe(100);
  });

  test("a fact is forgotten when it expires or when a change removes it", async () => {
    await using three = processes();
    const [one, two] = three.all;
    const read = (key: string) =>
      two!.state.change<string, string | null>("test", key, (value) => ({ result: value ?? null }));
    const put = (key: string, keep_ms: number) =>
      one!.state.change("test", key, () => ({ value: "there", keep_ms, result: null }));
    await put("short", 5);
    await put("long", 60_000);
    await until(async () => (await read("short")) === null);
    expect(await read("long")).toBe("there");
    await one!.state.change("test", "long", () => ({ value: null, result: null }));
    expect(await read("long")).toBeNull();
  });

  const windowsOf = (three: Processes, requests_max: number, window_ms = no_end_ms) =>
    three.all.map(
      ({ notifier, state }) =>
        new LeasedWindows({
          notifier,
          limits: () => ({ requests_max, window_ms }),
          state,
          now_ms: Date.now,
          unbounded_prefix: "address:",
          unbounded_max: 3,
        }),
    );

  const floods: [why: string, requests: number, most: number][] = [
    ["of many requests", 1_500, 600],
    ["of a few requests over a small limit", 60, 7],
    ["of no more requests than the limit", 90, 90],
  ];
  test.each(floods)("a rate limit is exact under a flood %s", async (why, requests, most) => {
    await using three = processes();
    const windows = windowsOf(three, most);
    const answers = await Promise.all(
      turns(requests, windows).map((window) => window.take(`owner:${why}`, 1)),
    );
    const allowed = answers.filter((answer) => answer.allowed);
    expect(allowed.length).toBe(Math.min(requests, most));
    const is_valid = answers.every(({ limit, remaining }) => limit === most && remaining >= 0);
    expect(is_valid && answers.every(({ remaining }) => remaining < most)).toBe(true);
  });

  test("requests unused by one process go to the others before any refusal", async () => {
    await using three = processes();
    const [one, two, idle] = windowsOf(three, 300);
    expect((await idle!.take("owner:ivy", 1)).allowed).toBe(true);
    expect((await one!.take("owner:ivy", 1)).allowed).toBe(true);
    const answers = await Promise.all(
      turns(400, [one!, two!]).map((window) => window.take("owner:ivy", 1)),
    );
    expect(answers.filter(({ allowed }) => allowed).length).toBe(298);
  });

  test("sequential requests to any of the processes use up the whole limit", async () => {
    await using three = processes();
    const windows = windowsOf(three, 40);
    const allowed: boolean[] = [];
    for (const window of turns(60, windows))
      allowed.push((await window.take("owner:bob", 1)).allowed);
    expect(allowed).toEqual([...Array<boolean>(40).fill(true), ...Array<boolean>(20).fill(false)]);
  });

  test("a stopping process returns its unused requests to the others", async () => {
    await using three = processes();
    const [one, two] = windowsOf(three, 100);
    expect(await one!.take("owner:eve", 1)).toMatchObject({ allowed: true, remaining: 99 });
    await one!.stop();
    const answers = await Promise.all(
      turns(120, [two!]).map((window) => window.take("owner:eve", 1)),
    );
    expect(answers.filter(({ allowed }) => allowed).length).toBe(99);
  });

  test("a check without a charge costs nothing, and a refusal ends with the window", async () => {
    await using three = processes();
    const [one, two] = windowsOf(three, 2, 400);
    expect(await one!.take("owner:may", 0)).toMatchObject({ allowed: true, remaining: 2 });
    let acquired = 0;
    while ((await one!.take("owner:may", 1)).allowed) acquired++;
    expect(acquired).toBeGreaterThanOrEqual(2);
    expect(await one!.take("owner:may", 0)).toMatchObject({ allowed: false, remaining: 0 });
    await until(async () => (await two!.take("owner:may", 1)).allowed);
    await until(async () => one!.size <= 1);
  });

  test("unbounded subjects beyond the maximum share one count", async () => {
    await using three = processes();
    const [one] = windowsOf(three, 5);
    for (let n = 0; n < 20; n++) await one!.take(`address:${n}`, 1);
    expect(one!.size).toBe(4);
    expect((await one!.take("address:new", 1)).allowed).toBe(false);
    expect((await one!.take("owner:new", 1)).allowed).toBe(true);
  });

  test("concurrent wrong passwords get as many attempts as sequential ones", async () => {
    await using three = processes();
    const lockouts = three.all.map(({ shared }) => new Lockout({ shared }));
    const waits = await Promise.all(
      turns(30, lockouts).map((lockout) => lockout.enter("ada", "192.0.2.1")),
    );
    expect(waits.filter((wait_s) => wait_s === 0).length).toBe(5);
    expect(waits.filter((wait_s) => wait_s > 5)).toEqual([]);
    expect(await lockouts[2]!.enter("bob", "192.0.2.1")).toBe(0);
    await lockouts[1]!.succeeded("bob", "192.0.2.1");
    expect(await lockouts[0]!.enter("ada", "192.0.2.1")).toBeGreaterThan(0);
  });

  test("a token that may be used once is used only once", async () => {
    await using three = processes();
    const uses = three.all.map(({ shared }) => new SingleUse({ shared, keep_ms: 60_000 }));
    const taken = await Promise.all(turns(30, uses).map((tokens) => tokens.redeem("token")));
    expect(taken.filter(Boolean).length).toBe(1);
  });

  test("requests to one host are spaced out across all processes", async () => {
    await using three = processes();
    const delays = three.all.map(({ shared }) => new HostDelays({ shared }));
    const begun = performance.now();
    const waited = await Promise.all(
      turns(4, delays).map(async (shared_delays) => {
        await shared_delays.wait("host", 40, never);
        return performance.now() - begun;
      }),
    );
    const sorted = waited.toSorted((a, b) => a - b);
    // Timers and the database clock count in whole milliseconds.
    expect(sorted.map((ms, n) => ms >= 40 * n - 3)).toEqual([true, true, true, true]);
  });

  test("the open limit of a key holds across processes, and closing frees a place", async () => {
    await using three = processes();
    const limits = three.all.map(({ shared }) => shared.openLimit("test.open", 5));
    const opened = await Promise.all(turns(30, limits).map((limit) => limit.acquire("ada")));
    const closes = opened.filter((close) => close !== null);
    expect(closes.length).toBe(5);
    expect(await limits[0]!.acquire("bob")).not.toBeNull();
    closes[0]!();
    // Closing twice must not free another place.
    closes[0]!();
    await until(async () => (await limits[1]!.acquire("ada")) !== null);
    expect(await limits[2]!.acquire("ada")).toBeNull();
  });

  test("a dead process frees its places; they count again if it was only frozen", async () => {
    await using three = processes();
    const [one, two] = three.all.map(({ shared }) => shared.openLimit("test.dead", 3));
    for (let n = 0; n < 3; n++) expect(await one!.acquire("ada")).not.toBeNull();
    expect(await two!.acquire("ada")).toBeNull();
    three.alive.delete("node_0");
    expect(await two!.acquire("ada")).not.toBeNull();
    three.alive.add("node_0");
    three.all[0]!.notifier.missed();
    await until(async () => {
      const close = await two!.acquire("ada");
      close?.();
      return close === null;
    });
  });
});

describe.each(engines)("slots of a shared limiter on %s", (_engine, database) => {
  let url: string | null;
  beforeAll(async () => {
    url = await database();
  });

  const messages: [why: string, lost: boolean][] = [
    ["by messages", false],
    ["when those are lost", true],
  ];
  test.each(messages)("never exceed the limits, and every call gets one, %s", async (why, lost) => {
    await using three = processesOn(url);
    if (lost) three.loseMessages();
    const limits = () => ({ concurrency: 4, per_key: 3 });
    const places = three.all.map(({ shared }) => shared.limiter(`test.${why}`, limits));
    let running = 0;
    const of_key = { ada: 0, bob: 0 };
    const most = { running: 0, of_key: 0 };
    const work = async (key: "ada" | "bob") => {
      most.running = Math.max(most.running, ++running);
      most.of_key = Math.max(most.of_key, ++of_key[key]);
      await Bun.sleep(1);
      running -= 1;
      of_key[key] -= 1;
      return key;
    };
    const done = await Promise.all(
      turns(lost ? 18 : 60, places).map((semaphore, n) => {
        const key = n % 4 === 3 ? "bob" : "ada";
        return semaphore.run(() => work(key), { key });
      }),
    );
    expect(most).toEqual({ running: 4, of_key: 3 });
    expect(done.length).toBe(lost ? 18 : 60);
  });

  test("are given in request order, skipping callers that have left", async () => {
    await using three = processesOn(url);
    const places = three.all.map(({ shared }) =>
      shared.limiter("test.order", () => ({ concurrency: 1 })),
    );
    const leave = await places[0]!.enter();
    const disconnection = new AbortController();
    const order: string[] = [];
    const asking: Promise<unknown>[] = [];
    for (const [at, name] of ["first", "gone", "second", "third"].entries()) {
      const signal = name === "gone" ? disconnection.signal : never;
      asking.push(
        places[at % 3]!.run(async () => order.push(name), { signal }).catch((error: Error) =>
          order.push(error.message),
        ),
      );
      // The next request must come after this one.
      await until(async () => (await waitingIn(three)) === at + 1);
    }
    disconnection.abort(new Error("gone away"));
    await until(async () => (await waitingIn(three)) === 3);
    leave();
    await Promise.all(asking);
    expect(order).toEqual(["gone away", "first", "second", "third"]);
  });
  const waitingIn = (three: Processes): Promise<number> =>
    three.all[2]!.state.change<{ waiting: unknown[] }, number>("test.order", "", (line) => ({
      result: line?.waiting.length ?? 0,
    }));

  test("of a dead process are freed, and so are its queue entries", async () => {
    await using three = processesOn(url);
    const [one, two] = three.all.map(({ shared }) =>
      shared.limiter("test.dead", () => ({ concurrency: 1 })),
    );
    await one!.enter();
    void one!.enter();
    const third = two!.run(async () => "has it");
    three.alive.delete("node_0");
    expect(await third).toBe("has it");
  });

  test("are waited for no longer than the limit", async () => {
    await using three = processesOn(url);
    let limits: SharedLimits = { concurrency: 1 };
    const [one] = three.all.map(({ shared }) => shared.limiter("test.late", () => limits));
    const leave = await one!.enter();
    limits = { concurrency: 1, wait_ms_max: 20 };
    await expect(one!.enter()).rejects.toThrow("too long");
    limits = { concurrency: 1 };
    leave();
    const leaveAgain = await one!.enter();
    leaveAgain();
  });
});
