/** Documents in their folders, in this process: the shared cases, and deleting with the folder. */
import { beforeAll, describe, expect, test } from "bun:test";
import { definePlugin, fill } from "../../core/sdk";
import { rowsOf, setRunner } from "../../core/store/raw-statements";
import { Documents, DocumentUses } from "../../plugins/documents/contract";
import { foldersOfAll } from "../../plugins/documents/links/link-store";
import { documentLinkCases } from "../cases/document-links";
import { expectProblem } from "../helpers/contract";
import { expectSound, startSoundServer } from "../helpers/documents";
import { startTestServer, type TestServer } from "../helpers/host";
import { person, type Person } from "../helpers/person";
import { Watch } from "../helpers/query-plans";
import { until } from "../helpers/server";

let server: TestServer;
let ada: Person;
const purged: string[] = [];
const neighbour = definePlugin({
  name: "neighbour",
  version: "1.0.0",
  needs: { documents: Documents },
  setup: ({ services }) => ({
    fills: [
      fill(DocumentUses, {
        async remove(tx, document_ids) {
          // A document that is being purged must not be found any more.
          expect((await services.documents.findNames(tx, document_ids)).size).toBe(0);
          purged.push(...document_ids);
        },
      }),
    ],
  }),
});

describe("in folders", () => documentLinkCases(startSoundServer));

beforeAll(async () => {
  server = await startTestServer({ plugins: [neighbour] });
  ada = await person(server, "ada");
});

test("a document can be in 1,000 folders, with those it can be put back into", async () => {
  const first = await ada.folder("0");
  const { id } = await ada.newText(first, "In many places.");
  const link = (folder_id: string) => ada.send("POST", `/documents/${id}/links`, { folder_id });
  for (let n = 1; n < 1_000; n += 27) {
    const names = Array.from({ length: 27 }, (_, at) => `${n + at}`);
    await Promise.all(names.map(async (name) => link(await ada.folder(name))));
  }
  const one_more = await ada.folder("one more");
  await ada.send("DELETE", `/documents/${id}?folder_id=${first}`);
  const refused = await link(one_more);
  expectProblem(refused, 400, "at most 1,000 folders");
  expect(refused.body.code).toBe("folder_limit");
  const { folder_ids } = (await link(first)).body;
  expect(folder_ids).toHaveLength(1_000);

  // A page of such documents is read in parts.
  const { db } = server.store;
  const { id: second } = await ada.newText(first, "As well.");
  const { id: third } = await ada.newText(first, "This one, too.");
  // No counter knows of the links that follow, so no status may change meanwhile.
  await server.settle();
  const columns =
    "folder_id, name_key, reserves_name, document_created_at, created_at, deleted_at, " +
    "is_deleted, name_order, status, size_bytes, file_type, updated_at";
  for (const other of [second, third])
    await rowsOf(
      db,
      `insert into documents_links (document_id, ${columns}) select ?, ${columns} ` +
        "from documents_links where document_id = ? and folder_id <> ?",
      [other, id, first],
    );
  const sizes: number[] = [];
  const counted = setRunner(db.withPlugin(new Watch()), async (text, parameters) => {
    const rows = await rowsOf(db, text, parameters);
    sizes.push(rows.length);
    return rows;
  });
  const found = await foldersOfAll(counted, [id, second, third]);
  expect(found.get(id)).toEqual(folder_ids);
  expect(new Set(found.get(third))).toEqual(new Set(folder_ids));
  expect(sizes.length).toBeGreaterThan(1);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(2_000);
  for (const other of [second, third])
    await rowsOf(db, "delete from documents_links where document_id = ? and folder_id <> ?", [
      other,
      first,
    ]);
}, 60_000);

describe("deleting a folder", () => {
  test("deletes documents that are nowhere else, restorable or not, and keeps others", async () => {
    const [root, other] = [await ada.folder("root"), await ada.folder("other")];
    const child = await ada.folder("child", root);
    const make = (folder: string, word: string) =>
      ada.newText(folder, `The ${word} is here.`, word).then(({ id }) => id);
    const [alone, below, taken_out, elsewhere, restorable, waiting] = [
      await make(root, "aurochs"),
      await make(child, "bison"),
      await make(root, "caracal"),
      await make(root, "dhole"),
      await make(root, "eland"),
      await make(root, "fossa"),
    ];
    await ada.send("DELETE", `/documents/${taken_out}?folder_id=${root}`);
    await ada.send("POST", `/documents/${elsewhere}/links`, { folder_id: other });
    await ada.send("POST", `/documents/${restorable}/links`, { folder_id: other });
    await ada.send("DELETE", `/documents/${restorable}?folder_id=${other}`);
    await server.settle();
    await ada.send("POST", `/documents/${waiting}/reindex`);
    purged.length = 0;
    expect((await ada.send("DELETE", `/folders/${root}`)).status).toBe(204);
    for (const id of [alone, below, taken_out, waiting])
      expect((await ada.send("GET", `/documents/${id}`)).status).toBe(404);
    expect(await ada.get(elsewhere)).toMatchObject({ folder_ids: [other] });
    expect(await ada.get(restorable)).toMatchObject({ folder_ids: [] });
    expect(
      (await ada.send("POST", `/documents/${restorable}/restore?folder_id=${other}`)).status,
    ).toBe(200);
    expect(await ada.found("eland", [other])).toEqual([restorable]);
    expect(await ada.found("dhole", [other])).toEqual([elsewhere]);
    for (const word of ["aurochs", "bison", "caracal", "fossa"])
      expect(await ada.found(word)).toEqual([]);
    await server.settle();
    expect(purged.sort()).toEqual([alone, below, taken_out, waiting].sort());
    await expectSound(server);
  });
  test("while its documents are being indexed leaves nothing of them", async () => {
    const folder = await ada.folder();
    const created = await Promise.all(
      Array.from({ length: 50 }, (_, i) => ada.newText(folder, `The gnu number ${i}.`)),
    );
    await until(
      async () => (await ada.send("GET", `/folders/${folder}`)).body.status_counts.synced > 0,
    );
    expect((await ada.send("DELETE", `/folders/${folder}`)).status).toBe(204);
    await server.settle();
    for (const { id } of created)
      expect((await ada.send("GET", `/documents/${id}`)).status).toBe(404);
    expect(await ada.found("gnu")).toEqual([]);
    await expectSound(server);
  });
});

test("after all of this, every counter still matches a recount", async () => {
  await server.settle();
  await expectSound(server);
});
