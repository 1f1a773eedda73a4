/**
 * Documents in their folders, over HTTP: taking out, putting back, linking, renaming, indexing
 * again, and deleting with the folder.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import { definePlugin, fill } from "../../core/sdk";
import { Documents, DocumentUses } from "../../plugins/documents/contract";
import { expectSound } from "../helpers/documents";
import { startTestServer, type TestServer } from "../helpers/host";
import { person, type Person } from "../helpers/person";
import { until } from "../helpers/server";

let server: TestServer;
let ada: Person, bob: Person;
const purged: string[] = [];
const neighbour = definePlugin({
  name: "neighbour",
  version: "1.0.0",
  needs: { documents: Documents },
  setup: ({ services }) => ({
    fills: [
      fill(DocumentUses, {
        async remove(tx, document_ids) {
          // Still there: the documents go after those who use them have let go.
          expect((await services.documents.findNames(tx, document_ids)).size).toBe(
            document_ids.length,
          );
          purged.push(...document_ids);
        },
      }),
    ],
  }),
});

beforeAll(async () => {
  server = await startTestServer({ plugins: [neighbour] });
  ada = await person(server, "ada");
  bob = await person(server, "bob");
});

describe("taking out, putting back, linking", () => {
  test("a document leaves list, search and counters at once, and comes back", async () => {
    const folder = await ada.folder();
    const { id } = await ada.newText(folder, "The quagga grazes.", "quagga");
    await server.settle();
    const gone = await ada.send("DELETE", `/documents/${id}?folder_id=${folder}`);
    expect([gone.status, gone.text]).toEqual([204, ""]);
    expect((await ada.send("DELETE", `/documents/${id}?folder_id=${folder}`)).status).toBe(404);
    expect(await ada.names(folder)).toEqual([]);
    expect(await ada.names(folder, "&deleted=true")).toEqual(["quagga"]);
    expect(await ada.found("quagga", [folder])).toEqual([]);
    expect((await ada.send("GET", `/folders/${folder}`)).body).toMatchObject({ document_count: 0 });
    expect(await ada.get(id)).toMatchObject({
      status: "synced",
      folder_ids: [],
      content: "The quagga grazes.",
    });

    const back = await ada.send("POST", `/documents/${id}/restore?folder_id=${folder}`);
    expect([back.status, back.body.folder_ids]).toEqual([200, [folder]]);
    expect((await ada.send("POST", `/documents/${id}/restore?folder_id=${folder}`)).status).toBe(
      200,
    );
    expect(await ada.names(folder)).toEqual(["quagga"]);
    expect(await ada.names(folder, "&deleted=true")).toEqual([]);
    expect(await ada.found("quagga", [folder])).toContain(id);
    expect((await ada.send("GET", `/folders/${folder}`)).body).toMatchObject({
      document_count: 1,
      status_counts: { synced: 1 },
    });
  });

  test("a link more, a link less: the other folders keep it", async () => {
    const [one, two] = [await ada.folder("one"), await ada.folder("two")];
    const { id } = await ada.newText(one, "The okapi sleeps.");
    await server.settle();
    const linked = await ada.send("POST", `/documents/${id}/links`, { folder_id: two });
    expect([linked.status, linked.body.folder_ids]).toEqual([200, [one, two]]);
    expect(
      (await ada.send("POST", `/documents/${id}/links`, { folder_id: two })).body.folder_ids,
    ).toEqual([one, two]);
    expect([await ada.found("okapi", [one]), await ada.found("okapi", [two])]).toEqual([
      [id],
      [id],
    ]);
    expect(await ada.found("okapi", [one, two])).toEqual([id]);
    await ada.send("DELETE", `/documents/${id}?folder_id=${one}`);
    expect([await ada.found("okapi", [one]), await ada.found("okapi", [two])]).toEqual([[], [id]]);
    expect((await ada.get(id)).folder_ids).toEqual([two]);
    // Linking where it was before is putting it back.
    expect(
      (await ada.send("POST", `/documents/${id}/links`, { folder_id: one })).body.folder_ids,
    ).toContain(one);
    expect(await ada.found("okapi", [one])).toEqual([id]);
  });

  test("taken out while it waits to be indexed, it is found where it still is", async () => {
    const [one, two] = [await ada.folder("one"), await ada.folder("two")];
    const { id } = await ada.newText(one, "The tapir swims.");
    await ada.send("POST", `/documents/${id}/links`, { folder_id: two });
    await ada.send("DELETE", `/documents/${id}?folder_id=${one}`);
    await server.settle();
    expect([await ada.found("tapir", [one]), await ada.found("tapir", [two])]).toEqual([[], [id]]);
  });

  test("who may do what with which", async () => {
    const [folder, other, foreign] = [await ada.folder(), await ada.folder(), await bob.folder()];
    const { id } = await ada.newText(folder, "mine");
    const { id: private_id } = await bob.newText(foreign, "private");
    const cases: [string, string, string, unknown, number][] = [
      ["taking out needs a folder", "DELETE", `/documents/${id}`, undefined, 400],
      ["a folder it is not in", "DELETE", `/documents/${id}?folder_id=${other}`, undefined, 404],
      [
        "a folder that does not exist",
        "DELETE",
        `/documents/${id}?folder_id=fld_none`,
        undefined,
        404,
      ],
      ["another user's folder", "DELETE", `/documents/${id}?folder_id=${foreign}`, undefined, 403],
      [
        "another user's document",
        "DELETE",
        `/documents/${private_id}?folder_id=${foreign}`,
        undefined,
        403,
      ],
      [
        "a document that does not exist",
        "DELETE",
        `/documents/doc_none?folder_id=${folder}`,
        undefined,
        404,
      ],
      ["putting back needs a folder", "POST", `/documents/${id}/restore`, undefined, 400],
      [
        "a folder it never was in",
        "POST",
        `/documents/${id}/restore?folder_id=${other}`,
        undefined,
        404,
      ],
      [
        "another user's folder to go back to",
        "POST",
        `/documents/${id}/restore?folder_id=${foreign}`,
        undefined,
        403,
      ],
      [
        "another user's document to put back",
        "POST",
        `/documents/${private_id}/restore?folder_id=${folder}`,
        undefined,
        403,
      ],
      ["linking needs a folder", "POST", `/documents/${id}/links`, {}, 400],
      ["a folder of the wrong type", "POST", `/documents/${id}/links`, { folder_id: 1 }, 400],
      [
        "linking to a folder that does not exist",
        "POST",
        `/documents/${id}/links`,
        { folder_id: "fld_none" },
        404,
      ],
      [
        "linking to another user's folder",
        "POST",
        `/documents/${id}/links`,
        { folder_id: foreign },
        403,
      ],
      [
        "linking another user's document",
        "POST",
        `/documents/${private_id}/links`,
        { folder_id: folder },
        403,
      ],
      ["reading another user's document", "GET", `/documents/${private_id}`, undefined, 403],
      ["reading one that does not exist", "GET", "/documents/doc_none", undefined, 404],
      ["another user's original", "GET", `/documents/${private_id}/file`, undefined, 403],
      ["an original that does not exist", "GET", "/documents/doc_none/file", undefined, 404],
      ["renaming another user's document", "PATCH", `/documents/${private_id}`, { name: "x" }, 403],
      ["renaming one that does not exist", "PATCH", "/documents/doc_none", { name: "x" }, 404],
      ["renaming to a blank name", "PATCH", `/documents/${id}`, { name: " " }, 400],
      ["renaming without a name", "PATCH", `/documents/${id}`, {}, 400],
      ["renaming to a name with a tab", "PATCH", `/documents/${id}`, { name: "a\tb" }, 400],
      [
        "indexing another user's document",
        "POST",
        `/documents/${private_id}/reindex`,
        undefined,
        403,
      ],
      ["indexing one that does not exist", "POST", "/documents/doc_none/reindex", undefined, 404],
    ];
    for (const [why, method, path, body, status] of cases)
      expect([why, (await ada.send(method, path, body)).status]).toEqual([why, status]);
    expect((await ada.get(id)).folder_ids).toEqual([folder]);
    expect((await bob.get(private_id)).folder_ids).toEqual([foreign]);
  });
});

describe("renaming", () => {
  test("the name is new at once, and its words are found", async () => {
    const folder = await ada.folder();
    const { id } = await ada.newText(folder, "Nothing about it inside.", "before");
    await server.settle();
    const renamed = await ada.send("PATCH", `/documents/${id}`, { name: " Zanzibar " });
    expect([renamed.status, renamed.body.name, renamed.body.status, renamed.body.version]).toEqual([
      200,
      "Zanzibar",
      "synced",
      1,
    ]);
    await server.settle();
    expect(await ada.names(folder, "&name=zanz")).toEqual(["Zanzibar"]);
    const [passage] = (
      await ada.send("POST", "/search", { query: "Nothing about it", folder_ids: [folder] })
    ).body.data;
    expect(passage).toMatchObject({ document_id: id, document_name: "Zanzibar" });
  });
  test("renamed while it is being indexed, it ends with the new name", async () => {
    const folder = await ada.folder();
    const { id } = await ada.newText(folder, "Words of the text.", "before");
    await ada.send("PATCH", `/documents/${id}`, { name: "after" });
    await server.settle();
    expect(await ada.get(id)).toMatchObject({ name: "after", status: "synced" });
  });
});

describe("indexing again", () => {
  test("a synced document goes through once more, and answers meanwhile", async () => {
    const folder = await ada.folder();
    const { id } = await ada.newText(folder, "The ibex climbs.");
    await server.settle();
    const again = await ada.send("POST", `/documents/${id}/reindex`);
    expect([again.status, again.headers.get("location"), again.headers.get("retry-after")]).toEqual(
      [202, `/api/dev/v1/documents/${id}`, "1"],
    );
    expect(again.body).toMatchObject({
      status: "syncing",
      version: 1,
      indexing: { stage: "queued", progress: 0, attempts: 0 },
    });
    expect((await ada.send("POST", `/documents/${id}/reindex`)).status).toBe(202);
    await server.settle();
    expect(await ada.get(id)).toMatchObject({
      status: "synced",
      version: 1,
      content: "The ibex climbs.",
    });
    expect(await ada.found("ibex", [folder])).toEqual([id]);
  });
  test("a failed one is tried again, and fails again", async () => {
    const folder = await ada.folder();
    const { id } = await ada.newText(folder, " ", "blank");
    await server.settle();
    expect((await ada.send("POST", `/documents/${id}/reindex`)).body).toMatchObject({
      status: "syncing",
      error: null,
    });
    await server.settle();
    expect(await ada.get(id)).toMatchObject({ status: "sync_failed", error: { code: "empty" } });
    expect((await ada.send("GET", `/folders/${folder}`)).body.status_counts).toEqual({
      syncing: 0,
      synced: 0,
      sync_failed: 1,
    });
  });
});

describe("deleting a folder", () => {
  test("takes what is nowhere else, restorable or not, and leaves the rest", async () => {
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
    expect(purged.sort()).toEqual([alone, below, taken_out, waiting].sort());
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
    await expectSound(server);
  });
  test("while its documents are being indexed, nothing of them stays", async () => {
    const folder = await ada.folder();
    const made = await Promise.all(
      Array.from({ length: 50 }, (_, i) => ada.newText(folder, `The gnu number ${i}.`)),
    );
    await until(
      async () => (await ada.send("GET", `/folders/${folder}`)).body.status_counts.synced > 0,
    );
    expect((await ada.send("DELETE", `/folders/${folder}`)).status).toBe(204);
    await server.settle();
    for (const { id } of made) expect((await ada.send("GET", `/documents/${id}`)).status).toBe(404);
    expect(await ada.found("gnu")).toEqual([]);
    await expectSound(server);
  });
});

test("after all of this, everything that is counted is what counting it gives", async () => {
  await server.settle();
  await expectSound(server);
});
