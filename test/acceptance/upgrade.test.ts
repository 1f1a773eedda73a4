/**
 * Data directories of released versions: the current executable opens each, loses nothing and keeps
 * working.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startExecutable, type Executable } from "../helpers/executable";

const released = join(import.meta.dir, "../released");
const versions = readdirSync(released).sort();

test("there is a released version to upgrade from", () => expect(versions).toContain("0.1.0"));

for (const version of versions)
  describe(version, () => {
    const about = JSON.parse(readFileSync(join(released, version, "about.json"), "utf8"));
    let data: string;
    let server: Executable;
    beforeAll(async () => {
      data = mkdtempSync(join(tmpdir(), "dossier-upgrade-"));
      cpSync(join(released, version), data, { recursive: true });
      const packed = join(data, "dossier.db.gz");
      if (existsSync(packed)) {
        writeFileSync(join(data, "dossier.db"), Bun.gunzipSync(readFileSync(packed)));
        rmSync(packed);
      }
      server = await startExecutable({ data });
    }, 120_000);
    afterAll(async () => {
      await server?.[Symbol.asyncDispose]();
      rmSync(data, { recursive: true, force: true });
    });
    const api = (method: string, path: string, body?: object) =>
      server.api(method, path, body, { key: about.key });

    test("its key still lists its folders", async () => {
      const { status, body } = await api("GET", "/folders");
      expect([status, body.data.map((folder: { name: string }) => folder.name)]).toEqual([
        200,
        ["Water", "Hut"],
      ]);
    });
    test("its documents are kept, with text and original", async () => {
      const { body } = await api("GET", `/documents?folder_id=${about.folder_id}`);
      expect(body.data[0]).toMatchObject({
        name: "handbook.pdf",
        status: "synced",
        page_count: 6,
        version: 1,
      });
      const original = await fetch(`${server.url()}/api/dev/v1/documents/${body.data[0].id}/file`, {
        headers: { authorization: `Bearer ${about.key}` },
      });
      expect([original.status, (await original.text()).slice(0, 5)]).toEqual([200, "%PDF-"]);
    });
    test("its index finds the passage on its page", async () => {
      const { body } = await api("POST", "/search", { query: "ceramic filter replaced", limit: 3 });
      expect(body.data[0]).toMatchObject({ document_name: "handbook.pdf", page: 3, stale: false });
    });
    test("its answer still cites the text it was made from", async () => {
      const { body } = await api("GET", `/chats/${about.chat_id}/messages/${about.request_id}`);
      expect(body.status).toBe("COMPLETED");
      expect(body.result.citations[0]).toMatchObject({
        document_name: "Pump",
        stale: false,
        verified: true,
      });
    });
    test("its texts can be read, renamed, searched and reindexed", async () => {
      const content = "The pump of the hut was made in Graz.\n\nIt needs oil every spring.";
      const listed = await api("GET", `/documents?folder_id=${about.inner_id}`);
      const { id } = listed.body.data.find(({ name }: { name: string }) => name === "Pump");
      const settled = () =>
        server.until(
          `/documents/${id}`,
          ({ body }) => body.status === "synced" && body.indexing.stage === "done",
          { key: about.key },
        );
      const found = async (query: string) => {
        const { body } = await api("POST", "/search", { query, folder_ids: [about.inner_id] });
        return body.data.map(({ quote, start, end }: any) => [quote, content.slice(start, end)]);
      };
      expect((await api("GET", `/documents/${id}`)).body.content).toBe(content);
      expect(await found("graz")).toEqual([[content, content]]);
      await api("PATCH", `/documents/${id}`, { name: "Wasserpumpe" });
      await server.untilTrue(async () => (await found("wasserpumpe")).length === 1);
      expect(await found("wasserpumpe")).toEqual([[content, content]]);
      await api("POST", `/documents/${id}/reindex`);
      await settled();
      expect((await api("GET", `/documents/${id}`)).body.content).toBe(content);
      expect(await found("oil")).toEqual([[content, content]]);
      const [file] = (await api("GET", `/documents?folder_id=${about.folder_id}`)).body.data;
      const before = (await api("GET", `/documents/${file.id}`)).body.content;
      await api("POST", `/documents/${file.id}/reindex`);
      await server.until(`/documents/${file.id}`, ({ body }) => body.status === "synced", {
        key: about.key,
      });
      // Current extraction drops running headers and rejoins hyphenated words.
      const after = (await api("GET", `/documents/${file.id}`)).body.content;
      const first = "This handbook is for the volunteers who keep the hut open";
      expect([before.includes(first), after.includes(first)]).toEqual([true, true]);
      await api("PATCH", `/documents/${id}`, { name: "Pump" });
    });
    test("new documents are indexed", async () => {
      const { status, body } = await api("POST", "/documents", {
        folder_id: about.inner_id,
        content: "The kettle came from Linz.",
      });
      expect(status).toBe(201);
      await server.until(
        `/documents/${body.id}?content=false`,
        (answer) => answer.body.status === "synced",
        { key: about.key },
      );
    });
    test("a copy is kept if tables changed, and the database is intact", async () => {
      await server.stop();
      const changed = server.output().includes("migrated the database");
      const backups = existsSync(join(data, "backups")) ? readdirSync(join(data, "backups")) : [];
      expect(backups.some((name) => name.includes("-before-"))).toBe(changed);
      const database = new Database(join(data, "dossier.db"), { readonly: true });
      expect(database.query("pragma integrity_check").get()).toEqual({ integrity_check: "ok" });
      database.close();
    });
  });
