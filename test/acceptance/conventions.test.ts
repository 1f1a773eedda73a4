/**
 * Acceptance, on the executable: conventions of every call: records, headers, lists, methods, the
 * deprecated alias, limits and the OpenAPI document.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { on_postgres } from "../helpers/databases";
import { expectProblem, expectRecord, rfc3339, uuid } from "../helpers/contract";
import { startExecutable, type Executable } from "../helpers/executable";
import { form } from "../helpers/forms";
import { person, type Person } from "../helpers/person";
import { head, openSocket } from "../helpers/sockets";

let server: Executable;
let ada: Person;
let bob: Person;
/** Ids by the placeholders used in the paths below: `/folders/{folder}`. */
const named: Record<string, string> = { none: "fld_00000000000000000000000000" };
const filled = (path: string): string =>
  path.replace(/\{(\w+)\}/g, (_all, word: string) => named[word]!);

beforeAll(async () => {
  server = await startExecutable();
  ada = await person(server, "ada");
  bob = await person(server, "bob");
  const folder = await ada.folder("Kept");
  named.folder = folder;
  named.foreign = await bob.folder("Bob's");
  named.document = (await ada.text(folder, "The heron stands in shallow water.", "heron.txt")).id;
  await ada.upload(folder, "taken.txt", "The name is taken.");
  named.prompt = (await ada.create("/prompts", { name: "Short", text: "Be short." })).id;
  named.chat = (await ada.create("/chats", { usedFolders: [folder] })).id;
  named.gone = (await ada.create("/chats")).id;
  await ada.send("DELETE", `/chats/${named.gone}`);
  await ada.ask(named.chat!, "Where does the heron stand?");
  named.message = (await ada.send("GET", `/chats/${named.chat}/messages`)).body.data[0].requestId;
}, 180_000);
afterAll(() => server?.[Symbol.asyncDispose]());

describe("responses have a request id and rate limit headers; errors are problems", () => {
  const cases: [string, string, string, unknown, number][] = [
    ["a list", "GET", "/folders", undefined, 200],
    ["a new record", "POST", "/folders", { name: "New" }, 201],
    ["no content", "DELETE", "/documents/{spare}?folder_id={folder}", undefined, 204],
    ["a malformed request", "POST", "/folders", {}, 400],
    ["another user's record", "GET", "/folders/{foreign}", undefined, 403],
    ["a missing record", "GET", "/folders/{none}", undefined, 404],
    ["an unknown route", "GET", "/nowhere", undefined, 404],
    ["a path outside the API", "GET", "/api/else", undefined, 404],
    ["a path that only starts like the API", "GET", "/api/device", undefined, 404],
    ["the wrong method", "PATCH", "/folders", undefined, 405],
    ["a taken name", "POST", "/documents/file?folder_id={folder}", "taken.txt", 409],
    ["a deleted session", "GET", "/chats/{gone}", undefined, 410],
    ["a body that is too large", "POST", "/folders", `{"name":"${"x".repeat(16 * 2 ** 20)}"}`, 413],
    ["a body of the wrong type", "POST", "/documents/file?folder_id={folder}", {}, 415],
    ["health", "GET", "/health", undefined, 200],
  ];
  for (const [why, method, path, body, status] of cases)
    test(why, async () => {
      if (path.includes("{spare}")) named.spare = (await ada.text(named.folder!, "spare")).id;
      const sent = status === 409 ? form(String(body), "again") : body;
      const answer = await ada.send(
        method,
        filled(path),
        sent,
        status === 413 ? { "content-type": "application/json" } : {},
      );
      expect(answer.status).toBe(status);
      expect(answer.headers.get("x-request-id")).toMatch(/\S/);
      for (const name of ["limit", "remaining", "reset"])
        expect(answer.headers.get(`x-ratelimit-${name}`)).toMatch(/^\d+$/);
      expect(Number(answer.headers.get("x-ratelimit-reset"))).toBeGreaterThanOrEqual(
        Math.floor(Date.now() / 1000),
      );
      if (status >= 400) expectProblem(answer, status);
    });

  const open: [string, string, number][] = [
    ["no key", "/folders", 401],
    ["an unknown route, without a key", "/nowhere", 401],
    ["the contract, without a key", "/openapi.json", 200],
  ];
  for (const [why, path, status] of open)
    test(why, async () => {
      const answer = await server.api("GET", path, undefined, { key: null });
      expect(answer.status).toBe(status);
      expect(answer.headers.get("x-request-id")).toMatch(/\S/);
      for (const name of ["limit", "remaining", "reset"])
        expect(answer.headers.get(`x-ratelimit-${name}`)).toMatch(/^\d+$/);
      if (status >= 400) expectProblem(answer, status);
    });

  test("no two requests have the same id", async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, async () =>
        (await ada.send("GET", "/folders")).headers.get("x-request-id"),
      ),
    );
    expect(new Set(ids).size).toBe(20);
  });
});

describe("records have exactly their fields, opaque ids with their prefix, and times in UTC", () => {
  const cases: [string, "folder" | "prompt" | "document" | "chat", string, object?][] = [
    ["a folder", "folder", "/folders/{folder}"],
    ["a prompt", "prompt", "/prompts/{prompt}"],
    [
      "a document, with its content",
      "document",
      "/documents/{document}",
      { content: "The heron stands in shallow water." },
    ],
    ["a document without its content", "document", "/documents/{document}?content=false"],
    ["a chat session", "chat", "/chats/{chat}"],
  ];
  for (const [why, kind, path, more] of cases)
    test(why, async () => expectRecord(kind, (await ada.send("GET", filled(path))).body, more));

  const lists: [string, "folder" | "prompt" | "document" | "chat" | "message", string][] = [
    ["folders", "folder", "/folders"],
    ["prompts", "prompt", "/prompts"],
    ["chat sessions", "chat", "/chats"],
    ["messages", "message", "/chats/{chat}/messages"],
    [
      "documents, which never carry their content in a list",
      "document",
      "/documents?folder_id={folder}",
    ],
  ];
  for (const [why, kind, path] of lists)
    test(`listed ${why}`, async () => {
      const { body } = await ada.send("GET", filled(path));
      expect(Object.keys(body).sort()).toEqual(["data", "pagination"]);
      expect(body.data.length).toBeGreaterThan(0);
      for (const record of body.data) expectRecord(kind, record);
    });

  test("a poll with its answer", async () => {
    const { body } = await ada.send("GET", filled("/chats/{chat}/messages/{message}"));
    expect(body).toEqual({
      status: "COMPLETED",
      requestId: expect.stringMatching(uuid),
      result: expect.any(Object),
    });
    expectRecord("result", body.result);
    expect(body.result.citations.length).toBeGreaterThan(0);
    for (const citation of body.result.citations)
      expectRecord("passage", citation, { id: expect.any(Number) });
    for (const related of body.result.related) expectRecord("passage", related);
  });
});

describe("creating answers 201 with the record and its canonical location", () => {
  const cases: [string, string, () => unknown, RegExp][] = [
    ["a folder", "/folders", () => ({ name: "Made" }), /^\/api\/dev\/v1\/folders\/fld_/],
    [
      "a prompt",
      "/prompts",
      () => ({ name: "Made", text: "Be kind." }),
      /^\/api\/dev\/v1\/prompts\/prm_/,
    ],
    [
      "a text",
      "/documents",
      () => ({ folder_id: named.folder, content: "Made." }),
      /^\/api\/dev\/v1\/documents\/doc_/,
    ],
    [
      "an upload",
      "/documents/file?folder_id={folder}",
      () => form(`${crypto.randomUUID()}.txt`, "Made."),
      /^\/api\/dev\/v1\/documents\/doc_/,
    ],
    ["a chat session", "/chats", () => ({}), /^\/api\/dev\/v1\/chats\/chs_/],
  ];
  for (const [why, path, body, location] of cases)
    for (const through of ["/api/dev/v1", "/api/dev"])
      test(`${why} through ${through}`, async () => {
        const answer = await ada.send("POST", `${through}${filled(path)}`, body());
        expect([answer.status, answer.headers.get("location")]).toEqual([
          201,
          expect.stringMatching(location),
        ]);
        expect(answer.headers.get("location")).toEndWith(`/${answer.body.id}`);
        if (path.startsWith("/documents"))
          expect([answer.body.status, answer.body.content_url]).toEqual([
            "syncing",
            answer.headers.get("location"),
          ]);
        expect((await ada.send("GET", answer.headers.get("location")!)).body.id).toBe(
          answer.body.id,
        );
      });
});

describe("lists are paged, newest first", () => {
  const lists: [string, string, (n: number) => Promise<unknown>][] = [
    ["folders", "/folders", (n) => ada.folder(`folder ${n}`)],
    ["prompts", "/prompts", (n) => ada.create("/prompts", { name: `prompt ${n}`, text: "x" })],
    [
      "documents",
      "/documents?folder_id={paged}",
      (n) => ada.create("/documents", { folder_id: named.paged, name: `text ${n}`, content: "x" }),
    ],
    ["chat sessions", "/chats", (n) => ada.create("/chats", { name: `chat ${n}` })],
    [
      "messages",
      "/chats/{asked}/messages",
      (n) => ada.send("POST", `/chats/${named.asked}/messages`, { text: `question ${n}` }),
    ],
  ];
  for (const [what, path, make] of lists)
    describe(what, () => {
      let all: any[];
      const page = async (query: string) =>
        ada.send("GET", `${filled(path)}${path.includes("?") ? "&" : "?"}${query}`);
      beforeAll(async () => {
        named.paged ??= await ada.folder("Paged");
        named.asked ??= (await ada.create("/chats")).id;
        for (let n = 0; n < 5; n++) await make(n);
        all = (await page("per_page=200")).body.data;
      });

      test("the newest is first", () => {
        const numbers = all
          .map((record) => /\d$/.exec(record.name ?? record.text)?.[0])
          .filter((n) => n !== undefined);
        expect(numbers.slice(0, 5)).toEqual(["4", "3", "2", "1", "0"]);
        const times = all.map((record) => record.created_at);
        expect(times).toEqual([...times].sort().reverse());
        const ids = all.flatMap((record) => record.id ?? []);
        expect(ids).toEqual([...ids].sort().reverse());
      });

      test("the pages together are the whole list", async () => {
        const size = 2;
        const pages = Math.ceil(all.length / size);
        const seen: unknown[] = [];
        for (let n = 1; n <= pages; n++) {
          const {
            body: { data, pagination },
          } = await page(`page=${n}&per_page=${size}`);
          expect(pagination).toEqual({
            count: data.length,
            total: all.length,
            per_page: size,
            total_pages: pages,
            next_page: n < pages ? n + 1 : null,
            previous_page: n > 1 ? n - 1 : null,
          });
          seen.push(...data.map((record: any) => record.id ?? record.requestId));
        }
        expect(seen).toEqual(all.map((record) => record.id ?? record.requestId));
      });

      const cases: [string, string, object][] = [
        ["first page of 50 by default", "", { per_page: 50, previous_page: null }],
        ["200 is the maximum", "per_page=200", { per_page: 200, total_pages: 1 }],
        ["more than 200 means 200", "per_page=201", { per_page: 200 }],
        ["far more than 200 means 200", "per_page=99999999", { per_page: 200 }],
        [
          "past the end: an empty page with the way back",
          "page=77&per_page=2",
          { count: 0, next_page: null },
        ],
      ];
      for (const [why, query, expected] of cases)
        test(why, async () => {
          const { status, body } = await page(query);
          expect([status, body.pagination]).toEqual([
            200,
            expect.objectContaining({ total: all.length, ...expected }),
          ]);
          if (query.includes("77"))
            expect([body.data, body.pagination.previous_page]).toEqual([
              [],
              Math.ceil(all.length / 2),
            ]);
        });

      for (const [why, value] of [
        ["zero", "0"],
        ["negative", "-1"],
        ["a fraction", "1.5"],
        ["a word", "two"],
        ["empty", ""],
        ["hexadecimal", "0x10"],
        ["written with a plus sign", "%2B1"],
        ["infinite", "Infinity"],
      ]) {
        for (const field of ["page", "per_page"])
          test(`${field} is refused when it is ${why}`, async () =>
            expectProblem(await page(`${field}=${value}`), 400, field));
      }
    });

  test("an empty list has no pages", async () => {
    const empty = await ada.folder("Empty");
    for (const query of ["", "&page=3"])
      expect((await ada.send("GET", `/documents?folder_id=${empty}${query}`)).body).toEqual({
        data: [],
        pagination: {
          count: 0,
          total: 0,
          per_page: 50,
          total_pages: 0,
          next_page: null,
          previous_page: null,
        },
      });
  });
});

describe("methods", () => {
  const gets = [
    "/folders",
    "/folders/{folder}",
    "/prompts",
    "/prompts/{prompt}",
    "/documents?folder_id={folder}",
    "/documents/{document}",
    "/documents/{document}/file",
    "/chats",
    "/chats/{chat}",
    "/chats/{chat}/messages",
    "/chats/{chat}/messages/{message}",
    "/chats/{chat}/messages/{message}/stream",
    "/folders/{folder}/documents.zip",
    "/folders/{folder}/export",
    "/openapi.json",
    "/health",
    "/folders/{none}",
    "/nowhere",
  ];
  for (const path of gets)
    test(`HEAD ${path} is GET without its body`, async () => {
      const [got, headed] = [
        await ada.send("GET", filled(path)),
        await ada.send("HEAD", filled(path)),
      ];
      expect([headed.status, headed.headers.get("content-type"), headed.body]).toEqual([
        got.status,
        got.headers.get("content-type"),
        undefined,
      ]);
      expect(headed.headers.get("content-length")).toBe(got.headers.get("content-length"));
      expect(headed.headers.get("x-request-id")).toMatch(/\S/);
    });

  const paths: [string, string][] = [
    ["/folders", "GET, HEAD, POST"],
    ["/folders/{folder}", "DELETE, GET, HEAD, PUT"],
    ["/prompts", "GET, HEAD, POST"],
    ["/prompts/{prompt}", "DELETE, GET, HEAD, PUT"],
    ["/documents", "GET, HEAD, POST"],
    ["/documents/{document}", "DELETE, GET, HEAD, PATCH"],
    ["/documents/{document}/file", "GET, HEAD"],
    ["/documents/{document}/reindex", "POST"],
    ["/documents/{document}/links", "POST"],
    ["/documents/{document}/restore", "POST"],
    ["/chats", "GET, HEAD, POST"],
    ["/chats/{chat}", "DELETE, GET, HEAD, PUT"],
    ["/chats/{chat}/restore", "POST"],
    ["/chats/{chat}/messages", "GET, HEAD, POST"],
    ["/chats/{chat}/messages/{message}", "GET, HEAD"],
    ["/chats/{chat}/messages/{message}/cancel", "POST"],
    ["/search", "POST"],
    ["/documents/file", "POST"],
    ["/folders/import", "POST"],
    ["/imports/files", "POST"],
    ["/openapi.json", "GET, HEAD"],
  ];
  const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
  for (const [path, allow] of paths)
    test(`${path} takes ${allow} and answers 405 to the rest`, async () => {
      for (const method of methods.filter((method) => !allow.split(", ").includes(method))) {
        const answer = await ada.send(method, filled(path));
        expectProblem(answer, 405);
        expect([method, answer.headers.get("allow")?.split(/, */).sort().join(", ")]).toEqual([
          method,
          allow,
        ]);
      }
    });
});

describe("the alias /api/dev is deprecated and says so on every answer", () => {
  const cases: [string, string, string, string | null, number][] = [
    ["a list", "GET", "/folders?per_page=1", "ada", 200],
    ["one record", "GET", "/documents/{document}", "ada", 200],
    ["a problem", "POST", "/folders", "ada", 400],
    ["no key", "GET", "/folders", null, 401],
    ["an unknown route", "GET", "/nowhere", "ada", 404],
    ["the wrong method", "DELETE", "/folders", "ada", 405],
    ["the contract without a key", "GET", "/openapi.json", null, 200],
    ["HEAD", "HEAD", "/folders", "ada", 200],
  ];
  for (const [why, method, path, who, status] of cases)
    test(why, async () => {
      const options = { key: who === null ? null : ada.key };
      const body = method === "POST" ? {} : undefined;
      const [old, now] = [
        await server.api(method, `/api/dev${filled(path)}`, body, options),
        await server.api(method, `/api/dev/v1${filled(path)}`, body, options),
      ];
      expect([old.status, now.status]).toEqual([status, status]);
      expect(old.headers.get("warning")).toMatch(/^299 /);
      expect([old.headers.get("deprecation"), old.headers.get("link")]).toEqual([
        expect.stringMatching(/^@\d+$/),
        expect.stringContaining("/api/dev/v1/"),
      ]);
      expect([now.headers.get("warning"), now.headers.get("deprecation")]).toEqual([null, null]);
      if (status === 200 && !path.startsWith("/openapi")) expect(old.body).toEqual(now.body);
    });
});

describe("limits are enforced and named in the error", () => {
  const many = (count: number, one: string) => Array.from({ length: count }, () => one);
  const cases: [string, string, string, (n: number) => unknown, number, RegExp][] = [
    ["names of folders", "POST", "/folders", (n) => ({ name: "😀".repeat(n) }), 255, /255/],
    [
      "names of folders on update",
      "PUT",
      "/folders/{spare_folder}",
      (n) => ({ name: "😀".repeat(n) }),
      255,
      /255/,
    ],
    [
      "descriptions of folders",
      "POST",
      "/folders",
      (n) => ({ name: "x", description: "😀".repeat(n) }),
      4_000,
      /4,?000/,
    ],
    [
      "names of prompts",
      "POST",
      "/prompts",
      (n) => ({ name: "é".repeat(n), text: "x" }),
      255,
      /255/,
    ],
    [
      "descriptions of prompts",
      "POST",
      "/prompts",
      (n) => ({ name: "x", text: "x", description: "😀".repeat(n) }),
      4_000,
      /4,?000/,
    ],
    [
      "names of texts",
      "POST",
      "/documents",
      (n) => ({ folder_id: named.folder, name: "😀".repeat(n), content: "x" }),
      255,
      /255/,
    ],
    [
      "names of documents on rename",
      "PATCH",
      "/documents/{document}",
      (n) => ({ name: "😀".repeat(n) }),
      255,
      /255/,
    ],
    [
      "names of files",
      "POST",
      "/documents/file?folder_id={folder}",
      (n) => form("🗎".repeat(n), "x"),
      255,
      /255/,
    ],
    ["names of chat sessions", "POST", "/chats", (n) => ({ name: "😀".repeat(n) }), 255, /255/],
    [
      "texts of messages",
      "POST",
      "/chats/{chat}/messages",
      (n) => ({ text: "😀".repeat(n) }),
      32_000,
      /32,?000/,
    ],
    [
      "folders of a session",
      "POST",
      "/chats",
      (n) => ({ usedFolders: many(n, named.folder!) }),
      200,
      /200/,
    ],
    [
      "prompts of a session",
      "POST",
      "/chats",
      (n) => ({ usedPrompts: many(n, named.prompt!) }),
      20,
      /20/,
    ],
    [
      "folders of a search",
      "POST",
      "/search",
      (n) => ({ query: "heron", folder_ids: many(n, named.folder!) }),
      200,
      /200/,
    ],
  ];
  for (const [why, method, path, body, most, says] of cases)
    test(why, async () => {
      if (path.includes("{spare_folder}")) named.spare_folder = await ada.folder("Spare");
      expect((await ada.send(method, filled(path), body(most))).status).toBeLessThan(300);
      expectProblem(await ada.send(method, filled(path), body(most + 1)), 400, says);
    });

  // Bodies within the limit are refused for another reason.
  const bodies: [string, string, (of: string) => unknown, number, string][] = [
    ["bodies", "/folders", (x) => ({ name: 1, x }), 64, "64 KiB"],
    ["messages", "/chats/{chat}/messages", (x) => ({ text: 1, x }), 256, "256 KiB"],
    ["prompts", "/prompts", (x) => ({ name: 1, x }), 1_024, "1 MiB"],
    ["imports", "/imports", (x) => ({ folder_id: 1, x }), 1_024, "1 MiB"],
    ["documents", "/documents", (content) => ({ folder_id: 1, content }), 16_384, "16 MiB"],
  ];
  for (const [what, path, bodyOf, most_kib, says] of bodies)
    test(`JSON ${what}: ${says}`, async () => {
      const frame = JSON.stringify(bodyOf(""));
      const send = (bytes: number) =>
        ada.send(
          "POST",
          filled(path),
          frame.replace(`""`, `"${" ".repeat(bytes - frame.length)}"`),
          { "content-type": "application/json" },
        );
      expectProblem(await send(most_kib * 1_024), 400);
      expectProblem(await send(most_kib * 1_024 + 1), 413, says);
    });

  test("uploads: 512 MiB, refused by Content-Length", async () => {
    const socket = openSocket(server.url());
    socket.send(
      head("POST", `/documents/file?folder_id=${named.folder}`, {
        authorization: `Bearer ${ada.key}`,
        "content-type": "multipart/form-data; boundary=x",
        "content-length": String(514 * 2 ** 20),
      }),
    );
    socket.send("--x\r\n");
    expectProblem(await socket.answer(), 413, /512 MiB|536,?870,?912/);
    socket.cut();
  });
});

test("health answers without a key, at the root of the server", async () => {
  const { status, body } = await server.api("GET", "/health", undefined, { key: null });
  expect([status, body]).toEqual([
    200,
    {
      status: "ok",
      storage: null,
      version: (await server.mustCli(["version"])).trim(),
      plugins: [],
      intake: "open",
      purging: { documents: 0 },
      vectors: { state: "none", documents: 0 },
      ...(on_postgres && { nodes: expect.any(Array) }),
    },
  ]);
});

describe("the OpenAPI document", () => {
  test("lists every API call and nothing at the server's root", async () => {
    const { body } = await server.api("GET", "/openapi.json", undefined, { key: null });
    const calls = Object.entries<object>(body.paths).flatMap(([path, item]) =>
      Object.keys(item).map(
        (method) =>
          `${method.toUpperCase()} ${path.replace(/^\/api\/dev\/v1/, "").replace(/\{\w+\}/g, "{}")}`,
      ),
    );
    expect(body.openapi).toMatch(/^3\./);
    expect(calls).toEqual(
      expect.arrayContaining([
        "GET /folders",
        "POST /folders",
        "GET /folders/{}",
        "PUT /folders/{}",
        "DELETE /folders/{}",
        "GET /prompts",
        "POST /prompts",
        "GET /prompts/{}",
        "PUT /prompts/{}",
        "DELETE /prompts/{}",
        "GET /documents",
        "POST /documents",
        "POST /documents/file",
        "GET /documents/{}",
        "PATCH /documents/{}",
        "DELETE /documents/{}",
        "GET /documents/{}/file",
        "POST /documents/{}/reindex",
        "POST /documents/{}/links",
        "POST /documents/{}/restore",
        "GET /chats",
        "POST /chats",
        "GET /chats/{}",
        "PUT /chats/{}",
        "DELETE /chats/{}",
        "POST /chats/{}/restore",
        "POST /chats/{}/messages",
        "GET /chats/{}/messages",
        "GET /chats/{}/messages/{}",
        "POST /chats/{}/messages/{}/cancel",
        "POST /search",
        "GET /openapi.json",
      ]),
    );
    expect(calls.filter((call) => call.includes("health") || call.includes("setup"))).toEqual([]);
    expect(JSON.stringify(body)).toContain("code point");
  });
  test("matches what the command line prints", async () => {
    const [served, printed] = [
      (await server.api("GET", "/openapi.json")).body,
      JSON.parse(await server.mustCli(["openapi"])),
    ];
    expect(Object.keys(printed.paths).sort()).toEqual(Object.keys(served.paths).sort());
    expect(printed.components).toEqual(served.components);
  });
});

test("times are RFC 3339 in UTC", async () =>
  expect((await ada.send("GET", filled("/folders/{folder}"))).body.created_at).toMatch(rfc3339));
