/**
 * Documents in folders: removing, restoring, linking, renaming and reindexing, and unique names of
 * uploads.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectHas, expectProblem, expectRecord } from "../helpers/contract";
import { person, type Person } from "../helpers/person";
import type { Answered, ApiServer, StartServer } from "../helpers/server";

export function documentLinkCases(start: StartServer): void {
  let server: ApiServer;
  let ada: Person;
  let bob: Person;
  let folder: string;

  beforeAll(async () => {
    server = await start();
    [ada, bob] = [await person(server, "ada"), await person(server, "bob")];
    folder = await ada.folder();
  }, 180_000);
  afterAll(() => server?.[Symbol.asyncDispose]());

  describe("removing and restoring", () => {
    test("a removal takes effect at once in list, search and counters, and can be undone", async () => {
      const [one, two] = [await ada.folder("one"), await ada.folder("two")];
      const { id } = await ada.text(one, "The numbat eats termites.", "numbat");
      const linked = await ada.send("POST", `/documents/${id}/links`, { folder_id: two });
      expect([linked.status, linked.body.folder_ids.toSorted()]).toEqual([200, [one, two].sort()]);
      expectRecord("document", linked.body);
      expect([await ada.found("numbat", [one]), await ada.found("numbat", [two])]).toEqual([
        [id],
        [id],
      ]);

      expect((await ada.send("POST", `/documents/${id}/links`, { folder_id: two })).status).toBe(
        200,
      );
      expect(await ada.found("numbat", [one, two])).toEqual([id]);

      const out = await ada.send("DELETE", `/documents/${id}?folder_id=${one}`);
      expect([out.status, out.body]).toEqual([204, undefined]);
      expectProblem(await ada.send("DELETE", `/documents/${id}?folder_id=${one}`), 404);
      expect([
        await ada.found("numbat", [one]),
        await ada.found("numbat", [two]),
        await ada.names(one),
        await ada.names(two),
      ]).toEqual([[], [id], [], ["numbat"]]);
      expectHas((await ada.send("GET", `/documents/${id}`)).body, {
        status: "synced",
        content: "The numbat eats termites.",
        folder_ids: [two],
      });

      await ada.send("DELETE", `/documents/${id}?folder_id=${two}`);
      expectHas((await ada.send("GET", `/documents/${id}`)).body, {
        content: "The numbat eats termites.",
        folder_ids: [],
      });
      expect(await ada.found("numbat")).toEqual([]);
      expectHas((await ada.send("GET", `/folders/${one}`)).body, { document_count: 0 });
      expect([
        await ada.names(one, "&deleted=true"),
        await ada.names(two, "&deleted=true"),
      ]).toEqual([["numbat"], ["numbat"]]);

      const back = await ada.send("POST", `/documents/${id}/restore?folder_id=${one}`);
      expect([back.status, back.body.folder_ids]).toEqual([200, [one]]);
      expectRecord("document", back.body);
      expect([
        await ada.names(one),
        await ada.names(one, "&deleted=true"),
        await ada.names(two, "&deleted=true"),
      ]).toEqual([["numbat"], [], ["numbat"]]);
      expect((await ada.send("POST", `/documents/${id}/restore?folder_id=${one}`)).status).toBe(
        200,
      );
      expect(await ada.found("numbat")).toEqual([id]);
      expectHas((await ada.send("GET", `/folders/${one}`)).body, {
        document_count: 1,
        status_counts: { synced: 1 },
      });
    });
    test("removed documents take no places among search results", async () => {
      const here = await ada.folder();
      const best = await ada.text(here, "Echidna, echidna, echidna: the echidna.");
      const other = await ada.text(
        here,
        "Nobody has seen the shy echidna in this valley for as long as anybody can remember.",
      );
      const first = async () =>
        (
          await ada.send("POST", "/search", { query: "echidna", folder_ids: [here], limit: 1 })
        ).body.data.map((passage: any) => passage.document_id);
      expect(await first()).toEqual([best.id]);
      await ada.send("DELETE", `/documents/${best.id}?folder_id=${here}`);
      expect(await first()).toEqual([other.id]);
    });
    test("a document is never restored to a folder it was not in", async () => {
      const { id } = await ada.text(folder, "x");
      expectProblem(
        await ada.send("POST", `/documents/${id}/restore?folder_id=${await ada.folder()}`),
        404,
      );
    });
    test("it survives a folder's deletion while another holds it or could restore it", async () => {
      const [one, two] = [await ada.folder("one"), await ada.folder("two")];
      const [held, restorable] = [
        await ada.text(one, "The bilby digs.", "held"),
        await ada.text(one, "The bilby listens.", "restorable"),
      ];
      for (const { id } of [held, restorable])
        await ada.send("POST", `/documents/${id}/links`, { folder_id: two });
      await ada.send("DELETE", `/documents/${restorable.id}?folder_id=${two}`);
      await ada.send("DELETE", `/folders/${one}`);
      expect((await ada.send("GET", `/documents/${held.id}`)).body.folder_ids).toEqual([two]);
      expect(await ada.found("bilby")).toEqual([held.id]);
      expect(
        (await ada.send("POST", `/documents/${restorable.id}/restore?folder_id=${two}`)).body
          .folder_ids,
      ).toEqual([two]);
      expect((await ada.found("bilby")).toSorted()).toEqual([held.id, restorable.id].sort());
    });
    test("adding and removing a link leaves the other folders unchanged", async () => {
      const [one, two] = [await ada.folder("one"), await ada.folder("two")];
      const { id } = await ada.text(one, "The okapi sleeps.");
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
      expect([await ada.found("okapi", [one]), await ada.found("okapi", [two])]).toEqual([
        [],
        [id],
      ]);
      expect((await ada.get(id)).folder_ids).toEqual([two]);
      // Linking to a former folder restores the link.
      expect(
        (await ada.send("POST", `/documents/${id}/links`, { folder_id: one })).body.folder_ids,
      ).toContain(one);
      expect(await ada.found("okapi", [one])).toEqual([id]);
    });

    test("removed while waiting for indexing, it is found in its other folders", async () => {
      const [one, two] = [await ada.folder("one"), await ada.folder("two")];
      const { id } = await ada.newText(one, "The tapir swims.");
      await ada.send("POST", `/documents/${id}/links`, { folder_id: two });
      await ada.send("DELETE", `/documents/${id}?folder_id=${one}`);
      await ada.settled(id);
      expect([await ada.found("tapir", [one]), await ada.found("tapir", [two])]).toEqual([
        [],
        [id],
      ]);
    });
    test("access and validation", async () => {
      const [folder, other, foreign] = [await ada.folder(), await ada.folder(), await bob.folder()];
      const { id } = await ada.newText(folder, "mine");
      const { id: private_id } = await bob.newText(foreign, "private");
      const cases: [string, string, string, unknown, number][] = [
        ["removing needs a folder", "DELETE", `/documents/${id}`, undefined, 400],
        ["a folder it is not in", "DELETE", `/documents/${id}?folder_id=${other}`, undefined, 404],
        [
          "a folder that does not exist",
          "DELETE",
          `/documents/${id}?folder_id=fld_none`,
          undefined,
          404,
        ],
        [
          "another user's folder",
          "DELETE",
          `/documents/${id}?folder_id=${foreign}`,
          undefined,
          403,
        ],
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
        ["restoring needs a folder", "POST", `/documents/${id}/restore`, undefined, 400],
        [
          "a folder it never was in",
          "POST",
          `/documents/${id}/restore?folder_id=${other}`,
          undefined,
          404,
        ],
        [
          "restoring to another user's folder",
          "POST",
          `/documents/${id}/restore?folder_id=${foreign}`,
          undefined,
          403,
        ],
        [
          "restoring another user's document",
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
        [
          "renaming another user's document",
          "PATCH",
          `/documents/${private_id}`,
          { name: "x" },
          403,
        ],
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

  describe("names: an upload's is unique in a folder; texts may share theirs", () => {
    let here: string;
    let there: string;
    const upload = async (into: string, name: string) =>
      (await ada.upload(into, name, `Of ${name}`)).body.id as string;
    beforeAll(async () => {
      [here, there] = [await ada.folder("here"), await ada.folder("there")];
    });

    test("three texts may have one name", async () => {
      for (let n = 0; n < 3; n++)
        expect(
          (await ada.send("POST", "/documents", { folder_id: here, name: "twin", content: "x" }))
            .status,
        ).toBe(201);
    });
    test("a text may take the name of an upload", async () => {
      await upload(here, "both.txt");
      expect(
        (await ada.send("POST", "/documents", { folder_id: here, name: "both.txt", content: "x" }))
          .status,
      ).toBe(201);
    });
    test("an upload may not take the name of a text", async () => {
      await ada.text(here, "x", "notes.txt");
      expectProblem(await ada.upload(here, "notes.txt", "x"), 409, "overwrite=true");
    });

    const cases: [string, () => Promise<Answered>, number][] = [
      [
        "renaming a text onto an upload",
        async () => {
          await upload(here, "a.txt");
          return ada.send("PATCH", `/documents/${(await ada.text(here, "x", "free")).id}`, {
            name: "a.txt",
          });
        },
        409,
      ],
      [
        "renaming an upload onto an upload",
        async () => {
          await upload(here, "b.txt");
          return ada.send("PATCH", `/documents/${await upload(here, "c.txt")}`, { name: "b.txt" });
        },
        409,
      ],
      [
        "renaming onto an upload in another Unicode normalization",
        async () => {
          await upload(here, "caf\u00e9.txt");
          return ada.send("PATCH", `/documents/${(await ada.text(here, "x")).id}`, {
            name: "cafe\u0301.txt",
          });
        },
        409,
      ],
      [
        "renaming to a different letter case",
        async () => {
          await upload(here, "d.txt");
          return ada.send("PATCH", `/documents/${(await ada.text(here, "x")).id}`, {
            name: "D.txt",
          });
        },
        200,
      ],
      [
        "renaming to its own name",
        async () =>
          ada.send("PATCH", `/documents/${await upload(here, "e.txt")}`, { name: "e.txt" }),
        200,
      ],
      [
        "renaming an upload onto a text",
        async () => {
          await ada.text(here, "x", "text");
          return ada.send("PATCH", `/documents/${await upload(here, "m.txt")}`, { name: "text" });
        },
        200,
      ],
      [
        "renaming a text onto a text",
        async () => {
          await ada.text(here, "x", "shared");
          return ada.send("PATCH", `/documents/${(await ada.text(here, "x")).id}`, {
            name: "shared",
          });
        },
        200,
      ],
      [
        "renaming onto a name that is free again",
        async () => {
          await ada.send("DELETE", `/documents/${await upload(here, "f.txt")}?folder_id=${here}`);
          return ada.send("PATCH", `/documents/${await upload(here, "g.txt")}`, { name: "f.txt" });
        },
        200,
      ],
      [
        "linking an upload where its name is taken",
        async () => {
          await upload(here, "h.txt");
          return ada.send("POST", `/documents/${await upload(there, "h.txt")}/links`, {
            folder_id: here,
          });
        },
        409,
      ],
      [
        "linking a text where an upload has its name",
        async () => {
          await upload(here, "i.txt");
          return ada.send("POST", `/documents/${(await ada.text(there, "x", "i.txt")).id}/links`, {
            folder_id: here,
          });
        },
        409,
      ],
      [
        "linking a text where a text has its name",
        async () => {
          await ada.text(here, "x", "j");
          return ada.send("POST", `/documents/${(await ada.text(there, "x", "j")).id}/links`, {
            folder_id: here,
          });
        },
        200,
      ],
      [
        "restoring an upload whose name has since been taken",
        async () => {
          const id = await upload(here, "k.txt");
          await ada.send("DELETE", `/documents/${id}?folder_id=${here}`);
          await upload(here, "k.txt");
          return ada.send("POST", `/documents/${id}/restore?folder_id=${here}`);
        },
        409,
      ],
      [
        "restoring a text whose name an upload has since taken",
        async () => {
          const { id } = await ada.text(here, "x", "l.txt");
          await ada.send("DELETE", `/documents/${id}?folder_id=${here}`);
          await upload(here, "l.txt");
          return ada.send("POST", `/documents/${id}/restore?folder_id=${here}`);
        },
        409,
      ],
      [
        "restoring it under the name it has since been given",
        async () => {
          await upload(here, "n.txt");
          const id = await upload(there, "o.txt");
          await ada.send("POST", `/documents/${id}/links`, { folder_id: here });
          await ada.send("DELETE", `/documents/${id}?folder_id=${here}`);
          expect((await ada.send("PATCH", `/documents/${id}`, { name: "n.txt" })).status).toBe(200);
          return ada.send("POST", `/documents/${id}/restore?folder_id=${here}`);
        },
        409,
      ],
    ];
    for (const [why, call, status] of cases)
      test(`${why}: ${status}`, async () => {
        const answer = await call();
        if (status === 409) expectProblem(answer, 409);
        else expect([answer.status, answer.body.name]).toEqual([200, expect.any(String)]);
      });

    test("a renamed document is listed and cited under its new name", async () => {
      const { id } = await ada.text(here, "The dugong eats seagrass.", "old name");
      expectHas((await ada.send("PATCH", `/documents/${id}`, { name: " new name " })).body, {
        id,
        name: "new name",
        version: 1,
      });
      expectHas((await ada.send("POST", "/search", { query: "dugong" })).body.data[0], {
        document_id: id,
        document_name: "new name",
      });
      expect(await ada.names(here, "&name=new%20name")).toEqual(["new name"]);
    });
    test("a new name shows at once, and its words are found", async () => {
      const folder = await ada.folder();
      const { id } = await ada.text(folder, "Nothing about it inside.", "before");
      const renamed = await ada.send("PATCH", `/documents/${id}`, { name: " Zanzibar " });
      expect([
        renamed.status,
        renamed.body.name,
        renamed.body.status,
        renamed.body.version,
      ]).toEqual([200, "Zanzibar", "synced", 1]);
      await ada.settled(id);
      expect(await ada.names(folder, "&name=zanz")).toEqual(["Zanzibar"]);
      const [passage] = (
        await ada.send("POST", "/search", { query: "Nothing about it", folder_ids: [folder] })
      ).body.data;
      expect(passage).toMatchObject({ document_id: id, document_name: "Zanzibar" });
    });
    test("renamed during indexing, it keeps the new name", async () => {
      const folder = await ada.folder();
      const { id } = await ada.newText(folder, "Words of the text.", "before");
      await ada.send("PATCH", `/documents/${id}`, { name: "after" });
      expect(await ada.settled(id)).toMatchObject({ name: "after", status: "synced" });
    });
  });

  describe("indexing again", () => {
    test("a good text ends as synced again, and stays searchable throughout", async () => {
      const { id } = await ada.text(folder, "The axolotl regrows limbs.");
      const answer = await ada.send("POST", `/documents/${id}/reindex`);
      expect([
        answer.status,
        answer.body.status,
        answer.headers.get("location"),
        answer.headers.get("retry-after"),
      ]).toEqual([202, "syncing", `/api/dev/v1/documents/${id}`, "1"]);
      expectRecord("document", answer.body);
      expectHas(answer.body, {
        version: 1,
        indexing: { stage: "queued", progress: 0, attempts: 0, vectors: "none" },
      });
      expect(await ada.found("axolotl")).toEqual([id]);
      expect((await ada.send("POST", `/documents/${id}/reindex`)).status).toBe(202);
      expectHas(await ada.settled(id), {
        status: "synced",
        version: 1,
        content: "The axolotl regrows limbs.",
      });
      expect(await ada.found("axolotl")).toEqual([id]);
    });
    test("an empty text fails again", async () => {
      const here = await ada.folder();
      const { id } = await ada.text(here, "");
      const repeated = await ada.send("POST", `/documents/${id}/reindex`);
      expect(repeated.status).toBe(202);
      expectHas(repeated.body, { status: "syncing", error: null });
      expectHas(await ada.settled(id), {
        status: "sync_failed",
        error: { code: "empty", message: expect.any(String) },
      });
      expect((await ada.send("GET", `/folders/${here}`)).body.status_counts).toEqual({
        syncing: 0,
        synced: 0,
        sync_failed: 1,
      });
    });
  });
}
