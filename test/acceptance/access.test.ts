/**
 * Acceptance, on the executable: authentication, access to other users' records, the order in
 * which a request is checked, and uploads refused before their body is read.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { accessCases } from "../cases/access";
import { expectHas, expectProblem } from "../helpers/contract";
import { temporaryFiles } from "../helpers/data-directory";
import { startExecutable, type Executable } from "../helpers/executable";
import { filePart, form } from "../helpers/forms";
import { person, type Person } from "../helpers/person";
import { until, type Answered } from "../helpers/server";
import { head, openSocket } from "../helpers/sockets";

let server: Executable;
let ada: Person;
let bob: Person;
let reader: string;
let writer: string;
const named: Record<string, string> = {};
const filled = (text: string): string =>
  text.replace(/\{(\w+)\}/g, (_all, word: string) => named[word]!);
const newKey = (...options: string[]) =>
  server.mustCli(["key", "create", "--user", "ada@example.com", "--name", "Ada's", ...options]);

/** Creates one record of each kind and stores the ids under names that begin with `of`. */
async function furnish(of: string, who: Person): Promise<void> {
  named[`${of}_folder`] = await who.folder("Papers");
  named[`${of}_document`] = (
    await who.text(named[`${of}_folder`]!, "The otter swims at night.")
  ).id;
  named[`${of}_prompt`] = (await who.create("/prompts", { name: "Short", text: "Be short." })).id;
  named[`${of}_chat`] = (await who.create("/chats", { usedFolders: [named[`${of}_folder`]] })).id;
  named[`${of}_message`] = (
    await who.send("POST", `/chats/${named[`${of}_chat`]}/messages`, {
      text: "Where does the otter swim?",
    })
  ).body.requestId;
}

beforeAll(async () => {
  server = await startExecutable();
  [ada, bob] = [await person(server, "ada"), await person(server, "bob")];
  [reader, writer] = await Promise.all([newKey("--scopes", "read"), newKey("--scopes", "write")]);
  await Promise.all([furnish("ada", ada), furnish("bob", bob)]);
  for (const [name, prefix] of [
    ["folder", "fld"],
    ["document", "doc"],
    ["prompt", "prm"],
    ["chat", "chs"],
  ])
    named[`no_${name}`] = `${prefix}_00000000000000000000000000`;
  named.no_message = crypto.randomUUID();
  await ada.upload(named.ada_folder!, "taken.txt", "The name is taken.");
}, 180_000);
afterAll(() => server?.[Symbol.asyncDispose]());

describe("authentication", () => accessCases(startExecutable));
describe("a request without a valid key is challenged", () => {
  test("two Authorization headers are refused", async () => {
    const socket = openSocket(server.url());
    const lines = `Authorization: Bearer ${ada.key}\r\n`;
    socket.send(`GET /api/dev/v1/folders HTTP/1.1\r\nHost: dossier\r\n${lines}${lines}\r\n`);
    expectProblem(await socket.answer(), 401);
    socket.cut();
  });
});

describe("keys", () => {
  const ids = async (): Promise<any[]> =>
    JSON.parse(await server.mustCli(["key", "list", "--user", "ada@example.com", "--json"]));
  const status = async (key: string) =>
    (await server.api("GET", "/folders?per_page=1", undefined, { key })).status;

  test("begin with dsk_ and are all different", async () => {
    for (const key of [ada.key, bob.key, reader]) expect(key).toMatch(/^dsk_[0-9A-Za-z]{32,}$/);
    expect(new Set([ada.key, bob.key, reader, writer]).size).toBe(4);
  });
  test("deactivation takes effect at the next request and leaves other keys alone", async () => {
    const key = await newKey();
    expect(await status(key)).toBe(200);
    const [newest] = await ids();
    await server.mustCli(["key", "deactivate", newest.id]);
    expect([await status(key), await status(ada.key)]).toEqual([401, 200]);
    expectHas(
      (await ids()).find(({ id }) => id === newest.id),
      { active: false },
    );
  });
  test("a key stops working when it expires", async () => {
    const key = await newKey("--expires", new Date(Date.now() + 2_500).toISOString());
    await until(async () => (await status(key)) === 401, 15_000);
    expect(await status(await newKey("--expires", "2199-01-01"))).toBe(200);
  });
  test("all keys of a user give access to the same records", async () => {
    const list = async (key: string) =>
      (await server.api("GET", "/folders", undefined, { key })).body;
    expect(await list(reader)).toEqual(await list(ada.key));
  });
});

describe("scopes", () => {
  const cases: [string, string, string, unknown, boolean][] = [
    ["listing", "GET", "/folders", undefined, true],
    ["reading", "GET", "/documents/{ada_document}", undefined, true],
    ["HEAD", "HEAD", "/folders", undefined, true],
    ["downloading", "GET", "/documents/{ada_document}/file", undefined, true],
    ["polling", "GET", "/chats/{ada_chat}/messages/{ada_message}", undefined, true],
    ["searching", "POST", "/search", { query: "otter" }, true],
    ["creating", "POST", "/folders", { name: "New" }, false],
    ["changing", "PUT", "/folders/{ada_folder}", { name: "Papers" }, false],
    ["renaming", "PATCH", "/documents/{ada_document}", { name: "otter" }, false],
    ["deleting", "DELETE", "/prompts/{no_prompt}", undefined, false],
    ["asking", "POST", "/chats/{ada_chat}/messages", { text: "Otter?" }, false],
    ["indexing again", "POST", "/documents/{ada_document}/reindex", undefined, false],
  ];
  for (const [why, method, path, body, reads] of cases)
    test(`${why} needs ${reads ? "read" : "write"}`, async () => {
      const [allowed, refused] = reads ? [reader, writer] : [writer, reader];
      const answer = await server.api(method, filled(path), body, { key: refused });
      if (method === "HEAD") expect(answer.status).toBe(403);
      else expectProblem(answer, 403, reads ? "read" : "write", "missing_scope");
      expect((await server.api(method, filled(path), body, { key: allowed })).status).not.toBe(403);
    });
});

describe("another user's records answer 403, missing records answer 404", () => {
  const upload = form("other.txt", "x");
  const cases: [string, string, (is: string) => unknown][] = [
    ["GET", "/folders/{X_folder}", () => undefined],
    ["PUT", "/folders/{X_folder}", () => ({ name: "Mine" })],
    ["DELETE", "/folders/{X_folder}", () => undefined],
    ["POST", "/folders", (x) => ({ name: "Sub", parentId: `{${x}_folder}` })],
    ["GET", "/prompts/{X_prompt}", () => undefined],
    ["PUT", "/prompts/{X_prompt}", () => ({ name: "Mine" })],
    ["DELETE", "/prompts/{X_prompt}", () => undefined],
    ["GET", "/documents?folder_id={X_folder}", () => undefined],
    ["POST", "/documents", (x) => ({ folder_id: `{${x}_folder}`, content: "x" })],
    ["POST", "/documents/file?folder_id={X_folder}", () => upload],
    ["GET", "/documents/{X_document}", () => undefined],
    ["GET", "/documents/{X_document}?content=false", () => undefined],
    ["GET", "/documents/{X_document}/file", () => undefined],
    ["PATCH", "/documents/{X_document}", () => ({ name: "Mine" })],
    ["POST", "/documents/{X_document}/reindex", () => undefined],
    ["DELETE", "/documents/{X_document}?folder_id={ada_folder}", () => undefined],
    ["DELETE", "/documents/{ada_document}?folder_id={X_folder}", () => undefined],
    ["POST", "/documents/{X_document}/links", () => ({ folder_id: "{ada_folder}" })],
    ["POST", "/documents/{ada_document}/links", (x) => ({ folder_id: `{${x}_folder}` })],
    ["POST", "/documents/{X_document}/restore?folder_id={ada_folder}", () => undefined],
    ["POST", "/documents/{ada_document}/restore?folder_id={X_folder}", () => undefined],
    ["GET", "/chats/{X_chat}", () => undefined],
    ["PUT", "/chats/{X_chat}", () => ({ name: "Mine" })],
    ["DELETE", "/chats/{X_chat}", () => undefined],
    ["POST", "/chats/{X_chat}/restore", () => undefined],
    ["POST", "/chats", (x) => ({ usedFolders: ["{ada_folder}", `{${x}_folder}`] })],
    ["POST", "/chats", (x) => ({ usedPrompts: [`{${x}_prompt}`] })],
    ["PUT", "/chats/{ada_chat}", (x) => ({ usedFolders: [`{${x}_folder}`] })],
    ["PUT", "/chats/{ada_chat}", (x) => ({ usedPrompts: ["{ada_prompt}", `{${x}_prompt}`] })],
    ["GET", "/chats/{X_chat}/messages", () => undefined],
    ["POST", "/chats/{X_chat}/messages", () => ({ text: "Otter?" })],
    ["GET", "/chats/{X_chat}/messages/{X_message}", () => undefined],
    ["POST", "/chats/{X_chat}/messages/{X_message}/cancel", () => undefined],
    ["POST", "/search", (x) => ({ query: "otter", folder_ids: [`{${x}_folder}`] })],
    ["POST", "/search", (x) => ({ query: "otter", document_ids: [`{${x}_document}`] })],
  ];
  for (const [method, path, body] of cases)
    for (const [is, status] of [
      ["bob", 403],
      ["no", 404],
    ] as const)
      test(`${method} ${path} ${JSON.stringify(body(is))?.slice(0, 70) ?? ""}, ${is}: ${status}`, async () => {
        const sent = body(is);
        const named_body =
          sent instanceof FormData || sent === undefined
            ? sent
            : JSON.parse(filled(JSON.stringify(sent)));
        expectProblem(
          await ada.send(method, filled(path.replaceAll("{X_", `{${is}_`)), named_body),
          status,
        );
      });

  test("a message of another session is not found in the caller's session", async () => {
    for (const [method, rest] of [
      ["GET", ""],
      ["POST", "/cancel"],
    ])
      expectProblem(
        await ada.send(method!, filled(`/chats/{ada_chat}/messages/{bob_message}${rest}`)),
        404,
      );
  });
  test("an administrator can't read them either", async () => {
    const root = await server.createUser("root@example.com", { role: "admin" });
    for (const path of ["/folders/{ada_folder}", "/documents/{ada_document}", "/chats/{ada_chat}"])
      expectProblem(await server.api("GET", filled(path), undefined, { key: root }), 403);
    expect((await server.api("GET", "/folders", undefined, { key: root })).body.data).toEqual([]);
  });
  test("nothing has changed, and lists and searches show only the caller's records", async () => {
    expectHas((await bob.send("GET", filled("/folders/{bob_folder}"))).body, {
      name: "Papers",
      document_count: 1,
    });
    expectHas((await bob.send("GET", filled("/documents/{bob_document}"))).body, {
      content: "The otter swims at night.",
      folder_ids: [named.bob_folder],
    });
    expect((await bob.send("GET", "/folders")).body.data.map(({ id }: any) => id)).toEqual([
      named.bob_folder,
    ]);
    expect((await bob.send("GET", "/prompts")).body.data.map(({ id }: any) => id)).toEqual([
      named.bob_prompt,
    ]);
    expect((await bob.send("GET", "/chats")).body.data.map(({ id }: any) => id)).toEqual([
      named.bob_chat,
    ]);
    expect(await bob.found("otter")).toEqual([named.bob_document!]);
  });
});

describe("the order in which a request is checked", () => {
  const json = { "content-type": "application/json" };
  const large = "x".repeat(17 * 2 ** 20);
  const none = (): string | null => null;
  const [as_ada, as_reader] = [() => ada.key, () => reader];
  const cases: [
    string,
    () => string | null,
    string,
    string,
    unknown,
    Record<string, string>,
    number,
  ][] = [
    ["the key before the route", none, "GET", "/nowhere", undefined, {}, 401],
    ["the key before the method", none, "PATCH", "/folders", undefined, {}, 401],
    [
      "the key before size, type and shape",
      none,
      "POST",
      "/folders",
      "{",
      { "content-type": "text/plain" },
      401,
    ],
    ["the route before scope and body", as_reader, "POST", "/nowhere", "{", json, 404],
    ["the method before scope and body", as_reader, "PATCH", "/folders", "{", json, 405],
    ["the scope before the size", as_reader, "POST", "/folders", large, json, 403],
    [
      "the scope before the type",
      as_reader,
      "POST",
      "/folders",
      "{",
      { "content-type": "text/plain" },
      403,
    ],
    [
      "the scope before the record",
      as_reader,
      "DELETE",
      "/folders/{no_folder}",
      undefined,
      {},
      403,
    ],
    [
      "the size before the type",
      as_ada,
      "POST",
      "/folders",
      large,
      { "content-type": "text/plain" },
      413,
    ],
    [
      "the type before the shape",
      as_ada,
      "POST",
      "/folders",
      "{",
      { "content-type": "text/plain" },
      415,
    ],
    [
      "the shape of the body before the record",
      as_ada,
      "PUT",
      "/folders/{no_folder}",
      { name: 1 },
      {},
      400,
    ],
    [
      "a blank name before the record",
      as_ada,
      "PUT",
      "/folders/{no_folder}",
      { name: " " },
      {},
      400,
    ],
    [
      "the shape of the query before the record",
      as_ada,
      "GET",
      "/documents?folder_id={no_folder}&page=0",
      undefined,
      {},
      400,
    ],
    [
      "a blank message before the session",
      as_ada,
      "POST",
      "/chats/{no_chat}/messages",
      { text: " " },
      {},
      400,
    ],
    [
      "an invalid requestId before the session",
      as_ada,
      "POST",
      "/chats/{bob_chat}/messages",
      { text: "x", requestId: "1" },
      {},
      400,
    ],
    [
      "the number of folders before their ids",
      as_ada,
      "POST",
      "/chats",
      { usedFolders: Array.from({ length: 201 }, () => "fld_none") },
      {},
      400,
    ],
    [
      "a missing record before another user's",
      as_ada,
      "POST",
      "/chats",
      { usedFolders: ["{bob_folder}", "{no_folder}"] },
      {},
      404,
    ],
    [
      "another user's session before a deleted one",
      as_ada,
      "GET",
      "/chats/{bob_gone}",
      undefined,
      {},
      403,
    ],
    [
      "a deleted session before a conflict",
      as_ada,
      "POST",
      "/chats/{ada_gone}/messages/{ada_done}/cancel",
      undefined,
      {},
      410,
    ],
    [
      "a missing folder before a taken name",
      as_ada,
      "POST",
      "/documents/{ada_document}/links",
      { folder_id: "{no_folder}" },
      {},
      404,
    ],
  ];
  beforeAll(async () => {
    for (const [of, who] of [
      ["ada", ada],
      ["bob", bob],
    ] as const) {
      const chat = (await who.create("/chats")).id;
      const { body } = await who.send("POST", `/chats/${chat}/messages`, { text: "Otter?" });
      await who.finished(`/chats/${chat}/messages/${body.requestId}`);
      await who.send("DELETE", `/chats/${chat}`);
      [named[`${of}_gone`], named[`${of}_done`]] = [chat, body.requestId];
    }
  });
  for (const [why, key, method, path, body, headers, status] of cases)
    test(why, async () => {
      const sent = typeof body === "object" ? JSON.parse(filled(JSON.stringify(body))) : body;
      expectProblem(await server.api(method, filled(path), sent, { key: key(), headers }), status);
    });
});

describe("a forbidden upload is refused before its body arrives", () => {
  const announce = (
    key: string | null,
    path: string,
    type = "multipart/form-data; boundary=x",
    bytes = 500_000_000,
  ): string =>
    head("POST", filled(path), {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      "content-type": type,
      "content-length": String(bytes),
    });
  const begin = `--x\r\n${filePart("taken.txt")}\r\n\r\nThe first bytes `;
  const cases: [string, () => string, number][] = [
    ["no key", () => announce(null, "/documents/file?folder_id={ada_folder}"), 401],
    [
      "an invalid key",
      () => announce("dsk_nonsense", "/documents/file?folder_id={ada_folder}"),
      401,
    ],
    ["a read-only key", () => announce(reader, "/documents/file?folder_id={ada_folder}"), 403],
    [
      "another user's folder",
      () => announce(ada.key, "/documents/file?folder_id={bob_folder}"),
      403,
    ],
    ["a missing folder", () => announce(ada.key, "/documents/file?folder_id={no_folder}"), 404],
    ["no folder", () => announce(ada.key, "/documents/file"), 400],
    [
      "an invalid flag",
      () => announce(ada.key, "/documents/file?folder_id={ada_folder}&overwrite=maybe"),
      400,
    ],
    ["an unknown route", () => announce(ada.key, "/nowhere"), 404],
    [
      "larger than allowed",
      () => announce(ada.key, "/documents/file?folder_id={ada_folder}", undefined, 600 * 2 ** 20),
      413,
    ],
    [
      "not multipart",
      () => announce(ada.key, "/documents/file?folder_id={ada_folder}", "application/pdf"),
      415,
    ],
    ["a taken name", () => announce(ada.key, "/documents/file?folder_id={ada_folder}"), 409],
    ["a JSON body of that size", () => announce(ada.key, "/folders", "application/json"), 413],
  ];
  for (const [why, announced, status] of cases)
    test(`${why}: ${status}`, async () => {
      const socket = openSocket(server.url());
      socket.send(`${announced()}${begin}`);
      const answer: Answered = await socket.answer();
      expectProblem(answer, status);
      if (status === 401) expect(answer.headers.get("www-authenticate")).toStartWith("Bearer");
      socket.cut();
    });
  test("no temporary files remain", () => until(() => temporaryFiles(server.data).length === 0));
});
