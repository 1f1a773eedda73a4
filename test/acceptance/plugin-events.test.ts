/**
 * A plugin file in the built executable that replaces a built-in plugin and receives the events of
 * documents, folders, answers and users, whichever process caused them.
 */
import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startExecutable } from "../helpers/executable";
import { form } from "../helpers/forms";

const events = [
  ["DocumentCreated", "document_id"],
  ["DocumentSynced", "document_id"],
  ["DocumentFailed", "document_id"],
  ["DocumentChanged", "document_id"],
  ["DocumentDeleted", "document_id"],
  ["FolderCreated", "folder_id"],
  ["FolderChanged", "folder_id"],
  ["FolderDeleted", "folder_ids[0]"],
  ["AnswerCompleted", "request_id"],
  ["UserCreated", "user_id"],
  ["UserChanged", "user_id"],
  ["UserDeleted", "user_id"],
] as const;
const names = events.map(([name]) => name);

const ledger = `
import { definePlugin, handle, RateLimiter, fill, route, t } from "dossier";
import { ${names.join(", ")} } from "dossier/contracts";
const limits = { attempts_max: 3, timeout_ms: 10_000 };
export default definePlugin({
  name: "ledger",
  version: "1.0.0",
  since: "0.1",
  replaces: ["rate-limit"],
  tables: ["ledger"],
  migrations: [{ id: "0001", up: async (tx) => {
    await tx.schema.createTable("ledger").addColumn("event", "text").addColumn("about", "text").execute();
  } }],
  routes: { list: route.get("/ledger", { summary: "Events", tag: "Ledger", operation: "listLedger",
    answers: { 200: { description: "All.", schema: t.Array(t.Array(t.String())) } } }) },
  setup: (ctx) => ({
    fills: [fill(RateLimiter, { take: async () => ({ limit: 777, remaining: 777, reset_s: 1, allowed: true }) })],
    routes: { list: async () => (await ctx.db.selectFrom("ledger").selectAll().execute()).map((row) => [row.event, row.about]) },
    jobs: [${events
      .map(
        ([name, about]) =>
          `handle(${name}, async (payload) => async (tx) => { await tx.insertInto("ledger")` +
          `.values({ event: "${name}", about: payload.${about} }).execute(); }, limits)`,
      )
      .join(",\n")}],
  }),
});`;

test("a plugin gets all events, including those of users changed by the command line", async () => {
  await using dossier = await startExecutable();
  mkdirSync(join(dossier.data, "plugins"), { recursive: true });
  writeFileSync(join(dossier.data, "plugins/ledger.ts"), ledger);
  await dossier.restart();
  await dossier.createUser("ada@dossier.test");
  const events: [event: string, about: string][] = [];
  const create = async (path: string, body: unknown) =>
    (await dossier.api("POST", path, body)).body.id as string;
  const folder = await create("/folders", { name: "shelf" });
  events.push(["FolderCreated", folder]);
  await dossier.api("PUT", `/folders/${folder}`, { name: "board" });
  events.push(["FolderChanged", folder]);
  const text = await create("/documents", {
    folder_id: folder,
    name: "n",
    content: "Herons wade.",
  });
  events.push(["DocumentCreated", text], ["DocumentSynced", text]);
  const sent = await dossier.api(
    "POST",
    `/documents/file?folder_id=${folder}`,
    form("a.docx", "no such thing \u0000\u0001"),
  );
  events.push(["DocumentFailed", sent.body.id]);
  await dossier.untilTrue(
    async () => (await dossier.api("GET", `/documents/${text}`)).body.status === "synced",
  );
  await dossier.api("PATCH", `/documents/${text}`, { name: "m" });
  events.push(["DocumentChanged", text]);
  const chat = await create("/chats", { usedFolders: [folder] });
  const message = await dossier.api("POST", `/chats/${chat}/messages`, { text: "What wades?" });
  const listed = async () => {
    const { status, body } = await dossier.api("GET", "/ledger");
    expect([status, body]).toEqual([200, expect.any(Array)]);
    return body as string[][];
  };
  const untilTold = async () => {
    const missing = async () => {
      const known = (await listed()).map((row) => row.join(" "));
      return events.filter((row) => !known.includes(row.join(" ")));
    };
    for (const end = performance.now() + 30_000; (await missing()).length > 0;) {
      if (performance.now() > end) expect(await missing()).toEqual([]);
      await Bun.sleep(50);
    }
  };
  events.push(["AnswerCompleted", message.body.requestId]);
  await untilTold();

  await dossier.api("DELETE", `/folders/${folder}`);
  events.push(["FolderDeleted", folder], ["DocumentDeleted", text]);
  await dossier.mustCli(["user", "create", "--email", "bob@dossier.test", "--password-stdin"], {
    stdin: "correct horse battery",
  });
  await dossier.mustCli(["user", "deactivate", "--email", "bob@dossier.test"]);
  const users = JSON.parse(await dossier.mustCli(["user", "list", "--json"])) as any[];
  const bob = users.find(({ email }) => email === "bob@dossier.test").id;
  await dossier.mustCli(["user", "delete", "--email", "bob@dossier.test", "--yes"]);
  events.push(["UserCreated", bob], ["UserChanged", bob], ["UserDeleted", bob]);
  await untilTold();

  const { headers } = await dossier.api("GET", "/folders");
  expect(headers.get("x-ratelimit-limit")).toBe("777");
}, 120_000);
