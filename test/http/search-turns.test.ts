/**
 * Searches of several users at once: they take turns, each user has a limit, and abandoned searches
 * are stopped.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import { on_postgres } from "../helpers/databases";
import { startTestServer, type TestServer } from "../helpers/host";
import { person, type Person } from "../helpers/person";
import { chance } from "../helpers/random";
import { callOf } from "../helpers/server";

const under_way_max = 50;
const next = chance(5);
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
  /** Searches that can be aborted together. */
  function begin(count: number) {
    const giving_up = new AbortController();
    const answers = Array.from({ length: count }, () => {
      const { path, init } = callOf(ada.key, "POST", "/search", { query: long_query }, {});
      return server.fetch(
        new Request(`http://dossier.test${path}`, { ...init, signal: giving_up.signal }),
      );
    });
    return { answers, giveUp: () => giving_up.abort() };
  }

  test("refuses one too many of an account, but not of others", async () => {
    const { answers } = begin(under_way_max + 10);
    const { status } = await bob.send("POST", "/search", { query: "heron" });
    expect(status).toBe(200);
    const all = await Promise.all(answers);
    if (on_postgres) all.sort((a, b) => a.status - b.status);
    const statuses = all.map((one) => one.status);
    expect(statuses.slice(0, under_way_max)).toEqual(Array<number>(under_way_max).fill(200));
    // If a search ends while others arrive, one of these may still get in.
    expect(new Set(statuses.slice(under_way_max))).toContain(429);
    const refused = all.find(({ status: one }) => one === 429)!;
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(await refused.json()).toMatchObject({
      code: "too_many_searches",
      detail: expect.stringContaining("50 searches"),
    });
  });
  test("does not count aborted searches", async () => {
    const { answers, giveUp } = begin(under_way_max);
    await Bun.sleep(20);
    giveUp();
    await Promise.allSettled(answers);
    const order: string[] = [];
    await search(ada, words[0]!, "ada", order);
    expect(order).toEqual(["ada"]);
  });
});

test("an answer's search isn't refused, however many searches its user makes", async () => {
  const order: string[] = [];
  const chat = await bob.made("/chats", {
    usedFolders: (await bob.send("GET", "/folders")).body.data.map(({ id }: { id: string }) => id),
  });
  const backlog = Array.from({ length: under_way_max }, (_, i) =>
    search(bob, long_query, `${i}`, order),
  );
  expect((await bob.ask(chat.id, "Who waits?")).answer).toContain("heron");
  await Promise.all(backlog);
});
