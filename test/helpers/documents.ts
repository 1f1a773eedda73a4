/** An extractor controlled by the content of test files, and a recount of all counters. */
import { expect } from "bun:test";
import { definePlugin, fill } from "../../core/sdk";
import {
  ExtractionFailure,
  Extractors,
  type ExtractionCode,
} from "../../plugins/extraction/contract";
import { fileType } from "../../core/lib/file-types";
import { nameKey, nameOrder } from "../../plugins/documents/creation/names";
import { filesOf } from "./data-directory";
import { startTestServer, type TestServer } from "./host";
import { until, type StartServer } from "./server";

/**
 * Reads files that begin with `#!`: `#!wait KEY` waits for `open(KEY)`, `#!fail CODE` has no text,
 * `#!throw` fails without a reason, `#!warn` warns. The rest of the file is its text, two pages of
 * it if there is a form feed.
 */
export function scriptedExtractor() {
  const gates = new Map<string, PromiseWithResolvers<void>>();
  const gate = (key: string) => {
    const found = gates.get(key) ?? Promise.withResolvers<void>();
    gates.set(key, found);
    return found;
  };
  let runs = 0;
  const plugin = definePlugin({
    name: "scripted",
    version: "1.0.0",
    setup: () => ({
      fills: [
        fill(Extractors, {
          rank: 1_000,
          recognises: (head) => head[0] === 0x23 && head[1] === 0x21,
          async extract({ path }, { signal, onProgress }) {
            runs += 1;
            const bytes = await Bun.file(path).text();
            const [line = "", ...rest] = bytes.split("\n");
            const [verb, argument = ""] = line.slice(2).split(" ");
            onProgress(0.5);
            if (verb === "wait")
              await Promise.race([
                gate(argument).promise,
                new Promise<never>((_resolve, reject) =>
                  signal.addEventListener("abort", () => reject(new Error("stopped")), {
                    once: true,
                  }),
                ),
              ]);
            if (verb === "fail")
              throw new ExtractionFailure(argument as ExtractionCode, `It says ${argument}.`);
            if (verb === "throw") throw new Error("the reader has a fault");
            const text = rest.join("\n");
            const feed = text.indexOf("\f");
            return {
              text,
              media_type: "text/x-scripted",
              warnings:
                verb === "warn" ? [{ code: "odd", message: "Something is odd.", page: 1 }] : [],
              pages:
                feed < 0
                  ? []
                  : [
                      { page: 1, start: 0, end: feed },
                      { page: 2, start: feed + 1, end: text.length },
                    ],
              page_count: feed < 0 ? null : 2,
            };
          },
        }),
      ],
    }),
  });
  return { plugin, open: (key: string) => gate(key).resolve(), runs: () => runs };
}

/**
 * Checks that every counter equals a recount, and that references are intact. Call it when no job
 * is running.
 */
export async function expectSound({ store, data }: TestServer): Promise<void> {
  const { db } = store;
  const documents: any[] = await db.selectFrom("documents").selectAll().execute();
  const links: any[] = await db.selectFrom("documents_links").selectAll().execute();
  const versions: any[] = await db
    .selectFrom("documents_versions")
    .select(["document_id", "version", "sha256", "in_files", "size_bytes"])
    .execute();
  const by_id = new Map(documents.map((document) => [document.id, document]));
  const segments = await db.selectFrom("index_vectors_waiting").select("document_id").execute();
  const waiting = new Set(segments.map(({ document_id }) => document_id));

  const counted: any[] = [];
  const folders: any[] = await db
    .selectFrom("folders")
    .select(["id", "owner_id", "parent_id"])
    .orderBy("id")
    .execute();
  const rootOf = new Map(folders.map(({ id, parent_id }) => [id, parent_id ?? id]));
  const folders_of = Map.groupBy(links, (link) => link.document_id);
  /** The folder that a document is deleted with. */
  const holderOf = (document: any): string | null => {
    const ids = (folders_of.get(document.id) ?? []).map((link) => link.folder_id);
    const roots = new Set(ids.map((id) => rootOf.get(id)));
    return ids.length === 1 ? ids[0] : roots.size === 1 ? [...roots][0]! : null;
  };
  for (const document of documents)
    expect([document.id, document.held_by]).toEqual([document.id, holderOf(document)]);
  // The columns of a document that its links copy, for the lists of folders.
  for (const { document_id, name_key, name_order, deleted_at, is_deleted, ...link } of links) {
    const document = by_id.get(document_id);
    expect([document_id, name_key, name_order]).toEqual([
      document_id,
      nameKey(document.name),
      nameOrder(name_key),
    ]);
    expect(link).toMatchObject({
      status: document.status,
      size_bytes: document.size_bytes,
      file_type: fileType(document.media_type),
      updated_at: document.updated_at,
      document_created_at: document.created_at,
    });
    expect([document_id, is_deleted]).toEqual([document_id, deleted_at === null ? 0 : 1]);
  }
  expect(await db.selectFrom("documents_purges").selectAll().execute()).toEqual([]);
  for (const { id } of folders) {
    const of = (status: string) =>
      links.filter(
        (link) =>
          link.folder_id === id &&
          link.deleted_at === null &&
          by_id.get(link.document_id).status === status,
      ).length;
    const held_documents = documents.filter((document) => document.held_by === id);
    counted.push({
      id,
      deleted_at: null,
      held_documents: held_documents.length,
      held_bytes: held_documents.reduce((sum, { size_bytes }) => sum + size_bytes, 0),
      restorable_count: links.filter((link) => link.folder_id === id && link.deleted_at !== null)
        .length,
      syncing_count: of("syncing"),
      synced_count: of("synced"),
      failed_count: of("sync_failed"),
      vectors_pending: links.filter(
        (link) =>
          link.folder_id === id && link.deleted_at === null && waiting.has(link.document_id),
      ).length,
    });
  }
  expect(
    await db
      .selectFrom("folders")
      .select(["id", "deleted_at", "held_documents", "held_bytes", "restorable_count"])
      .select(["syncing_count", "synced_count", "failed_count", "vectors_pending"])
      .orderBy("id")
      .execute(),
  ).toEqual(counted);

  const used_quotas = (
    await db.selectFrom("quotas_used").selectAll().where("used", "!=", 0).execute()
  ).filter(({ what }) => what !== "chats");
  const sums: any[] = [...Map.groupBy(documents, (document) => document.owner_id)]
    .flatMap(([owner_id, of_owner]) => [
      { owner_id, what: "documents", used: of_owner.length },
      {
        owner_id,
        what: "storage",
        used: of_owner.reduce((sum, document) => sum + document.size_bytes, 0),
      },
    ])
    .concat(
      [...Map.groupBy(folders, (folder) => folder.owner_id)].map(([owner_id, of_owner]) => ({
        owner_id,
        what: "folders",
        used: of_owner.length,
      })),
    )
    .filter(({ used }) => used !== 0);
  const order = (rows: any[]) =>
    rows.toSorted((a, b) => (`${a.owner_id} ${a.what}` < `${b.owner_id} ${b.what}` ? -1 : 1));
  expect(order(used_quotas)).toEqual(order(sums));

  // A document that was never in a folder, or has no version, is not counted.
  expect(
    documents
      .filter(({ id }) => !links.some((link) => link.document_id === id))
      .map(({ id }) => id),
  ).toEqual([]);
  const versionsOf = (id: string) =>
    versions
      .filter((version) => version.document_id === id)
      .map(({ version }) => version)
      .sort();
  for (const { id, version, current_version } of documents)
    expect([id, versionsOf(id)]).toEqual([
      id,
      [...new Set([current_version, version])].filter((n) => n > 0).sort(),
    ]);
  expect(documents.filter(({ status }) => status === "syncing")).toEqual([]);

  const used = [
    ...new Set(versions.filter((version) => version.in_files === 1).map(({ sha256 }) => sha256)),
  ].sort();
  await until(async () => filesOf(data).join() === used.join());
}

/** A server in this process whose counters are checked at its end. */
export const startSoundServer: StartServer = async (options) => {
  const server = await startTestServer(options);
  return {
    ...server,
    async [Symbol.asyncDispose]() {
      await server.settle();
      await expectSound(server);
      await server.stop();
    },
  };
};
