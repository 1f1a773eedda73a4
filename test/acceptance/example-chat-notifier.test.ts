/**
 * The plugin of examples/chat-notifier in the built executable: what the chat's incoming
 * webhook receives, and how messages are retried that it doesn't accept at once.
 */
import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from "bun:test";
import { startExecutable, type Executable } from "../helpers/executable";
import { startReceiver, type Receiver } from "../helpers/receiver";
import { importOf, startWebsite, type Website } from "../helpers/website";

setDefaultTimeout(120_000);

let dossier: Executable;
let chat: Receiver;
let site: Website;
let ada: string;
let folder_id: string;
beforeAll(async () => {
  [chat, site] = [startReceiver(), await startWebsite()];
  dossier = await startExecutable({
    example: "chat-notifier",
    env: {
      DOSSIER_IMPORTS_ALLOW_NETWORKS: "127.0.0.1/32,127.0.0.2/32",
      DOSSIER_SERVER_PUBLIC_URL: "https://dossier.example",
      DOSSIER_CHAT_NOTIFIER_URL: `http://127.0.0.2:${chat.port}/services/T0/B0/secret`,
      DOSSIER_CHAT_NOTIFIER_EVENTS: "import_ended,document_failed,answer_completed",
      DOSSIER_CHAT_NOTIFIER_USERS: "Ada@example.com",
      DOSSIER_CHAT_NOTIFIER_COLLECT: "100ms",
    },
  });
  ada = await dossier.createUser();
  folder_id = (await dossier.api("POST", "/folders", { name: "News" })).body.id;
});
afterAll(async () => {
  await dossier?.[Symbol.asyncDispose]();
  chat[Symbol.dispose]();
  await site[Symbol.asyncDispose]();
});
beforeEach(() => chat.answerWith(() => new Response("ok")));

/** Checked as Slack does: JSON with a text. */
const lines = (): string[] =>
  chat.deliveries.flatMap(({ method, path, headers, body }) => {
    expect([method, path, headers.get("content-type")]).toEqual([
      "POST",
      "/services/T0/B0/secret",
      "application/json",
    ]);
    const sent = JSON.parse(body);
    expect(Object.keys(sent)).toEqual(["text"]);
    return sent.text.split("\n");
  });
const until = (wanted: RegExp): Promise<void> =>
  dossier.untilTrue(() => lines().some((line) => wanted.test(line)));
const upload = async (name: string, key = ada, folder = folder_id): Promise<string> => {
  const form = new FormData();
  form.append("file", new File(["%PDF-1.7 and no more"], name));
  return (await dossier.api("POST", `/documents/file?folder_id=${folder}`, form, { key })).body.id;
};

describe("the chat is told", () => {
  test("of a finished import", async () => {
    site.set("/one.txt", new Response("The otter.", { headers: { "content-type": "text/plain" } }));
    const urls = [`${site.url}/one.txt`, `${site.url}/none`];
    const client = {
      send: (method: string, path: string, body?: unknown) =>
        dossier.api(method, path, body, { key: ada }),
    };
    const { run } = await importOf(client, { folder_id, source: { type: "urls", urls } });
    await until(/import/);
    expect(lines()).toEqual([
      "An import of ada@example.com has ended, 1 succeeded, 1 failed " +
        `https://dossier.example/console/imports/${run.id}`,
    ]);
  });

  test("of unreadable documents together, with their names escaped", async () => {
    const first = await upload("<!channel> @here [x](evil.test) `&`.pdf");
    const second = await upload("Second.pdf");
    await until(new RegExp(second));
    await until(new RegExp(first));
    const line = lines().find((line) => line.includes(first))!;
    expect(line).toStartWith(
      "`&lt;!channel&gt; @here [x](evil.test)  &amp; .pdf` can't be read: `",
    );
    expect(line).toEndWith(`\` https://dossier.example/console/documents/${first}`);
  });

  test("of an answer", async () => {
    const { body } = await dossier.api(
      "POST",
      "/chats",
      { usedFolders: [folder_id] },
      { key: ada },
    );
    const message = await dossier.api(
      "POST",
      `/chats/${body.id}/messages`,
      { text: "Who sleeps?" },
      { key: ada },
    );
    expect(message.status).toBeLessThan(300);
    await until(/question/);
    expect(lines()[0]).toMatch(
      new RegExp(
        `^A question of ada@example.com .+ https://dossier.example/console/chats/${body.id}$`,
      ),
    );
    expect(JSON.stringify(chat.deliveries)).not.toContain("Who sleeps");
  });

  test("of nothing by users who aren't listed", async () => {
    const key = await dossier.createUser("bob@example.com");
    const folder = (await dossier.api("POST", "/folders", { name: "Own" }, { key })).body.id;
    const bobs = await upload("Bobs.pdf", key, folder);
    await dossier.until(`/documents/${bobs}`, ({ body }) => body.status === "sync_failed", { key });
    // A later document is reported, so an earlier one would have been too.
    const adas = await upload("Adas.pdf");
    await until(new RegExp(adas));
    expect(lines().join()).not.toContain("Bobs");
  });
});

describe("a chat that refuses a message", () => {
  const later: [reason: string, first: () => Response][] = [
    ["fails", () => new Response("no", { status: 500 })],
    [
      "wants it later",
      () => new Response("slow", { status: 429, headers: { "retry-after": "0" } }),
    ],
  ];
  test.each(later)("%s: gets it again", async (reason, first) => {
    chat.answerWith((n) => (n === 0 ? first() : new Response("ok")));
    const document_id = await upload(`${reason}.pdf`);
    await until(new RegExp(document_id));
    await dossier.untilTrue(() => chat.deliveries.length === 2);
    expect(new Set(chat.deliveries.map(({ body }) => body)).size).toBe(1);
  });

  test("gets it again after the server crashes", async () => {
    chat.answerWith(() => new Response("no", { status: 503 }));
    const document_id = await upload("Crash.pdf");
    await until(new RegExp(document_id));
    await dossier.kill();
    chat.answerWith(() => new Response("ok"));
    await dossier.restart();
    await until(new RegExp(document_id));
  });

  test("has deleted the webhook: this is reported; the next message is tried", async () => {
    chat.answerWith(() => new Response("no_service", { status: 404 }));
    const health = async () => (await dossier.api("GET", "/health", undefined, { key: ada })).body;
    const deleted_id = await upload("Gone.pdf");
    await until(new RegExp(deleted_id));
    const words = "answered 404 (no_service): create a new incoming webhook there";
    await dossier.untilTrue(async () => dossier.output().includes(words));
    expect(JSON.stringify(await health())).toContain(words);
    expect(dossier.output()).not.toContain("/services/T0");
    chat.answerWith(() => new Response("ok"));
    const next = await upload("Next.pdf");
    await until(new RegExp(next));
    expect(lines().join()).not.toContain(deleted_id);
    await dossier.untilTrue(async () => !JSON.stringify(await health()).includes(words));
  });
});
