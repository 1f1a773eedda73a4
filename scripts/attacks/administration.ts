/** Cases: what an administrator may ask for, and the world around the server. */
import { inParallel } from "../bench/server";
import { makeText } from "../bench/text";
import { first_password } from "../lib/launch";
import type { Attacker } from "./attacker";
import type { Case } from "./case";
import { notes } from "./seeds";

/** The cookie of the administrator, for the console's own API. */
async function adminCookie({ order }: Attacker): Promise<string> {
  const response = await fetch(`${order.url}/console/api/v1/session`, {
    method: "POST",
    headers: { origin: order.url, "content-type": "application/json" },
    body: JSON.stringify({ email: "admin@example.com", password: first_password }),
  });
  return response.headers.getSetCookie()[0]!.split(";")[0]!;
}

/** Requests of the administrator in the console, in so many loops: GET, or POST with a body. */
async function inConsole(
  attacker: Attacker,
  loops: number,
  path: string,
  body?: object,
): Promise<() => Promise<void>> {
  const headers = { cookie: await adminCookie(attacker), origin: attacker.order.url };
  return () =>
    attacker.repeat(loops, () =>
      attacker.send(`//console/api/v1${path}`, { key: null, headers, ...(body && { body }) }),
    );
}

const longTexts = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => makeText(at, 10_000));

/** Texts, eight at a time, whose events are sent to receivers at these ports and paths. */
async function notesFor(
  attacker: Attacker,
  places: readonly string[],
): Promise<() => Promise<void>> {
  for (const place of places)
    await attacker.call("POST", "/webhooks", {
      event_type: "import.finished",
      url: `http://127.0.0.1:${place}`,
      events: ["document.synced", "document.deleted"],
    });
  const folder_id = await attacker.newFolder();
  return () =>
    attacker.repeat(8, (at) =>
      attacker.send("/documents", { body: { folder_id, content: `Note ${at}` } }),
    );
}

const receiverThat = (fetch: (request: Request) => Response | Promise<Response>) =>
  Bun.serve({ port: 0, hostname: "127.0.0.1", idleTimeout: 120, fetch });

/** A body of pieces, one after each pause. */
const endless = (piece: string, pause_ms: number): Response =>
  new Response(
    new ReadableStream({
      async pull(body) {
        await Bun.sleep(pause_ms);
        body.enqueue(Buffer.from(piece));
      },
    }),
  );
/** How receivers answer. */
const receivers: Readonly<Record<string, () => Response | Promise<Response>>> = {
  busy: () => new Response(null, { status: 503, headers: { "retry-after": "1" } }),
  slow: () => Bun.sleep(3_000).then(() => new Response()),
  silent: () => Bun.sleep(60_000).then(() => new Response()),
  drips: () => endless("a", 100),
  floods: () => endless("a".repeat(1_000_000), 1),
};

export const administration_cases: readonly Case[] = [
  {
    name: "System page",
    reason: "the state of the server with its checks, 16 at a time, beside uploads",
    without_vectors: true,
    async prepare(attacker) {
      await attacker.newTexts(longTexts(1_000), 300_000);
      const folder_id = await attacker.newFolder("More");
      const pages = await inConsole(attacker, 16, "/system");
      return () =>
        Promise.all([
          pages(),
          attacker.repeat(4, (at) =>
            attacker.send("/documents", { body: { folder_id, content: `Note ${at}` } }),
          ),
        ]);
    },
  },
  {
    name: "backups",
    reason: "backups of 40 MB are asked for again and again",
    without_vectors: true,
    async prepare(attacker) {
      await attacker.newTexts(longTexts(2_000), 300_000);
      return inConsole(attacker, 2, "/backups", {});
    },
  },
  {
    name: "reindex everything",
    reason: "2,000 documents are indexed again, with their vectors",
    async prepare(attacker) {
      const folder_id = await attacker.newTexts(notes(2_000), 300_000);
      type Ids = { readonly ids: readonly string[] };
      const { ids } = await attacker.call<Ids>("GET", `/folders/${folder_id}/document-ids`);
      const parts = Array.from({ length: Math.ceil(ids.length / 200) }, (_, at) =>
        ids.slice(at * 200, at * 200 + 200),
      );
      return () =>
        inParallel(parts.length, 4, async (at) => {
          const body = { action: "reindex", document_ids: parts[at]!, folder_id };
          await attacker.send("/documents/batch", { body });
        });
    },
  },
  {
    name: "slow webhooks",
    reason: "webhooks that answer after a minute, for events of thousands of documents",
    without_vectors: true,
    env: { DOSSIER_WEBHOOKS_ALLOW_NETWORKS: "127.0.0.1/32" },
    async prepare(attacker) {
      const receiver = receiverThat(() => receivers["silent"]!());
      return notesFor(
        attacker,
        Array.from({ length: 10 }, (_, at) => `${receiver.port}/${at}`),
      );
    },
  },
  {
    name: "odd receivers",
    reason: "webhooks whose receivers hang up, are busy, or never end their answers",
    without_vectors: true,
    env: { DOSSIER_WEBHOOKS_ALLOW_NETWORKS: "127.0.0.1/32" },
    async prepare(attacker) {
      const receiver = receiverThat(({ url }) => receivers[new URL(url).pathname.slice(1)]!());
      const closing = Bun.listen({
        port: 0,
        hostname: "127.0.0.1",
        socket: { data: (socket) => socket.terminate() },
      });
      const kinds = Object.keys(receivers).map((kind) => `${receiver.port}/${kind}`);
      return notesFor(attacker, [...kinds, `${closing.port}/1`, `${closing.port}/2`]);
    },
  },
  {
    name: "full log",
    reason: "errors are logged to a device that is full",
    full_log: true,
    env: { DOSSIER_SERVER_LOG_LEVEL: "debug" },
    prepare: async (attacker) => () => attacker.repeat(32, () => attacker.send("/folders")),
  },
  {
    name: "metrics and documentation",
    reason: "the OpenAPI document and the documentation, 32 at a time",
    prepare: async (attacker) => () =>
      attacker.repeat(32, (at) =>
        attacker.send(at % 2 === 0 ? "/openapi.json" : "//docs/configuration", { key: null }),
      ),
  },
];
