/**
 * Acceptance, on the executable: text documents, their folders, names, versions of a record, and
 * what can be brought back.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectHas, expectProblem, expectRecord } from "../helpers/contract";
import { startExecutable, type Executable } from "../helpers/executable";
import { person, type Person } from "../helpers/person";
import type { Answered } from "../helpers/server";

let server: Executable;
let ada: Person;
let folder: string;
const sha256 = (text: string): string => new Bun.CryptoHasher("sha256").update(text).digest("hex");

beforeAll(async () => {
  server = await startExecutable();
  ada = await person(server, "ada");
  folder = await ada.folder();
}, 180_000);
afterAll(() => server?.[Symbol.asyncDispose]());

describe("a text is stored and returned exactly as it is sent", () => {
  const cases: [string, string, string][] = [
    ["plain words", "The quagga grazes.", "synced"],
    ["spaces and line breaks at both ends", " \r\n\tThe quagga\r\ngrazes. \n\n", "synced"],
    ["carriage returns alone", "one\rtwo\r\rthree", "synced"],
    ["a byte order mark", "\ufeffThe quagga", "synced"],
    ["decomposed marks stay decomposed", "cafe\u0301 and caf\u00e9", "synced"],
    ["characters beyond the first plane", "𝔘𝔫𝔦 👩🏽‍🚀 𠜎", "synced"],
    ["control characters", "a\u0001b\u001bc\u007f\u0085\u2028d", "synced"],
    [
      "what looks like markup, JSON or SQL",
      `</script>{"content":"x"}'; drop table documents; --\\u0000`,
      "synced",
    ],
    ["right to left", "שלום עולם \u202eabc", "synced"],
    ["nothing at all", "", "sync_failed"],
    ["spaces alone", " \n\t ", "sync_failed"],
  ];
  for (const [why, content, status] of cases)
    test(why, async () => {
      const made = await ada.made("/documents", { folder_id: folder, content, name: "exact" });
      expectRecord("document", made);
      const bytes = Buffer.byteLength(content);
      expectHas(made, {
        name: "exact",
        status: "syncing",
        folder_ids: [folder],
        media_type: "text/plain",
        size_bytes: bytes,
        sha256: sha256(content),
        version: 1,
        error: null,
        synced_at: null,
      });
      const { content: returned, ...record } = await ada.settled(made.id);
      expectRecord("document", record);
      expect([returned, record.status, record.error?.code ?? null]).toEqual([
        content,
        status,
        status === "synced" ? null : "empty",
      ]);
      expectHas(record, {
        size_bytes: bytes,
        sha256: sha256(content),
        version: 1,
        source: { kind: "text", uri: null, run_id: null },
      });
      expect(record.synced_at === null).toBe(status !== "synced");
      if (status === "synced") expectHas(record.indexing, { stage: "done", progress: 1 });
      const original = await fetch(`${server.url()}${record.content_url}/file`, {
        headers: { authorization: `Bearer ${ada.key}` },
      });
      expect(Buffer.from(await original.arrayBuffer()).toString()).toBe(content);
    });

  test("a long one, whole", async () => {
    const content = `${"The quagga grazes in the Karoo. 🦓\n".repeat(20_000)}end`;
    expect((await ada.text(folder, content)).content === content).toBe(true);
  });
  test("GET with content=false leaves the text out, with content=true it is there", async () => {
    const { id } = await ada.text(folder, "Here.");
    const [without, with_it] = [
      (await ada.send("GET", `/documents/${id}?content=false`)).body,
      (await ada.send("GET", `/documents/${id}?content=true`)).body,
    ];
    expect(["content" in without, with_it]).toEqual([false, { ...without, content: "Here." }]);
  });
});

describe("a text without a name is named after its first line", () => {
  const cases: [string, object, string | RegExp][] = [
    ["one line", { content: "The quagga grazes." }, "The quagga grazes."],
    ["several", { content: "First\nSecond" }, "First"],
    ["blank lines before it", { content: "\n \r\n\tFirst\r\nSecond" }, "First"],
    ["null means absent", { name: null, content: "First\nSecond" }, "First"],
    ["a long line is cut to the longest name", { content: "😀".repeat(300) }, "😀".repeat(255)],
    ["no line at all", { content: " \n " }, /\S/],
    ["a name that is given is trimmed", { name: " Named ", content: "First" }, "Named"],
  ];
  for (const [why, body, name] of cases)
    test(why, async () =>
      expect((await ada.made("/documents", { folder_id: folder, ...body })).name).toEqual(
        typeof name === "string" ? name : expect.stringMatching(name),
      ),
    );
});

describe("refused, with the field named", () => {
  const cases: [string, string, () => string, unknown, string][] = [
    ["no folder", "POST", () => "/documents", { content: "x" }, "folder_id"],
    [
      "no content: even an empty one is sent",
      "POST",
      () => "/documents",
      { folder_id: "{folder}" },
      "content",
    ],
    [
      "content that is null",
      "POST",
      () => "/documents",
      { folder_id: "{folder}", content: null },
      "content",
    ],
    [
      "content that is a number",
      "POST",
      () => "/documents",
      { folder_id: "{folder}", content: 1 },
      "content",
    ],
    [
      "content with U+0000",
      "POST",
      () => "/documents",
      { folder_id: "{folder}", content: "a\u0000b" },
      "content",
    ],
    [
      "content with half a character",
      "POST",
      () => "/documents",
      { folder_id: "{folder}", content: "\udc00" },
      "content",
    ],
    [
      "a blank name",
      "POST",
      () => "/documents",
      { folder_id: "{folder}", name: " ", content: "x" },
      "name",
    ],
    [
      "a name of two lines",
      "POST",
      () => "/documents",
      { folder_id: "{folder}", name: "a\nb", content: "x" },
      "name",
    ],
    [
      "a name that is a list",
      "POST",
      () => "/documents",
      { folder_id: "{folder}", name: ["x"], content: "x" },
      "name",
    ],
    ["a list without a folder", "GET", () => "/documents", undefined, "folder_id"],
    [
      "a list of a status that is none",
      "GET",
      () => `/documents?folder_id=${folder}&status=done`,
      undefined,
      "status",
    ],
    [
      "a list of what is deleted or not, in other words",
      "GET",
      () => `/documents?folder_id=${folder}&deleted=yes`,
      undefined,
      "deleted",
    ],
    ["taking it out of no folder", "DELETE", () => "/documents/doc_none", undefined, "folder_id"],
    [
      "bringing it back to no folder",
      "POST",
      () => "/documents/doc_none/restore",
      undefined,
      "folder_id",
    ],
    ["linking it to no folder", "POST", () => "/documents/doc_none/links", {}, "folder_id"],
    ["renaming it to nothing", "PATCH", () => "/documents/doc_none", {}, "name"],
    [
      "renaming it to a blank name",
      "PATCH",
      () => "/documents/doc_none",
      { name: "\u2003" },
      "name",
    ],
    ["renaming it to null", "PATCH", () => "/documents/doc_none", { name: null }, "name"],
    [
      "a record with or without content, in other words",
      "GET",
      () => "/documents/doc_none?content=1",
      undefined,
      "content",
    ],
  ];
  for (const [why, method, path, body, field] of cases)
    test(why, async () => {
      const sent =
        body === undefined
          ? undefined
          : JSON.parse(JSON.stringify(body).replace("{folder}", folder));
      const answer = await ada.send(method, path(), sent);
      expectProblem(answer, 400, field);
      expect(answer.body.errors[0].pointer).toMatch(new RegExp(`^[/?]${field}$`));
    });
});

describe("the list of a folder", () => {
  let mixed: string, below: string;
  beforeAll(async () => {
    mixed = await ada.folder("Mixed");
    below = await ada.folder("Below", mixed);
    for (const [name, content] of [
      ["Alpha 50%.txt", "x"],
      ["beta_1", "x"],
      ["ÉTÉ", "x"],
      ["empty", ""],
    ])
      await ada.text(mixed, content!, name);
    await ada.text(below, "x", "below");
  });
  const cases: [string, string, string[]][] = [
    ["is of that folder alone, newest first", "", ["empty", "ÉTÉ", "beta_1", "Alpha 50%.txt"]],
    ["by status", "&status=synced", ["ÉTÉ", "beta_1", "Alpha 50%.txt"]],
    ["by the status of failures", "&status=sync_failed", ["empty"]],
    ["by a status that none has", "&status=syncing", []],
    ["by a part of the name, in any case", "&name=ALPHA", ["Alpha 50%.txt"]],
    [
      "by letters with accents, however they are composed",
      `&name=${encodeURIComponent("e\u0301te\u0301")}`,
      ["ÉTÉ"],
    ],
    ["a percent sign is a percent sign", `&name=${encodeURIComponent("%")}`, ["Alpha 50%.txt"]],
    ["an underscore is an underscore", "&name=_", ["beta_1"]],
    ["by both", "&name=e&status=sync_failed", ["empty"]],
    ["by a name that none has", "&name=gamma", []],
    ["nothing is deleted", "&deleted=true", []],
    ["deleted=false is the list", "&deleted=false&name=beta", ["beta_1"]],
  ];
  for (const [why, query, names] of cases)
    test(why, async () => {
      const { status, body } = await ada.send("GET", `/documents?folder_id=${mixed}${query}`);
      expect([status, body.data.map(({ name }: any) => name), body.pagination.total]).toEqual([
        200,
        names,
        names.length,
      ]);
    });
});

describe("taking out and bringing back", () => {
  test("out of the list, the search and the counters at once; the document stays; it comes back", async () => {
    const [one, two] = [await ada.folder("one"), await ada.folder("two")];
    const { id } = await ada.text(one, "The numbat eats termites.", "numbat");
    const linked = await ada.send("POST", `/documents/${id}/links`, { folder_id: two });
    expect([linked.status, linked.body.folder_ids.toSorted()]).toEqual([200, [one, two].sort()]);
    expectRecord("document", linked.body);
    expect([await ada.found("numbat", [one]), await ada.found("numbat", [two])]).toEqual([
      [id],
      [id],
    ]);

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
    expect([await ada.names(one, "&deleted=true"), await ada.names(two, "&deleted=true")]).toEqual([
      ["numbat"],
      ["numbat"],
    ]);

    const back = await ada.send("POST", `/documents/${id}/restore?folder_id=${one}`);
    expect([back.status, back.body.folder_ids]).toEqual([200, [one]]);
    expectRecord("document", back.body);
    expect([
      await ada.names(one),
      await ada.names(one, "&deleted=true"),
      await ada.names(two, "&deleted=true"),
    ]).toEqual([["numbat"], [], ["numbat"]]);
    expect([
      await ada.found("numbat"),
      (await ada.send("GET", `/folders/${one}`)).body.document_count,
    ]).toEqual([[id], 1]);
  });
  test("what is taken out takes no place among the passages found", async () => {
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
  test("a document never comes back to a folder it was not in", async () => {
    const { id } = await ada.text(folder, "x");
    expectProblem(
      await ada.send("POST", `/documents/${id}/restore?folder_id=${await ada.folder()}`),
      404,
    );
  });
  test("it survives the deletion of a folder while another holds it, or could get it back", async () => {
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
});

describe("names: an upload's is its own in a folder; texts may share theirs", () => {
  let here: string, there: string;
  const upload = async (into: string, name: string) =>
    (await ada.upload(into, name, `Of ${name}`)).body.id as string;
  beforeAll(async () => {
    [here, there] = [await ada.folder("here"), await ada.folder("there")];
  });

  test("two texts of one name, and a third", async () => {
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
      async () => (
        await upload(here, "a.txt"),
        ada.send("PATCH", `/documents/${(await ada.text(here, "x", "free")).id}`, {
          name: "a.txt",
        })
      ),
      409,
    ],
    [
      "renaming an upload onto an upload",
      async () => (
        await upload(here, "b.txt"),
        ada.send("PATCH", `/documents/${await upload(here, "c.txt")}`, { name: "b.txt" })
      ),
      409,
    ],
    [
      "renaming onto an upload by another composition of its letters",
      async () => (
        await upload(here, "caf\u00e9.txt"),
        ada.send("PATCH", `/documents/${(await ada.text(here, "x")).id}`, {
          name: "cafe\u0301.txt",
        })
      ),
      409,
    ],
    [
      "renaming onto other letter case",
      async () => (
        await upload(here, "d.txt"),
        ada.send("PATCH", `/documents/${(await ada.text(here, "x")).id}`, { name: "D.txt" })
      ),
      200,
    ],
    [
      "renaming to its own name",
      async () => ada.send("PATCH", `/documents/${await upload(here, "e.txt")}`, { name: "e.txt" }),
      200,
    ],
    [
      "renaming a text onto a text",
      async () => (
        await ada.text(here, "x", "shared"),
        ada.send("PATCH", `/documents/${(await ada.text(here, "x")).id}`, { name: "shared" })
      ),
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
      "linking an upload to where its name is taken",
      async () => (
        await upload(here, "h.txt"),
        ada.send("POST", `/documents/${await upload(there, "h.txt")}/links`, { folder_id: here })
      ),
      409,
    ],
    [
      "linking a text to where an upload has its name",
      async () => (
        await upload(here, "i.txt"),
        ada.send("POST", `/documents/${(await ada.text(there, "x", "i.txt")).id}/links`, {
          folder_id: here,
        })
      ),
      409,
    ],
    [
      "linking a text to where a text has its name",
      async () => (
        await ada.text(here, "x", "j"),
        ada.send("POST", `/documents/${(await ada.text(there, "x", "j")).id}/links`, {
          folder_id: here,
        })
      ),
      200,
    ],
    [
      "bringing an upload back to where its name is taken meanwhile",
      async () => {
        const id = await upload(here, "k.txt");
        await ada.send("DELETE", `/documents/${id}?folder_id=${here}`);
        await upload(here, "k.txt");
        return ada.send("POST", `/documents/${id}/restore?folder_id=${here}`);
      },
      409,
    ],
    [
      "bringing a text back to where an upload has its name meanwhile",
      async () => {
        const { id } = await ada.text(here, "x", "l.txt");
        await ada.send("DELETE", `/documents/${id}?folder_id=${here}`);
        await upload(here, "l.txt");
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
});

describe("indexing again", () => {
  test("a good text ends as synced again, and answers throughout", async () => {
    const { id } = await ada.text(folder, "The axolotl regrows limbs.");
    const answer = await ada.send("POST", `/documents/${id}/reindex`);
    expect([
      answer.status,
      answer.body.status,
      answer.headers.get("location"),
      answer.headers.get("retry-after"),
    ]).toEqual([202, "syncing", `/api/dev/v1/documents/${id}`, "1"]);
    expectRecord("document", answer.body);
    expect(await ada.found("axolotl")).toEqual([id]);
    expectHas(await ada.settled(id), {
      status: "synced",
      version: 1,
      content: "The axolotl regrows limbs.",
    });
    expect(await ada.found("axolotl")).toEqual([id]);
  });
  test("an empty one fails again", async () => {
    const { id } = await ada.text(folder, "");
    expect((await ada.send("POST", `/documents/${id}/reindex`)).status).toBe(202);
    expectHas(await ada.settled(id), {
      status: "sync_failed",
      error: { code: "empty", message: expect.any(String) },
    });
  });
});
