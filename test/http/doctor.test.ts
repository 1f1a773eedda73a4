/** The doctor's checks of what is stored, each shown failing and then fixed. */
import { beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { definePlugin, fill, toNumber, type Context } from "../../core/sdk";
import { Doctors, type Checked } from "../../plugins/doctor/contract";
import { Embedders } from "../../plugins/search-index/contract";
import { buildPack } from "../../plugins/search-index/segments/pack";
import { insertPack } from "../../plugins/search-index/segments/pack-store";
import { fromStored } from "../../plugins/search-index/segments/stored-segment";
import { no_pauses } from "../../plugins/search-index/workers/worker-protocol";
import { signedIn, type Browser } from "../helpers/browser";
import { onSqlite, corruptDatabase } from "../helpers/databases";
import { startNameServer, type NameServer } from "../../scripts/lib/name-server";
import { startTestServer, type TestServer } from "../helpers/host";

let server: TestServer;
let root: Browser;
let folder_id: string;
let ctx: Context;
let names: NameServer;

/** Writes past the server, which would refuse it: data that no version writes. */
const write = (statement: string, ...values: (string | number)[]): Promise<void> =>
  corruptDatabase(server.data, statement, values);
async function check(name: string, deep = false): Promise<Checked> {
  const options = { deep: deep ? () => undefined : undefined };
  for await (const checked of server.host.slot(Doctors)[0]!.examine(options))
    if (checked.name === name) return checked;
  throw new Error(`there is no check ${name}`);
}
const fix = (id: string) => async () => {
  const { status, body } = await root.send("POST", `/system/checks/${id}/mend`);
  expect([status, typeof body.done]).toEqual([200, "string"]);
  await server.settle();
};
const filesOf = (data: string): string[] =>
  readdirSync(join(data, "files"))
    .filter((name) => /^\w\w$/.test(name))
    .flatMap((name) =>
      readdirSync(join(data, "files", name)).map((file) => join(data, "files", name, file)),
    );

const ownModel = (sha256: string): string =>
  join(server.data, "models", `own@${sha256.slice(0, 16)}.bin`);
function flipByte(path: string): void {
  const bytes = readFileSync(path);
  bytes[bytes.length >> 1]! ^= 1;
  writeFileSync(path, bytes);
}

beforeAll(async () => {
  names = await startNameServer();
  const embedder = definePlugin({
    name: "embedder",
    version: "1.0.0",
    setup: (all) => {
      ctx = all as unknown as Context;
      return {
        fills: [
          fill(Embedders, {
            model: "none",
            dimensions: null,
            texts_max: 8,
            embed: async (texts) => texts.map(() => null),
          }),
        ],
      };
    },
  });
  server = await startTestServer({
    plugins: [embedder],
    env: {
      DOSSIER_WEBHOOKS_DNS_SERVERS: names.address,
    },
  });
  root = await signedIn(server, "root", { role: "admin" });
  folder_id = (await server.send("ada", "POST", "/folders", { name: "One" })).body.id;
  for (const content of ["The pump needs oil.", "The lamp needs light."])
    await server.send("ada", "POST", "/documents", { folder_id, content });
  const form = new FormData();
  form.append("file", new Blob(["An original."]), "one.txt");
  await server.send("ada", "POST", `/documents/file?folder_id=${folder_id}`, form);
  await server.settle();
});

/** As searches do when there are thousands of passages. */
async function packAll(): Promise<void> {
  const rows = await ctx.db.selectFrom("index_segments").select(["id", "data"]).execute();
  const members = rows
    .map(({ id, data }) => ({ id: toNumber(id), segment: fromStored(data.slice()) }))
    .toSorted((a, b) => a.id - b.id);
  const pack = await buildPack(members, no_pauses);
  await ctx.inTransaction(async (tx) => {
    expect(await insertPack(tx, 1, "usr_ada", pack)).toBe(true);
  });
}
async function flipByteOfPack(): Promise<void> {
  const { part, data } = await ctx.db
    .selectFrom("index_pack_parts")
    .select(["part", "data"])
    .orderBy((e) => e.fn("length", ["data"]), "desc")
    .executeTakeFirstOrThrow();
  const bytes = Uint8Array.from(data as Uint8Array);
  bytes[bytes.length - 1]! ^= 1;
  await ctx.inTransaction(async (tx) => {
    await tx
      .updateTable("index_pack_parts")
      .set({ data: bytes })
      .where("part", "=", part)
      .execute();
  });
}

interface Case {
  readonly check: string;
  /** As `dossier doctor --deep` makes it. */
  readonly deep?: boolean;
  readonly because: string;
  readonly spoil: () => void | Promise<void>;
  readonly status: "warn" | "fail";
  readonly says: RegExp;
  readonly mend: () => void | Promise<void>;
}
const now = () => Date.now();
let original: Buffer;
const cases: readonly Case[] = [
  {
    check: "References",
    because: "a row refers to a missing row",
    spoil: () =>
      write(
        "insert into documents_versions (document_id, version, sha256, size_bytes, media_type, " +
          "in_files, pages, text_ready) values ('doc_none', 1, 'x', 1, 'text/plain', 0, '[]', 0)",
      ),
    status: "fail",
    says: /a row of documents_versions points to a row of documents that is not there/,
    mend: () => write("delete from documents_versions where document_id = 'doc_none'"),
  },
  {
    check: "Permissions",
    because: "others can read the data directory",
    spoil: () => chmodSync(server.data, 0o755),
    status: "fail",
    says: /Other users of this machine can read/,
    mend: fix("permissions"),
  },
  {
    check: "Clock",
    because: "the database was written in the future",
    spoil: () =>
      write(
        "insert into core_jobs (id, plugin, name, payload, owner, lane, lane_max, priority, " +
          "state, run_at, attempts, attempts_max, crashes, created_at) values ('job_ZZ', 'x', " +
          "'x', '', 'x', 'x', 1, 0, 'done', 0, 1, 1, 0, ?)",
        now() + 86_400_000,
      ),
    status: "fail",
    says: /The clock is wrong, or was/,
    mend: () => write("delete from core_jobs where id = 'job_ZZ'"),
  },
  {
    check: "Originals",
    because: "a file is missing",
    spoil: () => {
      original = readFileSync(filesOf(server.data)[0]!);
      rmSync(filesOf(server.data)[0]!);
    },
    status: "fail",
    says: /originals of 1 document are missing or cut off: doc_/,
    mend: () => {
      const sha256 = new Bun.CryptoHasher("sha256").update(original).digest("hex");
      writeFileSync(join(server.data, "files", sha256.slice(0, 2), sha256), original);
    },
  },
  {
    check: "Originals",
    deep: true,
    because: "a byte of a file has flipped",
    spoil: () => {
      const [file] = filesOf(server.data);
      original = readFileSync(file!);
      flipByte(file!);
    },
    status: "fail",
    says: /originals of 1 document are damaged or can't be read: doc_/,
    // The same bytes, uploaded again, replace the damaged ones.
    mend: async () => {
      const form = new FormData();
      form.append("file", new Blob([original]), "one.txt");
      const path = `/documents/file?folder_id=${folder_id}&overwrite=true`;
      expect((await server.send("ada", "POST", path, form)).status).toBe(200);
      await server.settle();
    },
  },
  {
    check: "Models",
    deep: true,
    because: "a byte of a model has flipped",
    spoil: async () => {
      mkdirSync(join(server.data, "models"));
      const sha256 = new Bun.CryptoHasher("sha256").update("weights").digest("hex");
      const described = { name: "own", bytes: 7, sha256, query_prefix: "", document_prefix: "" };
      writeFileSync(join(server.data, "models", "own.json"), JSON.stringify(described));
      writeFileSync(ownModel(sha256), "weights");
      expect(await check("Models", true)).toMatchObject({ status: "ok" });
      flipByte(ownModel(sha256));
    },
    status: "fail",
    says: /own@\w+\.bin is damaged: its SHA-256 does not match/,
    mend: () => rmSync(join(server.data, "models"), { recursive: true }),
  },
  {
    check: "Originals",
    because: "a file belongs to no document",
    spoil: () => {
      mkdirSync(join(server.data, "files", "ff"), { recursive: true });
      writeFileSync(join(server.data, "files", "ff", "f".repeat(64)), "left behind");
    },
    status: "warn",
    says: /1 original belongs to no document/,
    mend: () => rmSync(join(server.data, "files", "ff", "f".repeat(64))),
  },
  {
    check: "Indexing",
    because: "a document waits, and no job will index it",
    spoil: () => write("update documents set status = 'syncing' where source_kind = 'upload'"),
    status: "fail",
    says: /1 document should be indexed, but have no job: doc_/,
    mend: fix("indexing"),
  },
  {
    check: "Index",
    because: "a document is missing from it",
    spoil: () =>
      write(
        "delete from index_documents where document_id = (select min(document_id) from " +
          "index_documents)",
      ),
    status: "fail",
    says: /lacks the current version of 1 document \(doc_/,
    mend: fix("index"),
  },
  {
    check: "Index",
    because: "it has another version than the current one",
    spoil: () => write("update index_documents set version = version + 1"),
    status: "fail",
    says: /lacks the current version of 3 documents/,
    mend: fix("index"),
  },
  {
    check: "Index",
    because: "it holds deleted documents",
    spoil: () =>
      write(
        "insert into index_documents (document_id, edition, version, title, analyzer, chunker, " +
          "chunks) select 'doc_none', 1, version, title, analyzer, chunker, 0 from " +
          "index_documents limit 1",
      ),
    status: "fail",
    says: /contains 1 document that should be gone/,
    mend: fix("index"),
  },
  {
    check: "Index",
    deep: true,
    because: "a segment has other bytes than its text yields",
    spoil: () =>
      write(
        "update index_segments set data = (select data from index_segments order by id desc " +
          "limit 1) where id = (select min(id) from index_segments)",
      ),
    status: "fail",
    says: /The index of 1 document is damaged: doc_/,
    mend: fix("index"),
  },
  {
    check: "Index",
    deep: true,
    because: "positions can't be read, and searches leave their document out",
    spoil: async () => {
      await write(
        "update index_segments set places = substr(places, 1, 9) where id = (select " +
          "min(id) from index_segments)",
      );
      const { status, body } = await server.send("ada", "POST", "/search", { query: "needs" });
      expect([status, body.data.length]).toEqual([200, 1]);
    },
    status: "fail",
    says: /The index of 1 document is damaged: doc_/,
    mend: fix("index"),
  },
  {
    check: "Index packs",
    deep: true,
    because: "a byte has flipped",
    spoil: async () => {
      await packAll();
      expect(await check("Index packs", true)).toMatchObject({ detail: "1 pack, none damaged." });
      await flipByteOfPack();
    },
    status: "fail",
    says: /1 pack is damaged/,
    mend: fix("index-packs"),
  },
  {
    check: "Name servers",
    because: "they don't respond",
    spoil: async () => {
      names.set("hooks.example", { a: ["93.184.216.34"] });
      const created = await server.send("ada", "POST", "/webhooks", {
        event_type: "import.finished",
        url: "https://hooks.example/in",
      });
      expect(created.status).toBe(201);
      names.set("hooks.example", "servfail");
    },
    status: "fail",
    says: /The name servers can't resolve hooks\.example/,
    mend: () => names.set("hooks.example", { a: ["93.184.216.34"] }),
  },
  {
    check: "Name servers",
    because: "they don't know the name",
    spoil: () => names.set("hooks.example", "nxdomain"),
    status: "warn",
    says: /hooks\.example, does not exist/,
    mend: () => names.set("hooks.example", { a: ["93.184.216.34"] }),
  },
  {
    check: "Webhook secrets",
    because: "one was sealed with another key",
    spoil: () => write("update webhooks set secret = 'v1.' || substr(secret, 12)"),
    status: "fail",
    says: /Of 1 webhook, 1 can't be signed.* a different secret key than .*secret\.key/,
    mend: async () => {
      const [{ id }] = (await server.send("ada", "GET", "/webhooks")).body;
      expect((await server.send("ada", "POST", `/webhooks/${id}/rotate-secret`)).status).toBe(200);
    },
  },
  {
    check: "Stored settings",
    because: "a secret was sealed with another key",
    spoil: async () => {
      await write(
        "insert into core_settings (setting, value, sealed, changed_at) values " +
          "('answers.api_key', 'v1.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', 1, 0)",
      );
      await ctx.operations.reloadSettings();
    },
    status: "fail",
    says: /answers\.api_key is not used: a stored secret can't be decrypted/,
    mend: async () => {
      await write("delete from core_settings");
      await ctx.operations.reloadSettings();
    },
  },
  {
    check: "Deliveries",
    because: "one has lost its job, and its webhook is gone",
    spoil: () =>
      write(
        "insert into webhooks_deliveries (id, webhook_id, message_id, event_type, status, " +
          "request_body, attempts, created_at) values ('whd_1', 'whk_none', 'm', " +
          "'import.finished', 'pending', '{}', 0, ?)",
        now(),
      ),
    status: "fail",
    says: /1 delivery is pending without a job/,
    mend: fix("deliveries"),
  },
  {
    check: "Vectors",
    because: "a folder counts documents that already have them",
    spoil: () => write("update folders set vectors_pending = 3 where id = ?", folder_id),
    status: "warn",
    says: /1 folder has a wrong count/,
    mend: fix("vectors"),
  },
  {
    check: "Backups",
    because: "there is none",
    spoil: () => {},
    status: "warn",
    says: /There are no backups/,
    mend: fix("backups"),
  },
  {
    check: "Backups",
    because: "the last one is old",
    spoil: () => write("update backups_runs set finished_at = ?", now() - 40 * 86_400_000),
    status: "warn",
    says: /The last backup is from/,
    mend: fix("backups"),
  },
];

const testOf = (name: string) =>
  name === "Backups"
    ? onSqlite("backups").test
    : name === "References"
      ? onSqlite("references").test
      : test;

describe("a check", () => {
  for (const { check: name, deep, because, spoil, status, says, mend } of cases)
    testOf(name)(`fails and passes again after the fix: ${name}: ${because}`, async () => {
      if (name !== "Backups") expect(await check(name, deep)).toMatchObject({ status: "ok" });
      await spoil();
      const found = await check(name, deep);
      const { detail, fix: advice } = found;
      expect([found.status, typeof advice]).toEqual([status, "string"]);
      expect(detail).toMatch(says);
      await mend();
      expect(await check(name, deep)).toMatchObject({ status: "ok", fix: null, mendable: false });
    });

  for (const address of ["93.184.216.34", "[2606:2800:220:1::1]"])
    test(`of the name servers does not look up ${address}`, async () => {
      const url = `http://${address}/in`;
      const webhook = { event_type: "import.finished", url };
      const { body } = await server.send("ada", "POST", "/webhooks", webhook);
      expect(await check("Name servers")).toMatchObject({
        status: "ok",
        detail: expect.stringContaining("IP address"),
      });
      await server.send("ada", "DELETE", `/webhooks/${body.id}`);
    });

  test("without a fix, or an unknown one, can't be fixed", async () => {
    for (const id of ["disk", "nothing"])
      expect((await root.send("POST", `/system/checks/${id}/mend`)).status).toBe(404);
    const ada = await signedIn(server, "ada");
    expect((await ada.send("POST", "/system/checks/index/mend")).status).toBe(403);
  });

  test("after all of this, everything is still found", async () => {
    for (const query of ["pump", "lamp", "original"])
      expect((await server.send("ada", "POST", "/search", { query })).body.data).toHaveLength(1);
  });
});
