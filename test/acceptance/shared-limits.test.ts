/**
 * Three executables on one PostgreSQL database: limits apply across all of them, and any of them
 * can report, stream and cancel the work of another.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { findPostgres } from "../../scripts/lib/postgres";
import { buildIfStale } from "../../scripts/build";
import { startCluster, type Cluster } from "../helpers/cluster";
import { expectInOrder, stateAfter, watching, watchingBy } from "../helpers/events";
import { chunk, event, raw, says, startProvider } from "../helpers/provider";
import { until } from "../helpers/server";

const [A, B, C] = [0, 1, 2];
const requests_max = 500;

/** Listed as skipped where PostgreSQL 15 or later isn't installed. */
const suite = findPostgres() === null ? describe.skip : describe;

suite("three processes on one PostgreSQL", () => {
  let cluster: Cluster;
  let ada: string;
  const provider = startProvider();
  beforeAll(async () => {
    await buildIfStale();
    cluster = await startCluster({
      // A window longer than the tests.
      DOSSIER_RATE_LIMIT_WINDOW: "1000000h",
      DOSSIER_RATE_LIMIT_REQUESTS: String(requests_max),
      DOSSIER_EVENTS_STREAMS_MAX: "4",
      DOSSIER_WEBHOOKS_ALLOW_NETWORKS: "127.0.0.1/32",
      DOSSIER_ANSWERS_PROVIDER: "openai",
      DOSSIER_ANSWERS_BASE_URL: provider.base_url,
      DOSSIER_ANSWERS_MODEL: "tiny-1",
    });
    ada = await cluster.nodes[A]!.key("ada");
  }, 120_000);
  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
    await provider.stop();
  });
  /** Sends `count` requests at once, to the processes in turn. */
  const fire = (count: number, send: (n: number) => Promise<Response>): Promise<Response[]> =>
    Promise.all(Array.from({ length: count }, (_, n) => send(n)));
  const countOf = (answers: readonly Response[], status: number): number =>
    answers.filter((answer) => answer.status === status).length;
  const key = (who: string): Promise<string> => cluster.nodes[A]!.key(who);

  test("together allow exactly as many requests as one", async () => {
    const bob = await key("bob");
    const answers = await fire(600, (n) => cluster.call(n, bob, "GET", "/folders"));
    expect([countOf(answers, 200), countOf(answers, 429)]).toEqual([
      requests_max,
      600 - requests_max,
    ]);
    expect(answers.every(({ headers }) => Number(headers.get("x-ratelimit-remaining")) >= 0)).toBe(
      true,
    );
    // Another user has a separate window.
    expect((await cluster.send(B, ada, "GET", "/folders")).status).toBe(200);
  });

  test("together allow as many wrong passwords as one", async () => {
    const answers = await fire(12, (n) => {
      const { origin } = new URL(cluster.nodes[n % 3]!.url());
      return fetch(`${origin}/console/api/v1/session`, {
        method: "POST",
        headers: { "content-type": "application/json", origin },
        body: JSON.stringify({ email: "ada@example.com", password: `a wrong guess ${n}` }),
      });
    });
    expect([countOf(answers, 401), countOf(answers, 429)]).toEqual([5, 7]);
  });

  test("together allow as many streams per user as one; closing one frees a slot", async () => {
    const eve = await key("eve");
    const answers = await fire(12, (n) => cluster.call(n, eve, "GET", "/events"));
    expect([countOf(answers, 200), countOf(answers, 429)]).toEqual([4, 8]);
    const open = answers.filter(({ status }) => status === 200);
    await open[0]!.body!.cancel();
    await until(async () => {
      const second_stream = await cluster.call(C, eve, "GET", "/events");
      await second_stream.body?.cancel();
      return second_stream.status === 200;
    });
    await Promise.all(open.slice(1).map(({ body }) => body!.cancel()));
  });

  test("together allow ten webhooks per user, even with concurrent requests", async () => {
    const answers = await fire(20, (n) =>
      cluster.call(n, ada, "POST", "/webhooks", {
        event_type: "import.finished",
        url: `http://127.0.0.1:9/${n}`,
      }),
    );
    expect([countOf(answers, 201), countOf(answers, 400)]).toEqual([10, 10]);
    expect((await cluster.send(B, ada, "GET", "/webhooks")).body.length).toBe(10);
  });

  test("stream events of other processes and resume their streams", async () => {
    const events = async (node: number, after?: string) =>
      watchingBy(
        await cluster.call(node, ada, "GET", "/events", undefined, {
          ...(after !== undefined && { "last-event-id": after }),
        }),
        String,
      );
    const at_b = await events(B);
    await at_b.until(({ event: name }) => name === "ready");
    const create = async (node: number, name: string): Promise<string> =>
      (await cluster.send(node, ada, "POST", "/folders", { name })).body.id;
    const names = async (at: typeof at_b, ids: readonly string[]) => {
      await at.until(({ data }) => data.folder_id === ids.at(-1));
      return at.events.flatMap(({ data }) =>
        ids.includes(data.folder_id) ? [data.folder_id] : [],
      );
    };
    const first = [await create(A, "one"), await create(C, "two"), await create(B, "three")];
    expect(await names(at_b, first)).toEqual(first);
    const last = at_b.events.at(-1)!.id;
    await at_b.disconnect();
    const missed = [await create(B, "four"), await create(A, "five")];
    const at_c = await events(C, last);
    const rest = [...missed, await create(A, "six")];
    expect(await names(at_c, rest)).toEqual(rest);
    expect(at_c.events.map(({ event: name }) => name)).not.toContain("reset");
    await at_c.disconnect();
  });

  /** Asks a question about a new document; returns the path of the message. */
  async function askOn(node: number, text: string): Promise<string> {
    const { body } = await cluster.send(node, ada, "POST", "/folders", { name: text });
    const content = "The heron stands in shallow water. It waits for fish.";
    const document = await cluster.send(node, ada, "POST", "/documents", {
      folder_id: body.id,
      content,
    });
    await until(
      async () =>
        (await cluster.send(B, ada, "GET", `/documents/${document.body.id}`)).body.status ===
        "synced",
    );
    const chat = await cluster.send(node, ada, "POST", "/chats", { usedFolders: [body.id] });
    const messages = `/chats/${chat.body.id}/messages`;
    const message = await cluster.send(node, ada, "POST", messages, { text });
    return `${messages}/${message.body.requestId}`;
  }
  const stream = async (node: number, path: string, after?: number) =>
    watching(
      await cluster.call(node, ada, "GET", `${path}/stream`, undefined, {
        ...(after !== undefined && { "last-event-id": String(after) }),
      }),
    );

  test("stream another process's answer and resume where a third left off", async () => {
    const release = Promise.withResolvers<void>();
    const answer = "The heron stands in shallow water [1].";
    const begun = "The heron stands";
    provider.answerWith(
      () =>
        new Response(
          new ReadableStream({
            async start(controller) {
              const put = (text: string) => controller.enqueue(new TextEncoder().encode(text));
              put(chunk({ content: begun }));
              await release.promise;
              put(chunk({ content: answer.slice(begun.length) }));
              put(chunk({}, "stop") + event("[DONE]"));
              controller.close();
            },
          }),
          { headers: { "content-type": "text/event-stream" } },
        ),
    );
    const path = await askOn(A, "Where does the heron stand?");
    const at_b = await stream(B, path);
    const half = await at_b.until(({ event: name, data }) => name === "delta" && !!data.text);
    await at_b.disconnect();
    const at_c = await stream(C, path, half.id);
    const poll = cluster.send(B, ada, "GET", `${path}?timeout_ms=20000`);
    release.resolve();
    expect(await at_c.ended).toBe(true);
    expectInOrder([...at_b.events, ...at_c.events]);
    expect(stateAfter(at_c.events, stateAfter(at_b.events))).toMatchObject({
      text: answer,
      result: { answer, citations: [{ quote: "The heron stands in shallow water." }] },
    });
    expect((await poll).body.status).not.toBe("PENDING");
  });

  test("cancel another process's answer", async () => {
    let aborted = false;
    provider.answerWith(({ signal }) => {
      signal.addEventListener("abort", () => (aborted = true));
      return raw([chunk({ content: "The heron " })], { open: true });
    });
    const path = await askOn(A, "Where does the heron wait?");
    await until(() => provider.asked().length > 0);
    const at_c = await stream(C, path);
    expect((await cluster.send(B, ada, "POST", `${path}/cancel`)).status).toBe(202);
    expect(await at_c.ended).toBe(true);
    expect(at_c.events.at(-1)).toMatchObject({ event: "error", data: { code: "cancelled" } });
    await until(() => aborted);
    provider.answerWith(() => says("The heron stands in shallow water [1]."));
  });
});
