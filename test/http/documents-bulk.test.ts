/** Sorted lists, actions on many documents at once, and downloads as a ZIP file. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { unpacked } from "../helpers/folder-archives";
import { EntryNames } from "../../plugins/documents/originals/entry-names";
import { startTestServer, type TestServer } from "../helpers/host";
import { person, type Person } from "../helpers/person";

let server: TestServer;
let ada: Person;
let eve: Person;
let folder: string;
let other: string;
const ids: Record<string, string> = {};

beforeAll(async () => {
  server = await startTestServer();
  ada = await person(server, "ada");
  eve = await person(server, "eve");
  folder = await ada.folder("Field / notes");
  other = await ada.folder("Other");
  const upload = async (name: string, content: string) => {
    ids[name] = (await ada.upload(folder, name, content)).body.id;
  };
  await upload("report 10.txt", "ten");
  await upload("Report 2.txt", "two and more");
  await upload("table.csv", "a,b\n1,2\n");
  await upload("page.html", "<h1>Hello</h1><p>A page about fog.</p>");
  ids["empty"] = (await ada.newText(folder, "", "Zero")).id;
  ids["text"] = (await ada.newText(folder, "Fog over the harbour.", "report 1")).id;
  await server.settle();
});
afterAll(() => server.stop());

const orders: readonly (readonly [why: string, query: string, names: readonly string[]])[] = [
  [
    "by name, with numbers in order and ignoring case",
    "sort=name",
    ["page.html", "report 1", "Report 2.txt", "report 10.txt", "table.csv", "Zero"],
  ],
  [
    "by name, descending",
    "sort=name&order=desc",
    ["Zero", "table.csv", "report 10.txt", "Report 2.txt", "report 1", "page.html"],
  ],
  ["the second page", "sort=name&per_page=2&page=2", ["Report 2.txt", "report 10.txt"]],
  [
    "by size, largest first",
    "sort=size",
    ["page.html", "report 1", "Report 2.txt", "table.csv", "report 10.txt", "Zero"],
  ],
  [
    "by age, oldest first",
    "sort=created&order=asc",
    ["report 10.txt", "Report 2.txt", "table.csv", "page.html", "Zero", "report 1"],
  ],
  [
    "by status, failures first and then newest first",
    "sort=status",
    ["Zero", "report 1", "page.html", "table.csv", "Report 2.txt", "report 10.txt"],
  ],
  [
    "by type",
    "sort=type",
    ["table.csv", "report 1", "Zero", "Report 2.txt", "report 10.txt", "page.html"],
  ],
  ["of one type", "type=spreadsheet", ["table.csv"]],
  [
    "of one type and with part of the name",
    "type=text&name=REPORT&sort=size&order=asc",
    ["report 10.txt", "Report 2.txt", "report 1"],
  ],
];
describe("documents sorted and filtered", () => {
  test.each(orders)("%s", async (_why, query, names) => {
    const { body } = await ada.send("GET", `/documents?folder_id=${folder}&${query}`);
    expect(body.data.map(({ name }: { name: string }) => name)).toEqual([...names]);
  });
});

const zipped = async (query = "", who = ada) => {
  const answer = await server.call(
    who === ada ? "ada" : "eve",
    "GET",
    `/folders/${folder}/documents.zip${query}`,
  );
  const bytes = new Uint8Array(await answer.arrayBuffer());
  return { answer, files: answer.status === 200 ? Object.fromEntries(unpacked(bytes)) : {} };
};

test("an upload can have another name than its file, with a path in it", async () => {
  const into = await ada.folder();
  const uploaded = await ada.upload(into, "a.txt", "Deep.", "&name=2025%2Fq1%2Fa.txt");
  expect([uploaded.status, uploaded.body.name]).toEqual([201, "2025/q1/a.txt"]);
  const repeated = await ada.upload(into, "b.txt", "Deep.", "&name=2025%2Fq1%2Fa.txt");
  expect(repeated.status).toBe(409);
  const blank = await ada.upload(into, "b.txt", "Deep.", "&name=%20");
  expect([blank.status, blank.body.errors[0].pointer]).toEqual([400, "?name"]);
});

describe("the ids of a folder's documents", () => {
  const listed = (query: string) => ada.send("GET", `/folders/${folder}/document-ids${query}`);
  test("continue after one of them, even if it has left the folder", async () => {
    const { body: all } = await listed("");
    expect(all.total).toBe(6);
    const { body: rest } = await listed(`?after=${all.ids[2]}`);
    expect(rest).toEqual({ ids: all.ids.slice(3), total: 3 });
    const { body: texts } = await listed("?type=text");
    const deleted_id = texts.ids[0];
    const unlinked = await ada.send("DELETE", `/documents/${deleted_id}?folder_id=${folder}`);
    expect(unlinked.status).toBe(204);
    expect((await listed(`?type=text&after=${deleted_id}`)).body.ids).toEqual(texts.ids.slice(1));
    await ada.send("POST", `/documents/${deleted_id}/restore?folder_id=${folder}`);
  });
  test("after an unknown document: 404", async () => {
    const { status, body } = await listed("?after=doc_none");
    expect([status, body.code]).toEqual([404, "not_found"]);
  });
  test("after an empty id: 400", async () => {
    const { status, body } = await listed("?after=");
    expect([status, body.errors[0].pointer]).toEqual([400, "?after"]);
  });
});

describe("a ZIP file", () => {
  test("has every original of the folder, with proper file extensions", async () => {
    const { answer, files } = await zipped();
    expect(answer.headers.get("content-disposition")).toContain("Field");
    expect(Object.keys(files).sort()).toEqual([
      "Report 2.txt",
      "Zero.txt",
      "page.html",
      "report 1.txt",
      "report 10.txt",
      "table.csv",
    ]);
    expect(new TextDecoder().decode(files["report 1.txt"])).toBe("Fog over the harbour.");
  });
  test("has only the documents that match a filter or are named", async () => {
    expect(Object.keys((await zipped("?type=spreadsheet")).files)).toEqual(["table.csv"]);
    const query = `?document_ids=${ids["text"]},${ids["table.csv"]}`;
    expect(Object.keys((await zipped(query)).files)).toEqual(["report 1.txt", "table.csv"]);
  });

  const refused: readonly (readonly [string, () => string, number])[] = [
    ["a document outside the folder", () => "?document_ids=doc_none", 404],
    ["a filter without matches", () => "?type=mail", 404],
    ["too many ids", () => `?document_ids=${Array(201).fill("doc_a").join()}`, 400],
    ["an unknown type", () => "?type=poem", 400],
  ];
  test.each(refused)("is refused for %s", async (_why, query, status) => {
    expect((await zipped(query())).answer.status).toBe(status);
  });
  test("is available to the owner only", async () => {
    expect((await zipped("", eve)).answer.status).toBe(403);
  });
});

const named: readonly (readonly [
  why: string,
  names: readonly string[],
  paths: readonly string[],
])[] = [
  [
    "clashes get numbers, ignoring case",
    ["a.txt", "A.txt", "a.txt"],
    ["a.txt", "A (2).txt", "a (3).txt"],
  ],
  [
    "a number that is taken is skipped",
    ["a (2).txt", "a.txt", "a.txt"],
    ["a (2).txt", "a.txt", "a (3).txt"],
  ],
  [
    "a slash makes a directory, and never leads outside",
    ["x/y.txt", "../../etc/passwd", "/abs.txt"],
    ["x/y.txt", "etc/passwd.txt", "abs.txt"],
  ],
  [
    "characters Windows forbids are replaced",
    ['a:b*"c?.txt', "con.txt", "c\\d.txt"],
    ["a_b__c_.txt", "_con.txt", "c_d.txt"],
  ],
  ["a name with nothing left becomes _", ["..", " / "], ["_.txt", "_ (2).txt"]],
];
describe("names in a ZIP file", () => {
  test.each(named)("%s", (_why, names, paths) => {
    const taken = new EntryNames();
    expect(names.map((name) => taken.add(name, "text/plain"))).toEqual([...paths]);
  });
});

describe("a batch", () => {
  const batch = (body: object) => ada.send("POST", "/documents/batch", body);
  test("continues past failures, and reports each reason", async () => {
    const fog = (await ada.upload(folder, "fog.txt", "Fog.")).body.id;
    await ada.upload(other, "fog.txt", "Another fog.");
    const rain = (await ada.upload(folder, "rain.txt", "Rain.")).body.id;
    const moved = await batch({
      action: "move",
      document_ids: [fog, rain, "doc_none", rain],
      folder_id: folder,
      to_folder_id: other,
    });
    expect(moved.body).toEqual({
      done: 1,
      problems: [
        { document_id: fog, status: 409, code: "name_taken", detail: expect.any(String) },
        { document_id: "doc_none", status: 404, code: "not_found", detail: expect.any(String) },
      ],
    });
    // What failed stays where it was; what was moved is only in the new folder.
    expect((await ada.names(folder)).includes("fog.txt")).toBe(true);
    expect((await ada.names(folder)).includes("rain.txt")).toBe(false);
    expect((await ada.names(other)).toSorted()).toEqual(["fog.txt", "rain.txt"]);
    const out = await batch({ action: "unlink", document_ids: [rain], folder_id: other });
    expect(out.body).toEqual({ done: 1, problems: [] });
    const back = await batch({ action: "restore", document_ids: [rain], folder_id: other });
    expect(back.body).toEqual({ done: 1, problems: [] });
    const repeated = await batch({ action: "reindex", document_ids: [rain, fog] });
    expect(repeated.body).toEqual({ done: 2, problems: [] });
    const linked = await batch({ action: "link", document_ids: [rain], to_folder_id: folder });
    expect(linked.body).toEqual({ done: 1, problems: [] });
    expect((await ada.get(rain)).folder_ids.toSorted()).toEqual([folder, other].toSorted());
  });

  const refused: readonly (readonly [string, object, number, string])[] = [
    ["without documents", { action: "reindex", document_ids: [] }, 400, "/document_ids"],
    [
      "with too many documents",
      { action: "reindex", document_ids: Array(201).fill("doc_a") },
      400,
      "/document_ids",
    ],
    [
      "without a folder to remove from",
      { action: "unlink", document_ids: ["doc_a"] },
      400,
      "/folder_id",
    ],
    [
      "without a folder to add to",
      { action: "link", document_ids: ["doc_a"] },
      400,
      "/to_folder_id",
    ],
  ];
  test.each(refused)("%s is refused", async (_why, body, status, pointer) => {
    const answer = await batch(body);
    expect([answer.status, answer.body.errors?.[0]?.pointer]).toEqual([status, pointer]);
  });
  test("on another user's folder is refused", async () => {
    const { status } = await eve.send("POST", "/documents/batch", {
      action: "unlink",
      document_ids: [ids["text"]],
      folder_id: folder,
    });
    expect(status).toBe(403);
  });
});
