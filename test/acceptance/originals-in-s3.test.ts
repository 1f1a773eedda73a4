/**
 * The built executable with its originals in a bucket: documents, an unavailable store, a crash
 * between the bucket and the database, and the error of a start with a wrong key.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mustRun, runCommand } from "../../scripts/lib/launch";
import { temporaryDirectory } from "../helpers/data-directory";
import { onSqlite } from "../helpers/databases";
import { startExecutable, type Executable } from "../helpers/executable";
import { startObjectStore, type ObjectStore } from "../helpers/object-store";

setDefaultTimeout(60_000);

let store: ObjectStore;
let dossier: Executable;
let folder_id: string;
beforeAll(async () => {
  store = await startObjectStore();
  dossier = await startExecutable({
    env: { ...store.env, DOSSIER_FILES_CACHE: "0", DOSSIER_FILES_KEEP_DELETED: "0s" },
  });
  folder_id = (await dossier.send("ada", "POST", "/folders", { name: "Reports" })).body.id;
});
afterAll(async () => {
  await dossier?.[Symbol.asyncDispose]();
  await store?.[Symbol.asyncDispose]();
});

const upload = (name: string, text: string) => {
  const form = new FormData();
  form.append("file", new Blob([text]), name);
  return dossier.send("ada", "POST", `/documents/file?folder_id=${folder_id}`, form);
};
const synced = async (id: string): Promise<void> => {
  const key = await dossier.key("ada");
  await dossier.until(`/documents/${id}`, ({ body }) => body.status === "synced", { key });
};
const original = (id: string, range?: string) =>
  dossier.call("ada", "GET", `/documents/${id}/file`, undefined, range ? { range } : {});

test("a document is read, found, downloaded by range and deleted", async () => {
  const { body } = await upload("otter.md", "# Otters\n\nThe otter sleeps in the reeds.");
  await synced(body.id);
  const found = await dossier.send("ada", "POST", "/search", {
    query: "where does the otter sleep",
  });
  expect(found.body.data[0].document_id).toBe(body.id);
  const part = await original(body.id, "bytes=2-7");
  expect([part.status, await part.text()]).toEqual([206, "Otters"]);
  expect(await store.keys()).toHaveLength(1);
  await dossier.send("ada", "DELETE", `/folders/${folder_id}`);
  await dossier.untilTrue(async () => (await store.keys()).length === 0);
  folder_id = (await dossier.send("ada", "POST", "/folders", { name: "Reports" })).body.id;
});

test("an unavailable store answers 503 where it is needed, and nothing is lost", async () => {
  const { body } = await upload("before.txt", "Before.");
  await synced(body.id);
  store.door = "shut";
  const refused = await upload("during.txt", "During.");
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "30"]);
  expect((await original(body.id)).status).toBe(503);
  expect(
    (await dossier.send("ada", "POST", "/search", { query: "before" })).body.data,
  ).toHaveLength(1);
  const doctor = await dossier.cli(["doctor"]);
  expect(doctor.code).toBe(1);
  expect(doctor.stdout + doctor.stderr).toContain("s3://originals at 127.0.0.1");
  store.door = "open";
  expect(await (await original(body.id)).text()).toBe("Before.");
  expect((await upload("during.txt", "During.")).status).toBe(201);
});

onSqlite("alone").test(
  "an object stored before a crash but missing in the database is deleted later",
  async () => {
    const before = await store.keys();
    const stored = Promise.withResolvers<void>();
    const never = new Promise<undefined>(() => {});
    let put = false;
    store.door = (method, path) => {
      if (path.includes("probe-")) return undefined;
      if (method === "PUT") put = true;
      // The check after the PUT.
      if (method !== "HEAD" || !put) return undefined;
      stored.resolve();
      return never;
    };
    const cut_off = upload("crash.txt", "Cut off.").catch(() => null);
    await stored.promise;
    await dossier.kill();
    await cut_off;
    store.door = "open";
    expect(await store.keys()).toHaveLength(before.length + 1);
    await dossier.restart();
    await dossier.untilTrue(async () => (await store.keys()).length === before.length);
    const { data } = (await dossier.send("ada", "GET", `/documents?folder_id=${folder_id}`)).body;
    for (const { id, name } of data)
      expect([name, (await original(id)).status]).toEqual([name, 200]);
  },
);

onSqlite("backups").test(
  "a backup contains the database and refers to the originals in the bucket",
  async () => {
    const backup_output = await dossier.mustCli(["backup"]);
    const path = /\S+\.zip/.exec(backup_output)![0];
    const restored = temporaryDirectory();
    const output = await mustRun(restored, ["restore", path]);
    expect(output).toContain("but in s3://originals at 127.0.0.1");
    const doctor = await runCommand(restored, ["doctor"], { env: store.env });
    expect(doctor.stdout).toContain("2 originals, none missing");
  },
);

test("one command moves the originals back into the data directory", async () => {
  await dossier.stop();
  const output = await dossier.mustCli(["files", "move", "data"]);
  expect(output).toMatch(/2 files were copied and verified/);
  const files = new Bun.Glob("??/*").scanSync(`${dossier.data}/files`);
  expect([...files].sort()).toEqual((await store.keys()).sort());
});

test("a start that can't use the bucket fails with the reason", async () => {
  const env = { ...store.env, DOSSIER_FILES_SECRET_KEY: "wrong" };
  const result = await dossier.cli(["serve", "--port", "0"], { env });
  expect(result.code).toBe(1);
  expect(result.stderr).toContain("Correct files.secret_key");
  expect(result.stderr).not.toContain('wrong"');
});
