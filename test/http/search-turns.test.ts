/**
 * Searches of several users at once: they take turns, each user has a limit, and abandoned searches
 * are stopped.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import { TimeLimit } from "../../core/lib/timeout";
import { definePlugin, fill } from "../../core/sdk";
import { Rerankers } from "../../plugins/search/contract";
import { on_postgres } from "../helpers/databases";
import { startTestServer, type TestServer } from "../helpers/host";
import { person, type Person } from "../helpers/person";
import { randomNumbers } from "../helpers/random";
import { callOf, until } from "../helpers/server";

const under_way_max = 50;
const next = randomNumbers(5);
const letter = () => String.fromCharCode(97 + Math.floor(next() * 26));
const words = Array.from({ length: 400 }, () => Array.from({ length: 8 }, letter).join(""));
const wordsOf = (count: number) =>
  Array.from({ length: count }, () => words[Math.floor(next() * words.length)]!).join(" ");
/** About 2,000 characters. */
const long_query = wordsOf(220);

let server: TestServer;
let ada: Person;
let bob: Person;
beforeAll(async () => {
  server = await startTestServer();
  [ada, bob] = await Promise.all([person(server, "ada"), person(server, "bob")]);
  const folder = await ada.folder();
  const text = Array.from({ length: 60 }, () => wordsOf(100)).join("\n\n");
  for (let i = 0; i < 4; i++) await ada.newText(folder, text, `${i}`);
  await bob.newText(await bob.folder(), "The heron waits.", "note");
  await server.settle();
});

/** Holds whoever waits, until it is opened. */
class Gate {
  waiting = 0;
  private opened = Promise.withResolvers<void>();

  /** @throws the reason of the signal */
  async wait(signal: AbortSignal | undefined): Promise<void> {
    this.waiting++;
    const limit = new TimeLimit(Infinity, { signal });
    try {
      await limit.race(this.opened.promise);
    } finally {
      limit.clear();
      this.waiting--;
    }
  }

  open(): void {
    this.opened.resolve();
    this.opened = Promise.withResolvers();
  }
}

/** A reranker that keeps the order, and holds these queries at the gate. */
const withReranker = (holds: (query: string) => boolean, gate: Gate) =>
  definePlugin({
    name: "held-searches",
    version: "1.0.0",
    setup: () => ({
      fills: [
        fill(Rerankers, {
          passages_max: 2,
          async rerank(query, _texts, { signal }) {
            if (holds(query)) await gate.wait(signal);
            return null;
          },
        }),
      ],
    }),
  });

/** Searches, and adds the name to `order` when the response arrives. */
const search = async (who: Person, query: string, name: string, order: string[]) => {
  const { status } = await who.send("POST", "/search", { query });
  expect(status).toBe(200);
  order.push(name);
};

test("a user with many searches doesn't block another", async () => {
  const order: string[] = [];
  const backlog = Array.from({ length: 40 }, (_, i) => search(ada, long_query, `${i}`, order));
  await search(bob, "heron", "bob", order);
  expect(order.length).toBeLessThan(10);
  await Promise.all(backlog);
  const answered = order.filter((name) => name !== "bob");
  // PostgreSQL is asked who the users are, so simultaneous searches end in any order.
  if (on_postgres) answered.sort((a, b) => Number(a) - Number(b));
  expect(answered).toEqual(Array.from({ length: 40 }, (_, i) => `${i}`));
});

describe("the limit of concurrent searches", () => {
  const refused_with = {
    code: "too_many_searches",
    detail: expect.stringContaining("50 searches"),
  };
  /** Searches for `held` wait in the reranker until they are let go or aborted. */
  const held_word = "kingfisher";
  let gate: Gate;
  let limited: TestServer;
  let eve: Person;
  let fay: Person;
  beforeAll(async () => {
    gate = new Gate();
    limited = await startTestServer({
      plugins: [withReranker((query) => query === held_word, gate)],
    });
    [eve, fay] = await Promise.all([person(limited, "eve"), person(limited, "fay")]);
    for (const who of [eve, fay]) {
      const folder = await who.folder();
      for (const place of ["pond", "river"])
        await who.newText(folder, `The heron and the kingfisher wait at the ${place}.`, place);
    }
    await limited.settle();
  });

  const begin = (count: number, signal?: AbortSignal): Promise<Response>[] =>
    Array.from({ length: count }, () => {
      const { path, init } = callOf(eve.key, "POST", "/search", { query: held_word }, {});
      const more = signal ? { ...init, signal } : init;
      return limited.fetch(new Request(`http://dossier.test${path}`, more));
    });

  test("refuses those beyond it of an account, but not of others", async () => {
    const searches = begin(under_way_max + 10);
    const first = await Promise.race(searches);
    expect(first.status).toBe(429);
    expect(first.headers.get("retry-after")).toBe("1");
    expect(await first.json()).toMatchObject(refused_with);
    expect((await fay.send("POST", "/search", { query: "heron" })).status).toBe(200);
    await until(() => gate.waiting === under_way_max);
    gate.open();
    const statuses = (await Promise.all(searches)).map(({ status }) => status);
    expect(Map.groupBy(statuses, (status) => status).get(200)).toHaveLength(under_way_max);
    expect(Map.groupBy(statuses, (status) => status).get(429)).toHaveLength(10);
  });
  test("does not count aborted searches", async () => {
    const giving_up = new AbortController();
    const searches = begin(under_way_max, giving_up.signal);
    await until(() => gate.waiting === under_way_max);
    expect((await eve.send("POST", "/search", { query: "heron" })).status).toBe(429);
    giving_up.abort();
    await Promise.allSettled(searches);
    expect((await eve.send("POST", "/search", { query: "heron" })).status).toBe(200);
  });
});

test("an answer's search isn't refused, however many searches its user makes", async () => {
  const order: string[] = [];
  const chat = await bob.create("/chats", {
    usedFolders: (await bob.send("GET", "/folders")).body.data.map(({ id }: { id: string }) => id),
  });
  const backlog = Array.from({ length: under_way_max }, (_, i) =>
    search(bob, long_query, `${i}`, order),
  );
  expect((await bob.ask(chat.id, "Who waits?")).answer).toContain("heron");
  await Promise.all(backlog);
});
