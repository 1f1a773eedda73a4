/**
 * `bun scripts/make-released.ts [name]`: writes a small data directory with the executable of this
 * version to test/released/<version>, for the upgrade tests of all later versions. Run it once per
 * release; a layout between two releases gets a name with the time of its commit, such as
 * 0.1.0-20261122-0926. Its database is compressed.
 */
import { Database } from "bun:sqlite";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import manifest from "../package.json";
import { createKey, launch } from "./lib/launch";

const root = resolve(import.meta.dir, "..");
const target = join(root, "test/released", process.argv[2] ?? manifest.version);
const data = mkdtempSync(join(tmpdir(), "dossier-released-"));
const server = await launch({ data });
const key = await createKey(data, "ada@example.com", { role: "admin" });

async function call<T = { id: string }>(method: string, path: string, body?: object): Promise<T> {
  const form = body instanceof FormData;
  const response = await fetch(`${server.url}/api/dev/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body && !form ? { "content-type": "application/json" } : {}),
      prefer: "wait=20",
    },
    ...(body ? { body: form ? body : JSON.stringify(body) } : {}),
  });
  if (!response.ok)
    throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}

const folder = await call("POST", "/folders", {
  name: "Hut",
  description: "Everything about the hut.",
});
const inner = await call("POST", "/folders", { name: "Water", parentId: folder.id });
await call("POST", "/documents", {
  folder_id: inner.id,
  name: "Pump",
  content: "The pump of the hut was made in Graz.\n\nIt needs oil every spring.",
});
const form = new FormData();
form.append(
  "file",
  new File([readFileSync(join(root, "examples/handbook/handbook.pdf"))], "handbook.pdf"),
);
await call("POST", `/documents/file?folder_id=${folder.id}`, form);
const prompt = await call("POST", "/prompts", { name: "Short", text: "Answer in one sentence." });
const syncing = async (id: string) =>
  (await call<{ status_counts: { syncing: number } }>("GET", `/folders/${id}`)).status_counts
    .syncing;
while ((await syncing(folder.id)) + (await syncing(inner.id)) > 0) await Bun.sleep(50);
const chat = await call("POST", "/chats", {
  name: "Questions",
  usedFolders: [folder.id],
  usedPrompts: [prompt.id],
});
const { requestId } = await call<{ requestId: string }>("POST", `/chats/${chat.id}/messages`, {
  text: "Where was the pump made?",
});
while (
  (await call<{ status: string }>("GET", `/chats/${chat.id}/messages/${requestId}`)).status !==
  "COMPLETED"
)
  await Bun.sleep(50);
server.kill("SIGTERM");
await server.exited;

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
const database = new Database(join(data, "dossier.db"));
const copy = join(data, "copy.db");
database.run("vacuum into ?", [copy]);
database.close();
await Bun.write(
  join(target, "dossier.db.gz"),
  Bun.gzipSync(new Uint8Array(readFileSync(copy)), { level: 9 }),
);
cpSync(join(data, "files"), join(target, "files"), {
  recursive: true,
  filter: (path) => !path.endsWith("/tmp"),
});
const about = {
  version: manifest.version,
  key,
  folder_id: folder.id,
  inner_id: inner.id,
  chat_id: chat.id,
  request_id: requestId,
};
await Bun.write(join(target, "about.json"), `${JSON.stringify(about, null, 2)}\n`);
rmSync(data, { recursive: true, force: true });
console.log(`wrote ${target}`);
