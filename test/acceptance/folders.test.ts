/** Acceptance, on the executable: folders and saved prompts. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectHas, expectProblem, expectRecord } from "../helpers/contract";
import { startExecutable, type Executable } from "../helpers/executable";
import { person, type Person } from "../helpers/person";

let server: Executable;
let ada: Person;
let folder: string, sub: string, prompt: string;

beforeAll(async () => {
  server = await startExecutable();
  ada = await person(server, "ada");
  folder = await ada.folder("Root");
  sub = await ada.folder("Sub", folder);
  prompt = (await ada.made("/prompts", { name: "Short", text: "Be short." })).id;
}, 180_000);
afterAll(() => server?.[Symbol.asyncDispose]());

/** Every character that Unicode calls white space. */
const spaces = [
  9,
  10,
  11,
  12,
  13,
  0x20,
  0x85,
  0xa0,
  0x1680,
  ...Array.from({ length: 11 }, (_, n) => 0x2000 + n),
  0x2028,
  0x2029,
  0x202f,
  0x205f,
  0x3000,
].map((code) => String.fromCodePoint(code));

describe("creating a folder", () => {
  const cases: [string, () => unknown, object][] = [
    [
      "a name is enough",
      () => ({ name: "Reports" }),
      {
        name: "Reports",
        description: null,
        parentId: null,
        document_count: 0,
        status_counts: { syncing: 0, synced: 0, sync_failed: 0 },
      },
    ],
    [
      "with a description",
      () => ({ name: "Reports", description: "Of the crews\n" }),
      { description: "Of the crews\n" },
    ],
    [
      "below a root folder",
      () => ({ name: "Sub", parentId: folder }),
      { parentId: expect.stringMatching(/^fld_/) },
    ],
    [
      "null for what is optional means absent",
      () => ({ name: "Reports", description: null, parentId: null }),
      { description: null, parentId: null },
    ],
    ["names may be alike", () => ({ name: "Root" }), { name: "Root" }],
    [
      "a name is trimmed at its ends alone",
      () => ({ name: " \u3000 Field  reports\u00a0\n" }),
      { name: "Field  reports" },
    ],
    [
      "any script, and marks that combine",
      () => ({ name: "Отчёты 報告 تقارير e\u0301 👩🏽‍🚀" }),
      { name: "Отчёты 報告 تقارير e\u0301 👩🏽‍🚀" },
    ],
    [
      "names that mean something elsewhere",
      () => ({ name: "../../etc/passwd'; drop table folders; -- %00 <b>" }),
      { name: "../../etc/passwd'; drop table folders; -- %00 <b>" },
    ],
    ["an empty description is one", () => ({ name: "x", description: "" }), { description: "" }],
    [
      "fields that nobody knows, or that are not the caller's to set, are ignored",
      () => ({
        name: "x",
        colour: "red",
        id: "fld_mine",
        owner_id: "usr_1",
        document_count: 7,
        created_at: "1970-01-01T00:00:00Z",
      }),
      { document_count: 0 },
    ],
  ];
  for (const [why, body, expected] of cases)
    test(why, async () => {
      const record = await ada.made("/folders", body());
      expectRecord("folder", record);
      expectHas(record, expected);
      expect(record.id).not.toBe("fld_mine");
      expect((await ada.send("GET", `/folders/${record.id}`)).body).toEqual(record);
      expect(record.created_at).toBe(record.updated_at);
    });
});

describe("refused, with the field named", () => {
  const cases: [
    string,
    "name" | "description" | "parentId" | "text",
    string,
    () => string,
    () => unknown,
  ][] = [
    ...["/folders", "/prompts"].flatMap(
      (path): [string, "name", string, () => string, () => unknown][] => [
        [`no name (${path})`, "name", "POST", () => path, () => ({ text: "x" })],
        [
          `a name in other letters (${path})`,
          "name",
          "POST",
          () => path,
          () => ({ Name: "x", NAME: "x", text: "x" }),
        ],
        [
          `a name that is null (${path})`,
          "name",
          "POST",
          () => path,
          () => ({ name: null, text: "x" }),
        ],
        [`an empty name (${path})`, "name", "POST", () => path, () => ({ name: "", text: "x" })],
        [
          `a name with U+0000 (${path})`,
          "name",
          "POST",
          () => path,
          () => ({ name: "a\u0000b", text: "x" }),
        ],
        [
          `a name with half a character (${path})`,
          "name",
          "POST",
          () => path,
          () => ({ name: "a\ud800b", text: "x" }),
        ],
        ...[1, true, [], {}, ["x"]].map(
          (name): [string, "name", string, () => string, () => unknown] => [
            `the name ${JSON.stringify(name)} (${path})`,
            "name",
            "POST",
            () => path,
            () => ({ name, text: "x" }),
          ],
        ),
      ],
    ),
    [
      "every space in one blank name",
      "name",
      "POST",
      () => "/folders",
      () => ({ name: spaces.join("") }),
    ],
    [
      "a blank name on a change",
      "name",
      "PUT",
      () => `/folders/${folder}`,
      () => ({ name: " \u2003 " }),
    ],
    [
      "no name on a change: a folder has one",
      "name",
      "PUT",
      () => `/folders/${folder}`,
      () => ({ name: null }),
    ],
    [
      "a description that is a number",
      "description",
      "POST",
      () => "/folders",
      () => ({ name: "x", description: 1 }),
    ],
    [
      "a description that is a list, on a change",
      "description",
      "PUT",
      () => `/folders/${folder}`,
      () => ({ description: [] }),
    ],
    [
      "a parent that is a number",
      "parentId",
      "POST",
      () => "/folders",
      () => ({ name: "x", parentId: 1 }),
    ],
    [
      "a parent that is a subfolder: there are two levels",
      "parentId",
      "POST",
      () => "/folders",
      () => ({ name: "x", parentId: sub }),
    ],
    ["a prompt without text", "text", "POST", () => "/prompts", () => ({ name: "x" })],
    [
      "a prompt with blank text",
      "text",
      "POST",
      () => "/prompts",
      () => ({ name: "x", text: " \n " }),
    ],
    [
      "a prompt with a number for a text",
      "text",
      "POST",
      () => "/prompts",
      () => ({ name: "x", text: 1 }),
    ],
    [
      "a prompt that loses its text",
      "text",
      "PUT",
      () => `/prompts/${prompt}`,
      () => ({ text: "" }),
    ],
    [
      "a prompt that loses its name",
      "name",
      "PUT",
      () => `/prompts/${prompt}`,
      () => ({ name: " " }),
    ],
  ];
  for (const [why, field, method, path, body] of cases)
    test(why, async () => {
      const answer = await ada.send(method, path(), body());
      expectProblem(answer, 400, field);
      expect(answer.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toContain(
        `/${field}`,
      );
    });
  for (const space of spaces)
    test(`a name of U+${space.codePointAt(0)!.toString(16).padStart(4, "0")} alone is blank`, async () =>
      expectProblem(await ada.send("POST", "/folders", { name: space }), 400, "name"));
  test("a parent that is not there", async () =>
    expectProblem(await ada.send("POST", "/folders", { name: "x", parentId: "fld_none" }), 404));
});

describe("changing a folder or a prompt replaces the fields that are given", () => {
  const cases: [string, "folder" | "prompt", object, object][] = [
    ["the name alone", "folder", { name: " New " }, { name: "New", description: "Old words" }],
    [
      "the description alone",
      "folder",
      { description: "New words" },
      { name: "Old", description: "New words" },
    ],
    [
      "null takes a description away",
      "folder",
      { description: null },
      { name: "Old", description: null },
    ],
    ["both", "folder", { name: "New", description: "" }, { name: "New", description: "" }],
    ["nothing", "folder", {}, { name: "Old", description: "Old words" }],
    [
      "what nobody may change",
      "folder",
      { parentId: null, id: "fld_x", created_at: "1970-01-01T00:00:00Z" },
      { name: "Old" },
    ],
    [
      "the name alone",
      "prompt",
      { name: "New" },
      { name: "New", text: "Be short.", description: "Old words" },
    ],
    [
      "the text alone, kept as it is sent",
      "prompt",
      { text: " Be\nlong. " },
      { name: "Old", text: " Be\nlong. " },
    ],
    ["null takes a description away", "prompt", { description: null }, { description: null }],
    ["nothing", "prompt", {}, { name: "Old", text: "Be short.", description: "Old words" }],
  ];
  for (const [why, kind, change, expected] of cases)
    test(`${kind}: ${why}`, async () => {
      const before = await ada.made(
        `/${kind}s`,
        kind === "folder"
          ? { name: "Old", description: "Old words", parentId: folder }
          : { name: "Old", text: "Be short.", description: "Old words" },
      );
      const { status, body } = await ada.send("PUT", `/${kind}s/${before.id}`, change);
      expect(status).toBe(200);
      expectRecord(kind, body);
      expect(body).toEqual({ ...before, ...expected, updated_at: body.updated_at });
      expect(body.updated_at >= before.updated_at).toBe(true);
      expect((await ada.send("GET", `/${kind}s/${before.id}`)).body).toEqual(body);
    });
});

describe("deleting", () => {
  test("a folder goes with its subfolders, and out of every session; again it is not found", async () => {
    const root = await ada.folder("Root");
    const below = await Promise.all([ada.folder("one", root), ada.folder("two", root)]);
    const chat = await ada.made("/chats", { usedFolders: [below[0], folder, root] });
    const answer = await ada.send("DELETE", `/folders/${root}`);
    expect([answer.status, answer.body]).toEqual([204, undefined]);
    for (const gone of [root, ...below])
      for (const method of ["GET", "DELETE"])
        expectProblem(await ada.send(method, `/folders/${gone}`), 404);
    expectProblem(await ada.send("PUT", `/folders/${root}`, { name: "x" }), 404);
    expectProblem(await ada.send("POST", "/folders", { name: "x", parentId: root }), 404);
    expect((await ada.send("GET", `/chats/${chat.id}`)).body.usedFolders).toEqual([folder]);
  });
  test("a subfolder goes alone", async () => {
    const root = await ada.folder("Root");
    const [one, two] = [await ada.folder("one", root), await ada.folder("two", root)];
    await ada.send("DELETE", `/folders/${one}`);
    expect(
      (await Promise.all([root, one, two].map((id) => ada.send("GET", `/folders/${id}`)))).map(
        ({ status }) => status,
      ),
    ).toEqual([200, 404, 200]);
  });
  test("a prompt goes out of every session; again it is not found", async () => {
    const { id } = await ada.made("/prompts", { name: "x", text: "x" });
    const chat = await ada.made("/chats", { usedPrompts: [id, prompt] });
    const answer = await ada.send("DELETE", `/prompts/${id}`);
    expect([answer.status, answer.body]).toEqual([204, undefined]);
    for (const method of ["GET", "DELETE"])
      expectProblem(await ada.send(method, `/prompts/${id}`), 404);
    expect((await ada.send("GET", `/chats/${chat.id}`)).body.usedPrompts).toEqual([prompt]);
    expect(
      (await ada.send("GET", "/prompts?per_page=200")).body.data.map((one: any) => one.id),
    ).not.toContain(id);
  });
});

test("a folder counts its own live documents by status, its subfolders' aside", async () => {
  const root = await ada.folder("Counted");
  const below = await ada.folder("Below", root);
  const [good, , unlinked] = [
    await ada.text(root, "Good."),
    await ada.text(root, ""),
    await ada.text(root, "Taken out."),
    await ada.text(below, "Elsewhere."),
  ];
  await ada.send("DELETE", `/documents/${unlinked.id}?folder_id=${root}`);
  const counts = async (id: string) => {
    const { document_count, status_counts } = (await ada.send("GET", `/folders/${id}`)).body;
    return { document_count, ...status_counts };
  };
  expect(await counts(root)).toEqual({ document_count: 2, syncing: 0, synced: 1, sync_failed: 1 });
  expect(await counts(below)).toEqual({ document_count: 1, syncing: 0, synced: 1, sync_failed: 0 });
  await ada.send("POST", `/documents/${good.id}/links`, { folder_id: below });
  await ada.send("DELETE", `/documents/${good.id}?folder_id=${root}`);
  expect([await counts(root), await counts(below)]).toEqual([
    { document_count: 1, syncing: 0, synced: 0, sync_failed: 1 },
    { document_count: 2, syncing: 0, synced: 2, sync_failed: 0 },
  ]);
  const listed = (await ada.send("GET", "/folders?per_page=200")).body.data.find(
    ({ id }: any) => id === root,
  );
  expect(listed).toEqual((await ada.send("GET", `/folders/${root}`)).body);
});
