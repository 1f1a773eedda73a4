/**
 * The id of a request: where it comes from, and that it is on every log line and job of the request
 * and on no others.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import {
  definePlugin,
  fill,
  handle,
  job,
  JobObserver,
  PermanentFailure,
  pullStream,
  RequestObserver,
  route,
  type Context,
  type EndedRun,
  type ServedRequest,
} from "../../core/sdk";
import { signedIn } from "../helpers/browser";
import { startTestServer, type TestServer } from "../helpers/host";

const words = { tag: "Test", answers: { 200: { description: "Fine." } } };
const First = job("traced.first", Type.Object({ word: Type.String() }));
const Second = job("traced.second", Type.Object({ word: Type.String() }));
const Bad = job("traced.bad", Type.Object({}));
let ctx: Context;
const runs: EndedRun[] = [];
const served: ServedRequest[] = [];

/** Logs the word wherever a request, or what it started, can run. */
const traced = definePlugin({
  name: "traced",
  version: "1.0.0",
  routes: {
    say: route.post("/traced", {
      ...words,
      summary: "Say",
      operation: "sayTraced",
      body: Type.Object({ word: Type.String() }),
    }),
    stream: route.get("/traced/stream", { ...words, summary: "Stream", operation: "streamTraced" }),
    broken: route.get("/traced/broken", { ...words, summary: "Broken", operation: "brokenTraced" }),
  },
  setup: (context) => {
    ctx = context as unknown as Context;
    return {
      routes: {
        async say({ body: { word } }) {
          await Bun.sleep(1);
          await ctx.inTransaction(async (tx) => {
            ctx.log.error("in a transaction", { word });
            await ctx.enqueue(tx, First, { word });
            ctx.afterCommit(() => ctx.log.error("after the commit", { word }));
          });
          setTimeout(() => ctx.log.error("later", { word }), 1);
          ctx.log.error("in the handler", { word });
          return {};
        },
        stream() {
          let pieces = 0;
          const next = async () => {
            ctx.log.error("in a stream", { word: "stream" });
            return pieces++ < 2 ? "piece" : null;
          };
          return new Response(pullStream(next, () => {}));
        },
        broken: () => Promise.reject(new Error("it broke")),
      },
      jobs: [
        handle(
          First,
          async ({ word }) => {
            await Bun.sleep(1);
            ctx.log.error("in a job", { word });
            return async (tx) => {
              ctx.log.error("in its effect", { word });
              await ctx.enqueue(tx, Second, { word });
            };
          },
          { attempts_max: 1, timeout_ms: 5_000, concurrency: 8 },
        ),
        handle(Second, async ({ word }) => ctx.log.error("in a job of a job", { word }), {
          attempts_max: 1,
          timeout_ms: 5_000,
          concurrency: 8,
        }),
        handle(Bad, () => Promise.reject(new PermanentFailure("no way")), {
          attempts_max: 3,
          timeout_ms: 5_000,
        }),
      ],
      fills: [
        fill(JobObserver, () => {
          throw new Error("an observer of jobs");
        }),
        fill(JobObserver, (run) => runs.push(run)),
        fill(RequestObserver, () => {
          throw new Error("an observer of requests");
        }),
        fill(RequestObserver, (request) => served.push(request)),
      ],
    };
  },
});

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ plugins: [traced] });
});
afterAll(() => server.stop());

const lines = (word: string) =>
  ctx.operations
    .logs("error", 1_000)
    .filter(({ fields }) => fields.word === word)
    .map(({ message, fields }) => `${message}, ${fields.request_id}, job: ${"job" in fields}`)
    .toSorted();
const saidInJobs = (id?: string): string[] => [
  `in a job of a job, ${id}, job: true`,
  `in a job, ${id}, job: true`,
  `in its effect, ${id}, job: true`,
];
const linesOf = (id: string): string[] =>
  [
    ...saidInJobs(id),
    `after the commit, ${id}, job: false`,
    `in a transaction, ${id}, job: false`,
    `in the handler, ${id}, job: false`,
    `later, ${id}, job: false`,
  ].toSorted();

describe("a client's request id", () => {
  const taken: [reason: string, id: string][] = [
    ["a UUID", "6f1f2c0e-2f0b-4b7e-9f43-1d2a7c9b5e10"],
    ["one made by nginx", "b0c1d2e3f4a5968778695a4b3c2d1e0f"],
    ["one character", "x"],
    ["the maximum length", "x".repeat(128)],
    ["one made by a load balancer", "Root=1-67891233-abcdef012345678912345678"],
    ["base64", "q83vASNFZ4mrze8+/w=="],
  ];
  test.each(taken)("is accepted: %s", async (_reason, id) => {
    const found = await server.send("ada", "GET", "/folders", undefined, { "x-request-id": id });
    expect(found.headers.get("x-request-id")).toBe(id);
    const path = "/folders/fld_00000000000000000000000000";
    const missing = await server.send("ada", "GET", path, undefined, { "x-request-id": id });
    expect([missing.headers.get("x-request-id"), missing.body.request_id]).toEqual([id, id]);
  });

  const refused: [reason: string, id: string][] = [
    ["an empty one", ""],
    ["one that is too long", "x".repeat(129)],
    ["two of them", "one, two"],
    ["a space", "one two"],
    ["a quote", 'one"two'],
    ["a non-ASCII letter", "mine\u00ff"],
    ["an API key", "dsk_u31jn2t9VYFrddWDIvC7lUR0jekoPiDqSPz60iNMumsV0cKiym"],
  ];
  test.each(refused)("is replaced: %s", async (_reason, id) => {
    const { headers, body } = await server.send("ada", "GET", "/no-such", undefined, {
      "x-request-id": id,
    });
    expect(headers.get("x-request-id")).toMatch(/^req_\w{26}$/);
    expect(body.request_id).toBe(headers.get("x-request-id"));
  });
});

describe("every log line of a request has its id", () => {
  test("across shared commits, timers, and jobs started by jobs", async () => {
    const ids = Array.from({ length: 12 }, (_, n) => `request-${n}`);
    await Promise.all(
      ids.map((id) =>
        server.send("ada", "POST", "/traced", { word: `w-${id}` }, { "x-request-id": id }),
      ),
    );
    await server.settle();
    for (const id of ids) expect(lines(`w-${id}`)).toEqual(linesOf(id));
  });

  test("in a stream that the client reads", async () => {
    const { headers } = await server.send("ada", "GET", "/traced/stream");
    const id = headers.get("x-request-id");
    expect(lines("stream")).toEqual(Array(3).fill(`in a stream, ${id}, job: false`));
  });

  test("for a fault too, with the id in the response", async () => {
    const { status, body } = await server.send("ada", "GET", "/traced/broken");
    const [line] = ctx.operations
      .logs("error", 100)
      .filter(({ fields }) => fields.error === "it broke");
    expect([status, line?.fields.request_id, line?.fields.path]).toEqual([
      500,
      body.request_id,
      "/api/dev/v1/traced/broken",
    ]);
  });
});

test("jobs outside any request have no id", async () => {
  await server.store.inTransaction((tx) => ctx.enqueue(tx, First, { word: "nobody" }));
  await server.settle();
  expect(lines("nobody")).toEqual(saidInJobs());
});

describe("observers", () => {
  test("see finished jobs with the request that started them", async () => {
    runs.length = 0;
    const sent = { "x-request-id": "watched" };
    await server.send("ada", "POST", "/traced", { word: "watched" }, sent);
    await server.settle();
    expect(runs.map(({ name, request_id, outcome }) => [name, request_id, outcome])).toEqual([
      ["traced.first", "watched", "done"],
      ["traced.second", "watched", "done"],
    ]);
    for (const run of runs) {
      expect(run).toMatchObject({ plugin: "traced", attempt: 1, error: null });
      expect(run.duration_ms).toBeGreaterThan(0);
      expect(run.started_at).toBeGreaterThanOrEqual(run.created_at);
    }
    expect(served.at(-1)).toMatchObject({
      request_id: "watched",
      method: "POST",
      status: 200,
      route: expect.objectContaining({ path: "/traced" }),
    });
  });

  test("see failed jobs, which are listed with their request", async () => {
    runs.length = 0;
    await ctx.enqueue(ctx.db, Bad, {});
    await server.settle();
    expect(runs).toMatchObject([{ outcome: "failed", error: "no way", request_id: null }]);
    const root = await signedIn(server, "root", { role: "admin" });
    const { body } = await root.send("GET", "/system/jobs?state=failed");
    expect(body.data[0]).toMatchObject({ name: "traced.bad", request_id: null });
    const done = (await root.send("GET", "/system/jobs?state=done")).body.data;
    expect(done.some(({ request_id }: any) => request_id === "watched")).toBe(true);
  });
});
