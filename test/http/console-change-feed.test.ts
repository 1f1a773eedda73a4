/**
 * Changes as they reach a browser: merged, numbered, replayed, ended with the session, and only the
 * user's own.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Change } from "../../core/base/notifier";
import { LocalOpenLimit } from "../../core/lib/open-limit";
import { ChangeFeed, streams_max } from "../../plugins/console/change-feed";
import { signedIn, type Browser } from "../helpers/browser";
import { startTestServer, type TestServer } from "../helpers/host";

interface Event {
  readonly id: string;
  readonly name: string;
  readonly data: any;
}

/** Reads a stream event by event; null at its end. */
function reader(stream: ReadableStream<Uint8Array> | Promise<ReadableStream<Uint8Array>>) {
  const bytes = Promise.resolve(stream).then((opened) => opened.getReader());
  const decoder = new TextDecoder();
  let text = "";
  const next = async (): Promise<Event | "comment" | null> => {
    for (;;) {
      const end = text.indexOf("\n\n");
      if (end === -1) {
        const { value, done } = await (await bytes).read();
        if (done) return null;
        text += decoder.decode(value, { stream: true });
        continue;
      }
      const lines = text.slice(0, end).split("\n");
      text = text.slice(end + 2);
      if (lines[0] === ":") return "comment";
      const field = (name: string) =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      if (field("event"))
        return { id: field("id")!, name: field("event")!, data: JSON.parse(field("data")!) };
    }
  };
  return {
    next,
    cancel: async () => (await bytes).cancel(),
    /** The next `count` events, comments aside. */ async take(count: number): Promise<Event[]> {
      const events: Event[] = [];
      while (events.length < count) {
        const event = await next();
        if (event === null) break;
        if (event !== "comment") events.push(event);
      }
      return events;
    },
  };
}
const change = (
  id: string,
  action: Change["action"] = "changed",
  more: Partial<Change> = {},
): Change => ({ owner_id: "ada", kind: "document", id, action, ...more });
const seen = (events: readonly Event[]) =>
  events.map(({ name, data }) => (name === "change" ? `${data.id} ${data.action}` : name));

describe("the feed", () => {
  const always = async (): Promise<boolean> => true;
  const feedOf = (isAllowed: () => Promise<boolean> = always, more: object = {}) => {
    const feed = new ChangeFeed({
      newUuid: () => "0000aaaa-",
      open_limit: new LocalOpenLimit(streams_max),
      gather_ms: 5,
      heartbeat_ms: 30,
      ...more,
    });
    return Object.assign(feed, { isAllowed });
  };
  const open = (
    feed: ReturnType<typeof feedOf>,
    last_event_id: string | null = null,
    signals: AbortSignal[] = [],
  ) => reader(feed.open({ owner_id: "ada", isAllowed: feed.isAllowed, last_event_id, signals }));

  const cases: [string, Change[], string[]][] = [
    [
      "ten changes of one record are sent as one",
      Array.from({ length: 10 }, () => change("a")),
      ["a changed"],
    ],
    ["a new record that changes is new", [change("a", "created"), change("a")], ["a created"]],
    ["a deleted record is deleted", [change("a"), change("a", "deleted")], ["a deleted"]],
    ["a recreated record is new", [change("a", "deleted"), change("a", "created")], ["a created"]],
    ["two records are separate", [change("a"), change("b")], ["a changed", "b changed"]],
    [
      "one record in two folders is sent for each",
      [change("a", "changed", { folder_id: "f" }), change("a", "changed", { folder_id: "g" })],
      ["a changed", "a changed"],
    ],
    [
      "other users' changes are not sent",
      [change("x", "changed", { owner_id: "eve" }), change("a")],
      ["a changed"],
    ],
  ];
  test.each(cases)("%s", async (_why, changes, expected) => {
    const feed = feedOf();
    const stream = open(feed);
    expect(seen(await stream.take(1))).toEqual(["ready"]);
    changes.forEach(feed.observe);
    expect(seen(await stream.take(expected.length))).toEqual(expected);
    feed.observe(change("end"));
    expect(seen(await stream.take(1))).toEqual(["end changed"]);
  });

  test("resumes where a broken stream left off", async () => {
    const feed = feedOf();
    const stream = open(feed);
    await stream.take(1);
    feed.observe(change("a"));
    const [last] = await stream.take(1);
    await stream.cancel();
    feed.observe(change("b"));
    await Bun.sleep(10);
    feed.observe(change("c"));
    expect(seen(await open(feed, last!.id).take(2))).toEqual(["b changed", "c changed"]);
    expect(seen(await open(feed, last!.id).take(1))).toEqual(["b changed"]);
  });

  const lost: [string, string][] = [
    ["of another run of the server", "ffffffff-1"],
    ["from the future", "0000aaaa-99"],
    ["that is invalid", "what"],
    ["that is empty", ""],
    ["from before anybody watched", "0000aaaa-0"],
  ];
  test.each(lost)("sends a reset after an id %s", async (_why, id) => {
    const feed = feedOf();
    await open(feed).take(1);
    for (const name of ["a", "b"]) {
      feed.observe(change(name));
      await Bun.sleep(10);
    }
    const other = new ChangeFeed({
      newUuid: () => "0000aaaa-",
      open_limit: new LocalOpenLimit(streams_max),
      gather_ms: 1,
    });
    // The other feed has sent nothing yet, so number 0 is its beginning.
    if (id === "0000aaaa-0") {
      const stream = reader(
        other.open({ owner_id: "bob", isAllowed: always, last_event_id: null, signals: [] }),
      );
      await stream.take(1);
      other.observe(change("x", "changed", { owner_id: "bob" }));
      await stream.take(1);
      expect(
        seen(
          await reader(
            other.open({ owner_id: "ada", isAllowed: always, last_event_id: id, signals: [] }),
          ).take(1),
        ),
      ).toEqual(["reset"]);
    } else expect(seen(await open(feed, id).take(1))).toEqual(["reset"]);
  });

  test("sends a reset to a slow reader, and keeps no more than its ring", async () => {
    const feed = feedOf();
    const stream = open(feed);
    await stream.take(1);
    for (let n = 0; n < 2_000; n++) feed.observe(change(`d${n}`));
    await Bun.sleep(20);
    feed.observe(change("last"));
    expect(seen(await stream.take(1))).toEqual(["reset"]);
    feed.observe(change("after"));
    const rest: string[] = [];
    while (rest.at(-1) !== "after changed") rest.push(...seen(await stream.take(1)));
    expect(rest.filter((event) => !["last changed", "after changed"].includes(event))).toEqual([]);
  });

  test("sends a comment when idle, and ends with a signal", async () => {
    const feed = feedOf();
    const stopping = new AbortController();
    const stream = open(feed, null, [stopping.signal]);
    await stream.next();
    expect(await stream.next()).toBe("comment");
    stopping.abort();
    expect(await stream.next()).toBeNull();
  });

  test("ends with the session, and sends nothing more before that", async () => {
    let live = true;
    const feed = feedOf(async () => live);
    const stream = open(feed);
    await stream.take(1);
    live = false;
    feed.observe(change("secret"));
    expect([seen(await stream.take(1)), await stream.next()]).toEqual([["closed"], null]);
  });

  test("a stream that fails frees its place", async () => {
    const feed = feedOf(async () => {
      throw new Error("the database is closed");
    });
    for (let n = 0; n < 2 * streams_max; n++) {
      const stream = open(feed);
      await expect(stream.take(1)).rejects.toThrow("closed");
    }
  });

  test("is limited to a number of streams per user, and closed ones make room", async () => {
    const feed = feedOf();
    const streams = Array.from({ length: streams_max }, () => open(feed));
    await expect(open(feed).take(1)).rejects.toThrow(`${streams_max} streams`);
    await feed.open({ owner_id: "bob", isAllowed: always, last_event_id: null, signals: [] });
    await streams[0]!.cancel();
    expect(seen(await open(feed).take(1))).toEqual(["ready"]);
  });

  test("sends everybody a reset when changes may have been missed", async () => {
    const feed = feedOf();
    const stream = open(feed);
    await stream.take(1);
    feed.observe(change("a"));
    const [last] = await stream.take(1);
    feed.observe(change("before"));
    feed.noteMissed();
    expect(seen(await stream.take(1))).toEqual(["reset"]);
    feed.observe(change("after"));
    expect(seen(await stream.take(1))).toEqual(["after changed"]);
    expect(seen(await open(feed, last!.id).take(1))).toEqual(["reset"]);
  });

  test("forgets a user some time after the last stream closes", async () => {
    const feed = feedOf(async () => true, { linger_ms: 10 });
    await open(feed).cancel();
    expect(feed.size()).toBe(1);
    await Bun.sleep(30);
    expect(feed.size()).toBe(0);
    // Nobody is watching, so nothing is kept.
    feed.observe(change("a"));
    const stream = open(feed);
    expect([seen(await stream.take(1)), await stream.next()]).toEqual([["ready"], "comment"]);
  });
});

describe("the changes sent to a browser", () => {
  let server: TestServer;
  let ada: Browser;
  beforeAll(async () => {
    server = await startTestServer({ env: { DOSSIER_WEBHOOKS_ALLOW_NETWORKS: "127.0.0.1/32" } });
    ada = await signedIn(server, "ada");
  });
  const closing: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const close of closing) await close();
  });
  async function watch(browser: Browser, headers: Record<string, string> = {}) {
    const answer = await server.fetch(
      new Request("http://dossier.test/console/api/v1/changes", {
        headers: { cookie: browser.cookie(), ...headers },
      }),
    );
    expect([
      answer.status,
      answer.headers.get("content-type"),
      answer.headers.get("cache-control"),
    ]).toEqual([200, "text/event-stream; charset=utf-8", "no-store, no-transform"]);
    const stream = reader(answer.body!);
    closing.push(() => stream.cancel());
    const [first] = await stream.take(1);
    return {
      first: first!,
      /** Reads on until a change fits; changes that come close together may be told as one. */ async until(
        kind: string,
        actions: string,
        id?: string,
      ): Promise<any> {
        for (;;) {
          const [event] = await stream.take(1);
          if (!event) throw new Error("the stream has ended");
          if (
            event.data.kind === kind &&
            actions.split(" ").includes(event.data.action) &&
            (id === undefined || event.data.id === id)
          )
            return event.data;
        }
      },
      stream,
    };
  }

  test("include everything about a folder, its documents, chats, prompts and keys", async () => {
    const { first, until } = await watch(ada);
    expect(first.name).toBe("ready");
    const api = (method: string, path: string, body?: object) =>
      server.send("ada", method, path, body);
    const { body: folder } = await api("POST", "/folders", { name: "One" });
    expect(await until("folder", "created")).toEqual({
      kind: "folder",
      id: folder.id,
      folder_id: folder.id,
      action: "created",
    });
    const { body: document } = await api("POST", "/documents", {
      folder_id: folder.id,
      name: "A",
      content: "The kettle came from Linz.",
    });
    expect(await until("document", "created")).toEqual({
      kind: "document",
      id: document.id,
      folder_id: folder.id,
      action: "created",
    });
    await server.settle();
    const { body: chat } = await api("POST", "/chats", { usedFolders: [folder.id] });
    await until("chat", "created", chat.id);
    const { body: message } = await api("POST", `/chats/${chat.id}/messages`, {
      text: "Where did the kettle come from?",
    });
    await until("message", "created changed", message.requestId);
    await server.settle();
    const { body: prompt } = await api("POST", "/prompts", { name: "P", text: "Be brief." });
    await until("prompt", "created", prompt.id);
    await api("PUT", `/prompts/${prompt.id}`, { text: "Be briefer." });
    await ada.send("POST", "/keys", { name: "k" });
    await until("key", "created");
    await api("PATCH", `/documents/${document.id}`, { name: "B" });
    await until("document", "changed", document.id);
    expect((await api("GET", `/documents/${document.id}`)).body.name).toBe("B");
    await api("DELETE", `/chats/${chat.id}`);
    await until("chat", "deleted", chat.id);
    await api("DELETE", `/folders/${folder.id}`);
    await until("folder", "deleted", folder.id);
  });

  test("include a webhook and the state of its deliveries", async () => {
    using receiver = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => new Response(null, { status: 204 }),
    });
    const { until } = await watch(ada);
    const { status, body: webhook } = await server.send("ada", "POST", "/webhooks", {
      event_type: "import.finished",
      url: `http://127.0.0.1:${receiver.port}/`,
    });
    expect(status).toBe(201);
    await until("webhook", "created", webhook.id);
    const { body: delivery } = await server.send("ada", "POST", `/webhooks/${webhook.id}/test`);
    await until("delivery", "created changed", delivery.id);
    await server.settle();
    expect(
      (await server.send("ada", "GET", `/webhooks/${webhook.id}/deliveries`)).body.data[0],
    ).toMatchObject({ id: delivery.id, status: "delivered" });
    await server.send("ada", "POST", `/webhooks/${webhook.id}/rotate-secret`);
    await until("webhook", "changed", webhook.id);
    await server.send("ada", "DELETE", `/webhooks/${webhook.id}`);
    await until("webhook", "deleted", webhook.id);
  });

  test("exclude other users' changes", async () => {
    const { stream } = await watch(ada);
    await server.send("eve", "POST", "/folders", { name: "Eve's" });
    const { body } = await server.send("ada", "POST", "/folders", { name: "Ada's" });
    expect((await stream.take(1))[0]!.data.id).toBe(body.id);
  });

  test("exclude changes that were rolled back", async () => {
    const limited = await startTestServer({ env: { DOSSIER_QUOTAS_FOLDERS: "1" } });
    const bob = await signedIn(limited, "bob");
    const answer = await limited.fetch(
      new Request("http://dossier.test/console/api/v1/changes", {
        headers: { cookie: bob.cookie() },
      }),
    );
    const stream = reader(answer.body!);
    await stream.take(1);
    const { body } = await limited.send("bob", "POST", "/folders", { name: "kept" });
    expect((await limited.send("bob", "POST", "/folders", { name: "refused" })).status).toBe(403);
    await limited.send("bob", "PUT", `/folders/${body.id}`, { name: "renamed" });
    const events = await stream.take(1);
    expect(events.every(({ data }) => data.id === body.id)).toBe(true);
    await stream.cancel();
  });

  const endings: [string, (who: string) => Promise<unknown>][] = [
    ["the user is deactivated", (who) => server.accounts.setUserActive(`usr_${who}`, false)],
    [
      "the password is changed elsewhere",
      (who) => server.accounts.changePassword(`usr_${who}`, "another horse entirely"),
    ],
  ];
  test.each(endings)("end at once when %s", async (why, act) => {
    const who = why.replaceAll(" ", "");
    const { stream } = await watch(await signedIn(server, who));
    await act(who);
    expect([seen(await stream.take(1)), await stream.next()]).toEqual([["closed"], null]);
  });

  test("resume after Last-Event-ID, in the header or the query", async () => {
    const { until, stream } = await watch(ada);
    const { body } = await server.send("ada", "POST", "/folders", { name: "Two" });
    await until("folder", "created", body.id);
    const witness = await watch(ada);
    await stream.cancel();
    const { body: missed } = await server.send("ada", "POST", "/folders", { name: "Three" });
    await witness.until("folder", "created", missed.id);
    const second_feed = await watch(ada, { "last-event-id": "nothing" });
    expect(second_feed.first.name).toBe("reset");
    const [epoch, number] = second_feed.first.id.split("-");
    const { first } = await watch(ada, { "last-event-id": `${epoch}-${Number(number) - 1}` });
    expect(first.data).toMatchObject({ kind: "folder", id: missed.id });
    const answer = await server.fetch(
      new Request(
        `http://dossier.test/console/api/v1/changes?last_event_id=${epoch}-${Number(number) - 1}`,
        { headers: { cookie: ada.cookie() } },
      ),
    );
    expect((await reader(answer.body!).take(1))[0]!.data).toMatchObject({ id: missed.id });
  });
});
