/**
 * Acceptance, on the executable: which real runs webhooks are notified of, and which they are
 * not.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { verify } from "@octokit/webhooks-methods";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { form } from "../helpers/forms";
import { allowed, startHooks, type Hook, type Hooks } from "../helpers/hooks";

let hooks: Hooks;
let hook: Hook;
let transcribed: Hook;
const directory = mkdtempSync(join(tmpdir(), "dossier-runs-"));
/** A fake engine that returns the file `said`, and waits until it exists. */
const hears = join(directory, "hears.sh");
writeFileSync(
  hears,
  `while [ ! -e "${directory}/said" ]; do sleep 0.05; done; cat "${directory}/said"\n`,
);
let folder: string;
/** Serves pages, except missing ones and one that never ends. */
const site = Bun.serve({
  port: 0,
  hostname: allowed,
  idleTimeout: 0,
  fetch: (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/robots.txt" || pathname.startsWith("/missing"))
      return new Response(null, { status: 404 });
    if (pathname === "/hangs")
      return new Response(
        new ReadableStream({ start: (to) => to.enqueue(new TextEncoder().encode("<html>")) }),
        { headers: { "content-type": "text/html" } },
      );
    if (pathname === "/sitemap.xml")
      return new Response(
        `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"></urlset>`,
        { headers: { "content-type": "application/xml" } },
      );
    return new Response(
      `<html><head><title>${pathname}</title></head><body><main><h1>Page</h1><p>The page ` +
        `at ${pathname} tells of kettles and of much besides.</p></main></body></html>`,
      { headers: { "content-type": "text/html" } },
    );
  },
});
const at = (...paths: readonly string[]) => ({
  type: "urls",
  urls: paths.map((path) => `http://${allowed}:${site.port}/${path}`),
});

beforeAll(async () => {
  hooks = await startHooks({
    env: {
      DOSSIER_IMPORTS_ALLOW_NETWORKS: allowed,
      DOSSIER_TRANSCRIPTION_PROVIDER: "command",
      DOSSIER_TRANSCRIPTION_COMMAND: `sh ${hears} {input}`,
    },
  });
  folder = await hooks.ada.folder();
  hook = await hooks.register();
  transcribed = await hooks.register(undefined, { type: "transcription.completed" });
}, 180_000);
afterAll(async () => {
  await hooks?.[Symbol.asyncDispose]();
  await site.stop(true);
  rmSync(directory, { recursive: true });
});
beforeEach(() => hooks.receiver.answerWith(() => new Response(null, { status: 204 })));

const start = async (source: object): Promise<string> => {
  const { status, body } = await hooks.ada.send("POST", "/imports", { folder_id: folder, source });
  expect(status).toBe(202);
  return body.id;
};
const ended = async (id: string): Promise<any> =>
  (
    await hooks.server.until(`/imports/${id}`, ({ body }) => body.finished_at !== null, {
      key: hooks.ada.key,
      limit_ms: 25_000,
    })
  ).body;
const deliveriesOf = async (of: number): Promise<any[]> => {
  await hooks.server.untilTrue(() => hooks.receiver.deliveries.length >= of);
  return hooks.receiver.deliveries.map(({ body }) => JSON.parse(body));
};

describe("import.finished", () => {
  const cases: [
    why: string,
    source: () => object,
    status: string,
    counts: readonly [completed: number, succeeded: number, failed: number],
  ][] = [
    ["all items succeeded", () => at("a", "b", "c"), "completed", [3, 3, 0]],
    ["unchanged items count as succeeded", () => at("a", "b"), "completed", [2, 2, 0]],
    ["some items failed", () => at("d", "missing/1"), "completed_with_errors", [2, 1, 1]],
    ["no item succeeded", () => at("missing/1", "missing/2"), "failed", [2, 0, 2]],
    [
      "nothing to import",
      () => ({ type: "sitemap", url: `http://${allowed}:${site.port}/sitemap.xml` }),
      "completed",
      [0, 0, 0],
    ],
    [
      "an unreadable source",
      () => ({ type: "sitemap", url: `http://${allowed}:${site.port}/missing.xml` }),
      "failed",
      [0, 0, 0],
    ],
    [
      "a refused address counts as a failed item",
      () => ({ type: "urls", urls: ["http://127.0.0.1/"] }),
      "failed",
      [1, 0, 1],
    ],
  ];
  for (const [
    why,
    source,
    status,
    [completed_item_count, succeeded_item_count, failed_item_count],
  ] of cases)
    test(why, async () => {
      const id = await start(source());
      const run = await ended(id);
      const counts = { status, completed_item_count, succeeded_item_count, failed_item_count };
      expect(await deliveriesOf(1)).toEqual([
        { event: "import.finished", import_run_id: id, ...counts },
      ]);
      // The run itself reports the same.
      expect({
        status: run.status,
        completed_item_count: run.completed_item_count,
        succeeded_item_count: run.succeeded_item_count,
        failed_item_count: run.failed_item_count,
      }).toEqual(counts);
      const { body, headers } = hooks.receiver.deliveries[0]!;
      expect([
        headers.get("x-service-event"),
        await verify(hook.secret, body, headers.get("x-service-signature")!),
      ]).toEqual(["import.finished", true]);
    });
});

const captions = "WEBVTT\n\n00:00:01.000 --> 00:00:04.000\nThe kettle came from Linz.\n";
/** A second of silence. */
function recording(): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.alloc(44 + 16_000);
  bytes.write("RIFF");
  bytes.writeUInt32LE(bytes.length - 8, 4);
  bytes.write("WAVEfmt ", 8);
  for (const [at, value] of [
    [16, 16],
    [24, 8_000],
    [28, 16_000],
  ] as const)
    bytes.writeUInt32LE(value, at);
  for (const [at, value] of [
    [20, 1],
    [22, 1],
    [32, 2],
    [34, 16],
  ] as const)
    bytes.writeUInt16LE(value, at);
  bytes.write("data", 36);
  bytes.writeUInt32LE(16_000, 40);
  return new Uint8Array(bytes);
}
const says = (words: string | null): void =>
  words === null
    ? rmSync(join(directory, "said"), { force: true })
    : writeFileSync(join(directory, "said"), words);
const transcribe = async (
  name: string,
  content: string | Uint8Array<ArrayBuffer>,
): Promise<string> => {
  const { status, body } = await hooks.ada.send(
    "POST",
    `/transcriptions?folder_id=${folder}`,
    form(name, content),
  );
  expect(status).toBe(202);
  return body.id;
};
const heard = async (id: string): Promise<any> =>
  (
    await hooks.server.until(`/transcriptions/${id}`, ({ body }) => body.finished_at !== null, {
      key: hooks.ada.key,
      limit_ms: 25_000,
    })
  ).body;

describe("transcription.completed", () => {
  const cases: [why: string, name: string, content: () => string | Uint8Array<ArrayBuffer>][] = [
    ["captions", "talk.vtt", () => captions],
    ["a recording", "talk.wav", recording],
  ];
  for (const [why, name, content] of cases)
    test(why, async () => {
      says(captions);
      const id = await transcribe(name, content());
      const run = await heard(id);
      expect(run.status).toBe("completed");
      expect(await deliveriesOf(1)).toEqual([
        {
          event: "transcription.completed",
          processing_run_id: id,
          result_history_id: run.result_history_id,
          status: "completed",
        },
      ]);
      const { body, headers } = hooks.receiver.deliveries[0]!;
      expect([
        headers.get("x-service-event"),
        await verify(transcribed.secret, body, headers.get("x-service-signature")!),
      ]).toEqual(["transcription.completed", true]);
    });
});

describe("no webhook is sent for", () => {
  /** Each starts a run that must not be reported. */
  const cases: [why: string, run: () => Promise<string>, ends: string][] = [
    [
      "a cancelled import",
      async () => {
        const id = await start(at("e", "hangs"));
        await hooks.server.until(`/imports/${id}`, ({ body }) => body.succeeded_item_count === 1, {
          key: hooks.ada.key,
        });
        expect((await hooks.ada.send("POST", `/imports/${id}/cancel`)).status).toBe(202);
        return id;
      },
      "cancelled",
    ],
    [
      "files from the user's device",
      async () => {
        const body = form("device.txt", "From the device.");
        body.append("files", body.get("file")!);
        body.delete("file");
        const answer = await hooks.ada.send("POST", `/imports/files?folder_id=${folder}`, body);
        expect(answer.status).toBe(202);
        return answer.body.id;
      },
      "completed",
    ],
    [
      "a transcription of a file that isn't a recording",
      () => transcribe("talk.bin", new Uint8Array([1, 2, 3, 4])),
      "failed",
    ],
    ["captions without words", () => transcribe("empty.vtt", "WEBVTT\n"), "failed"],
    [
      "a cancelled transcription",
      async () => {
        says(null);
        const id = await transcribe("long.wav", recording());
        await hooks.server.until(`/transcriptions/${id}`, ({ body }) => body.status === "running", {
          key: hooks.ada.key,
        });
        expect((await hooks.ada.send("POST", `/transcriptions/${id}/cancel`)).status).toBe(202);
        return id;
      },
      "cancelled",
    ],
  ];
  for (const [why, run, ends] of cases)
    test(why, async () => {
      const id = await run();
      expect((await (id.startsWith("trn_") ? heard : ended)(id)).status).toBe(ends);
      // A later run is reported, so this one would have been too.
      const next = await start(at("f"));
      await ended(next);
      expect((await deliveriesOf(1)).map(({ import_run_id }) => import_run_id)).toEqual([next]);
      expect(
        [...(await hook.log()), ...(await transcribed.log())].filter(({ request_body }) =>
          request_body.includes(id),
        ),
      ).toEqual([]);
    });
});
