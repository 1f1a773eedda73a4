/**
 * Acceptance, on the executable: malformed input of any kind is answered as documented, never with
 * 500.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectProblem } from "../helpers/contract";
import { startExecutable, type Executable } from "../helpers/executable";
import { multipart } from "../helpers/forms";
import { person, type Person } from "../helpers/person";
import type { Answered } from "../helpers/server";
import { openSocket } from "../helpers/sockets";

let server: Executable;
let ada: Person;
const named: Record<string, string> = {};
const filled = (text: string): string =>
  text.replace(/\{(\w+)\}/g, (all, word: string) => named[word] ?? all);

beforeAll(async () => {
  server = await startExecutable();
  ada = await person(server, "ada");
  const folder = await ada.folder();
  named.folder = folder;
  named.document = (await ada.text(folder, "The heron stands.")).id;
  named.prompt = (await ada.create("/prompts", { name: "Short", text: "Be short." })).id;
  const chat = (await ada.create("/chats", { usedFolders: [folder] })).id as string;
  named.chat = chat;
  await ada.ask(chat, "Where does the heron stand?");
  named.message = (await ada.send("GET", `/chats/${chat}/messages`)).body.data[0].requestId;
}, 180_000);
afterAll(() => server?.[Symbol.asyncDispose]());

/** Expects no server error, and a problem for client errors. */
function expectAnswered(answer: Answered, what: string): void {
  if (answer.status >= 400)
    expect([what, answer.headers.get("content-type")]).toEqual([
      what,
      expect.stringMatching(/^application\/problem\+json\b/),
    ]);
  expect([what, answer.status >= 500]).toEqual([what, false]);
}

/** Every call with a JSON body, with its fields and their types. */
const bodies: [
  string,
  string,
  Record<string, "text" | "text or null" | "ids or null" | "number or null">,
  object,
][] = [
  [
    "POST",
    "/folders",
    { name: "text", description: "text or null", parentId: "text or null" },
    { name: "x" },
  ],
  ["PUT", "/folders/{folder}", { name: "text", description: "text or null" }, {}],
  [
    "POST",
    "/prompts",
    { name: "text", text: "text", description: "text or null" },
    { name: "x", text: "x" },
  ],
  ["PUT", "/prompts/{prompt}", { name: "text", text: "text", description: "text or null" }, {}],
  [
    "POST",
    "/documents",
    { folder_id: "text", name: "text or null", content: "text" },
    { folder_id: "{folder}", content: "x" },
  ],
  ["PATCH", "/documents/{document}", { name: "text" }, { name: "x" }],
  ["POST", "/documents/{document}/links", { folder_id: "text" }, { folder_id: "{folder}" }],
  [
    "POST",
    "/chats",
    { name: "text or null", usedFolders: "ids or null", usedPrompts: "ids or null" },
    {},
  ],
  [
    "PUT",
    "/chats/{chat}",
    { name: "text or null", usedFolders: "ids or null", usedPrompts: "ids or null" },
    {},
  ],
  ["POST", "/chats/{chat}/messages", { text: "text", requestId: "text or null" }, { text: "x" }],
  [
    "POST",
    "/search",
    {
      query: "text",
      folder_ids: "ids or null",
      document_ids: "ids or null",
      limit: "number or null",
    },
    { query: "x" },
  ],
];

describe("a field of the wrong type is named in a 400", () => {
  const values: [unknown, RegExp][] = [
    [1, /number/],
    [1.5, /never/],
    [true, /never/],
    [[], /ids/],
    [["x"], /ids/],
    [[1], /never/],
    [[null], /never/],
    [{}, /never/],
    [{ toString: "x" }, /never/],
    ["1", /text/],
    [null, /null/],
  ];
  for (const [method, path, fields, good] of bodies)
    for (const [field, kind] of Object.entries(fields))
      test(`${method} ${path}: ${field}`, async () => {
        for (const [value, fits] of values) {
          if (fits.test(kind)) continue;
          const answer = await ada.send(method, filled(path), {
            ...JSON.parse(filled(JSON.stringify(good))),
            [field]: value,
          });
          expectProblem(answer, 400, field);
          expect(
            answer.body.errors.map(({ pointer }: { pointer: string }) => pointer.split("/")[1]),
          ).toContain(field);
        }
      });
});

describe("a body that isn't a JSON object", () => {
  const json = { "content-type": "application/json" };
  const cases: [string, string | Uint8Array<ArrayBuffer>, Record<string, string>, number][] = [
    ["truncated", `{"name":`, json, 400],
    ["trailing junk", `{"name":"x"} y`, json, 400],
    ["single quotes", `{'name':'x'}`, json, 400],
    ["a trailing comma", `{"name":"x",}`, json, 400],
    ["a comment", `{"name":"x"/**/}`, json, 400],
    ["a list", `[{"name":"x"}]`, json, 400],
    ["a string", `"x"`, json, 400],
    ["a number", "1", json, 400],
    ["null", "null", json, 400],
    ["true", "true", json, 400],
    ["only spaces", "  ", json, 400],
    ["NaN", `{"name":NaN}`, json, 400],
    ["not UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), json, 400],
    ["UTF-16", new Uint8Array(Buffer.from(`{"name":"x"}`, "utf16le")), json, 400],
    ["an unescaped control character", `{"name":"a\u0001b"}`, json, 400],
    ["nested too deeply", "[".repeat(60_000), json, 400],
    [
      "nested too deeply in a field",
      `{"name":${`{"a":`.repeat(8_000)}1${"}".repeat(8_000)}}`,
      json,
      400,
    ],
    ["a form", "name=x", { "content-type": "application/x-www-form-urlencoded" }, 415],
    ["plain text", `{"name":"x"}`, { "content-type": "text/plain" }, 415],
    ["another JSON type", `{"name":"x"}`, { "content-type": "application/vnd.api+json" }, 415],
    ["no content type", `{"name":"x"}`, { "content-type": "" }, 415],
    ["compressed", Bun.gzipSync(`{"name":"x"}`), { ...json, "content-encoding": "gzip" }, 415],
    ["an invalid type", `{"name":"x"}`, { "content-type": "json" }, 415],
    [
      "multipart",
      multipart({ headers: `Content-Disposition: form-data; name="name"`, body: "x" }).body,
      multipart().headers,
      415,
    ],
  ];
  for (const [why, body, headers, status] of cases)
    test(`${why}: ${status}`, async () => {
      for (const [method, path] of bodies) {
        const answer = await ada.send(method, filled(path), body, headers);
        expect([method, path, answer.status]).toEqual([method, path, status]);
        expectProblem(answer, status);
      }
    });
  test("a missing body is refused where one is required", async () => {
    for (const [method, path, , good] of bodies)
      if (path !== "/chats") {
        const answer = await ada.send(method, filled(path));
        expect([method, path, answer.status, Object.keys(good).length > 0]).toEqual([
          method,
          path,
          400,
          Object.keys(good).length > 0,
        ]);
      }
  });
  const taken: [string, string, Record<string, string>][] = [
    ["with a charset", `{"name":"x"}`, { "content-type": "application/json; charset=utf-8" }],
    ["with a type in capitals", `{"name":"x"}`, { "content-type": "Application/JSON" }],
    ["with spaces around it", ` \n{"name":"x"}\t\n`, json],
    ["with a byte order mark", `\ufeff{"name":"x"}`, json],
    ["with a repeated field, of which the last counts", `{"name":1,"name":"x"}`, json],
    ["with escapes", `{"n\\u0061me":"\\ud83d\\ude00"}`, json],
    [
      "with names special to JavaScript",
      `{"__proto__":{"name":1},"constructor":{"prototype":{}},"hasOwnProperty":1,"name":"x"}`,
      json,
    ],
  ];
  for (const [why, body, headers] of taken)
    test(`accepted: ${why}`, async () =>
      expect((await ada.send("POST", "/folders", body, headers)).status).toBe(201));
});

test("an unexpected body is ignored", async () => {
  for (const [method, path] of [
    ["GET", "/folders"],
    ["DELETE", "/folders/fld_none"],
    ["POST", "/documents/{document}/reindex"],
    ["POST", "/chats/{chat}/restore"],
    ["POST", "/chats/{chat}/messages/{message}/cancel"],
  ] as const) {
    if (method !== "GET")
      for (const [body, type] of [
        ["{", "application/json"],
        ["x", "text/plain"],
        ["", "application/json"],
      ] as const)
        expectAnswered(
          await ada.send(method, filled(path), body, { "content-type": type }),
          `${method} ${path}`,
        );
    expectAnswered(await ada.send(method, filled(path)), `${method} ${path}`);
  }
});

describe("malformed ids are not found", () => {
  const paths: [string, string][] = [
    ["GET", "/folders/X"],
    ["PUT", "/folders/X"],
    ["DELETE", "/folders/X"],
    ["GET", "/prompts/X"],
    ["PUT", "/prompts/X"],
    ["DELETE", "/prompts/X"],
    ["GET", "/documents/X"],
    ["PATCH", "/documents/X"],
    ["GET", "/documents/X/file"],
    ["POST", "/documents/X/reindex"],
    ["GET", "/chats/X"],
    ["PUT", "/chats/X"],
    ["DELETE", "/chats/X"],
    ["POST", "/chats/X/restore"],
    ["GET", "/chats/X/messages"],
    ["GET", "/chats/{chat}/messages/X"],
    ["POST", "/chats/{chat}/messages/X/cancel"],
    ["GET", "/documents?folder_id=X"],
    ["DELETE", "/documents/{document}?folder_id=X"],
    ["POST", "/documents/{document}/restore?folder_id=X"],
  ];
  const values: [string, string][] = [
    ["the wrong kind", "usr_00000000000000000000000000"],
    ["a word", "none"],
    ["a number", "1"],
    ["in lower case", "fld_01j9zk3v6w8q2t4y5n7b1c0def"],
    ["a wildcard", "%25"],
    ["an asterisk", "*"],
    ["a quote", "%27%20or%201=1%20--"],
    ["a double quote", "%22"],
    ["a path", "..%2f..%2fetc%2fpasswd"],
    ["dots", "%2e%2e%2f"],
    ["a null character", "a%00b"],
    ["a line break", "a%0ab"],
    ["not UTF-8", "%ff%fe"],
    ["half an escape", "%zz"],
    ["an emoji", "%F0%9F%A6%93"],
    ["half a character", "%ED%A0%80"],
    ["very long", "x".repeat(4_000)],
    ["null", "null"],
    ["undefined", "undefined"],
    ["braces", "%7Bid%7D"],
    ["a plus", "a+b"],
  ];
  for (const [why, value] of values)
    test(why, async () => {
      for (const [method, path] of paths) {
        const body = method === "PUT" || method === "PATCH" ? { name: "x" } : undefined;
        const answer = await ada.send(method, filled(path.replace("X", value)), body);
        expect([method, path, [404, 400].includes(answer.status)]).toEqual([method, path, true]);
        expectProblem(answer, answer.status);
        if (!/null char|UTF-8|escape|half/.test(why))
          expect([method, path, answer.status]).toEqual([method, path, 404]);
      }
    });
  const inBodies: [string, string, (id: unknown) => object][] = [
    ["POST", "/folders", (id) => ({ name: "x", parentId: id })],
    ["POST", "/documents", (id) => ({ folder_id: id, content: "x" })],
    ["POST", "/documents/{document}/links", (id) => ({ folder_id: id })],
    ["POST", "/chats", (id) => ({ usedFolders: [id] })],
    ["POST", "/chats", (id) => ({ usedPrompts: [id] })],
    ["PUT", "/chats/{chat}", (id) => ({ usedFolders: [id] })],
    ["POST", "/search", (id) => ({ query: "x", folder_ids: [id] })],
    ["POST", "/search", (id) => ({ query: "x", document_ids: [id] })],
  ];
  for (const [why, value] of [
    ["the wrong kind", "{document}x"],
    ["a word", "none"],
    ["nothing", ""],
    ["a quote", "' or 1=1 --"],
    ["a path", "../../etc/passwd"],
    ["an emoji", "🦓"],
    ["very long", "x".repeat(60_000)],
    ["spaces", "  "],
  ] as const)
    test(`in a body: ${why}`, async () => {
      for (const [method, path, body] of inBodies) {
        const answer = await ada.send(method, filled(path), body(filled(value)));
        expect([path, [404, 400].includes(answer.status)]).toEqual([path, true]);
        expectProblem(answer, answer.status);
      }
    });
});

describe("unusual queries", () => {
  const cases: [string, string, number][] = [
    ["a repeated parameter", "page=1&page=2", 400],
    ["a page number out of range", "page=99999999999999999999", 400],
    ["the largest valid page number", "page=999999999999999&per_page=200", 200],
    ["an unknown parameter", "colour=red&%00=1", 200],
    ["a parameter without a value", "page", 400],
    ["nothing after the question mark", "", 200],
    ["only ampersands", "&&&", 200],
    ["broken escapes", "colour=%zz", 200],
    ["an array", "page[]=1", 200],
    ["a null character", "page=1%00", 400],
  ];
  for (const [why, query, status] of cases)
    test(`${why}: ${status}`, async () => {
      for (const path of ["/folders", "/prompts", "/chats", "/chats/{chat}/messages"]) {
        const answer = await ada.send("GET", `${filled(path)}?${query}`);
        expect([path, answer.status]).toEqual([path, status]);
        expectAnswered(answer, path);
      }
    });
});

describe("unusual headers and paths", () => {
  const cases: [string, Record<string, string>][] = [
    ["a meaningless Prefer", { prefer: "wait=-1, wait=x, return=minimal; wait" }],
    ["a Prefer with an endless wait", { prefer: "wait=99999999999999999999" }],
    ["a Range on a list", { range: "bytes=0-1" }],
    ["another Accept", { accept: "text/html;q=0.5" }],
    [
      "headers of an untrusted proxy",
      { "x-forwarded-for": "not-an-address, ::1", forwarded: "for=127.0.0.1" },
    ],
    ["a request id from the caller", { "x-request-id": "mine\u00ff" }],
    ["a method override header", { "x-http-method-override": "DELETE" }],
    ["an additional Proxy-Authorization", { "proxy-authorization": "Basic x" }],
  ];
  for (const [why, headers] of cases)
    test(why, async () => {
      for (const path of [
        "/folders/{folder}",
        "/documents/{document}",
        "/chats/{chat}/messages/{message}",
      ]) {
        const answer = await ada.send("GET", filled(path), undefined, headers);
        expect([
          path,
          answer.status,
          answer.headers.get("x-request-id") === headers["x-request-id"],
        ]).toEqual([path, 200, false]);
      }
    });
  const paths: [string, string, number][] = [
    ["a trailing slash", "/folders/", 200],
    ["a double slash", "//folders", 404],
    ["capitals", "/Folders", 404],
    ["a matrix parameter", "/folders;v=1", 404],
    ["an incomplete route", "/folder", 404],
    ["a route with an extra segment", "/folders/{folder}/documents", 404],
    ["a percent-encoded route", "/%66olders", 200],
  ];
  for (const [why, path, status] of paths)
    test(`${why}: ${status} or not found`, async () => {
      const answer = await ada.send("GET", filled(path));
      expect([404, status]).toContain(answer.status);
      expectAnswered(answer, path);
    });
});

describe("broken HTTP does no harm", () => {
  const key = () => `Authorization: Bearer ${ada.key}`;
  const cases: [string, () => string][] = [
    ["no version", () => `GET /api/dev/v1/folders\r\n\r\n`],
    ["an unknown method", () => `FROB /api/dev/v1/folders HTTP/1.1\r\nHost: x\r\n${key()}\r\n\r\n`],
    ["no host", () => `GET /api/dev/v1/folders HTTP/1.1\r\n${key()}\r\n\r\n`],
    [
      "two Content-Length headers",
      () =>
        `POST /api/dev/v1/folders HTTP/1.1\r\nHost: x\r\n${key()}\r\nContent-Type: application/json\r\nContent-Length: 2\r\nContent-Length: 20\r\n\r\n{}`,
    ],
    [
      "a Content-Length with chunked encoding",
      () =>
        `POST /api/dev/v1/folders HTTP/1.1\r\nHost: x\r\n${key()}\r\nContent-Type: ` +
        `application/json\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n` +
        `{}\r\n0\r\n\r\n`,
    ],
    [
      "invalid chunks",
      () =>
        `POST /api/dev/v1/folders HTTP/1.1\r\nHost: x\r\n${key()}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n`,
    ],
    [
      "an invalid Content-Length",
      () =>
        `POST /api/dev/v1/folders HTTP/1.1\r\nHost: x\r\n${key()}\r\nContent-Type: application/json\r\nContent-Length: many\r\n\r\n{}`,
    ],
    [
      "an absolute URL as the target",
      () =>
        `GET http://elsewhere.example/api/dev/v1/folders HTTP/1.1\r\nHost: x\r\n${key()}\r\n\r\n`,
    ],
    ["an asterisk", () => `OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n`],
    [
      "an oversized header",
      () => `GET /api/dev/v1/folders HTTP/1.1\r\nHost: x\r\nX: ${"y".repeat(100_000)}\r\n\r\n`,
    ],
    ["random bytes", () => "\u0000\u0001\u0002\r\n\r\n"],
    ["an empty path", () => `GET  HTTP/1.1\r\nHost: x\r\n\r\n`],
    ["TLS", () => "\u0016\u0003\u0001\u0002\u0000\u0001"],
  ];
  for (const [why, bytes] of cases)
    test(why, async () => {
      const socket = openSocket(server.url());
      socket.send(Buffer.from(bytes(), "latin1"));
      const answer = await Promise.race([socket.answer().catch(() => undefined), Bun.sleep(300)]);
      socket.cut();
      if (answer)
        expect([
          why,
          answer.status >= 500 && answer.status !== 501 && answer.status !== 505,
        ]).toEqual([why, false]);
      expect((await ada.send("GET", "/folders")).status).toBe(200);
    });
  for (const host of ["x", "abc", "a:1", "", "[::1]", "host.example:80", "%", "a b", "☃"])
    test(`the host "${host}" makes no difference`, async () => {
      for (const path of ["/api/dev/v1/folders?per_page=1", "/api/dev/folders?per_page=1"]) {
        const socket = openSocket(server.url());
        socket.send(Buffer.from(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${key()}\r\n\r\n`));
        const { status, body } = await socket.answer();
        expect([path, status, Array.isArray(body?.data)]).toEqual([path, 200, true]);
        socket.cut();
      }
    });
  test("a chunked body is read and limited", async () => {
    const socket = openSocket(server.url());
    socket.send(
      `POST /api/dev/v1/folders HTTP/1.1\r\nHost: x\r\n${key()}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n8\r\n{"name":\r\n`,
    );
    socket.send(`a\r\n"Chunks" }\r\n0\r\n\r\n`);
    const { status, body } = await socket.answer();
    expect([status, body.name]).toEqual([201, "Chunks"]);
    socket.cut();
    const stream = new ReadableStream({
      pull(controller) {
        controller.enqueue(new Uint8Array(2 ** 20).fill(0x20));
      },
    });
    const endless = await ada
      .send("POST", "/folders", stream, { "content-type": "application/json" })
      .catch(() => undefined);
    if (endless) expectProblem(endless, 413, "64 KiB");
  });
});

test("none of these requests logged an error", () => {
  const faults = server
    .output()
    .split("\n")
    .filter((line) => /"level":"error"/.test(line));
  expect(faults).toEqual([]);
});
