/**
 * Multipart bodies that are odd, broken, cut off or too large: each is refused, nothing of it
 * stays, and the next one is served.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import { filesOf } from "../helpers/data-directory";
import { form } from "../helpers/forms";
import { startTestServer, type TestServer } from "../helpers/host";
import { person, type Person } from "../helpers/person";
import { until } from "../helpers/server";

let server: TestServer;
let ada: Person;
let folder: string;
beforeAll(async () => {
  server = await startTestServer({ env: { DOSSIER_DOCUMENTS_UPLOAD_BYTES_MAX: "256KiB" } });
  ada = await person(server, "ada");
  folder = await ada.folder();
});

const boundary = "----edge";
const part = (disposition: string, content: string, type = "") =>
  `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n${type && `Content-Type: ${type}\r\n`}\r\n${content}\r\n`;
const end = `--${boundary}--\r\n`;
const post = (
  body: string | Uint8Array | ReadableStream,
  type = `multipart/form-data; boundary=${boundary}`,
) =>
  server.send("ada", "POST", `/documents/file?folder_id=${folder}`, body, {
    "content-type": type,
  });
const nothingLeft = async (files_before: readonly string[]) => {
  await until(() => filesOf(server.data).join() === files_before.join());
};

describe("refused", () => {
  const cases: [string, string, number, string?][] = [
    ["no parts at all", end, 400, "/file"],
    ["an empty body", "", 400],
    ["another part only", part(`name="other"; filename="a.txt"`, "x") + end, 400, "/file"],
    ["fields only", part(`name="folder_id"`, "x") + end, 400, "/file"],
    ["a part without a file name", part(`name="file"`, "x") + end, 400, "/file"],
    ["a part with an empty file name", part(`name="file"; filename=""`, "x") + end, 400, "/file"],
    ["a name in the wrong case", part(`name="File"; filename="a.txt"`, "x") + end, 400, "/file"],
    [
      "a file name that is a path to nothing",
      part(`name="file"; filename="a/"`, "x") + end,
      400,
      "/file",
    ],
    [
      "an escaped line break in the file name",
      part(`name="file"; filename="a%0D%0Ab.txt"`, "x") + end,
      400,
      "/file",
    ],
    [
      "two files",
      part(`name="file"; filename="a.txt"`, "x") + part(`name="file"; filename="b.txt"`, "y") + end,
      400,
      "/file",
    ],
    ["cut off inside the file", part(`name="file"; filename="a.txt"`, "x"), 400],
    [
      "cut off inside a large file",
      part(`name="file"; filename="a.txt"`, "x".repeat(100_000)).slice(0, -50_000),
      400,
    ],
    ["cut off inside the header", `--${boundary}\r\nContent-Disposition: form-data; na`, 400],
    ["cut off behind the file", `${part(`name="file"; filename="a.txt"`, "x")}--${boundary}`, 400],
    [
      "another boundary than announced",
      part(`name="file"; filename="a.txt"`, "x").replaceAll(boundary, "----other"),
      400,
    ],
    ["no multipart at all", "just words", 400],
    [
      "bytes of chance",
      String.fromCharCode(...Array.from({ length: 2_000 }, (_, i) => (i * 7_919) % 256)),
      400,
    ],
    [
      "a file above the limit",
      part(`name="file"; filename="a.txt"`, "x".repeat(256 * 1024 + 1)) + end,
      413,
    ],
    [
      "a file far above the limit",
      part(`name="file"; filename="a.txt"`, "x".repeat(1024 * 1024)) + end,
      413,
    ],
  ];
  for (const [why, body, status, pointer] of cases) {
    test(why, async () => {
      const before = filesOf(server.data);
      const total = (await ada.names(folder)).length;
      const answer = await post(body);
      expect([answer.status, answer.text]).toEqual([status, expect.any(String)]);
      if (pointer !== undefined) expect(answer.body.errors[0].pointer).toBe(pointer);
      if (status === 413) expect(answer.body.detail).toMatch(/262,?144/);
      await nothingLeft(before);
      expect((await ada.names(folder)).length).toBe(total);
    });
  }
  const types: [string, string, number][] = [
    ["no boundary", "multipart/form-data", 400],
    ["JSON", "application/json", 415],
    ["another multipart", `multipart/mixed; boundary=${boundary}`, 415],
    ["a form", "application/x-www-form-urlencoded", 415],
  ];
  for (const [why, type, status] of types) {
    test(`a body that is announced with ${why}`, async () =>
      expect((await post(part(`name="file"; filename="a.txt"`, "x") + end, type)).status).toBe(
        status,
      ));
  }
  test("no body", async () =>
    expect([400, 415]).toContain(
      (await server.send("ada", "POST", `/documents/file?folder_id=${folder}`)).status,
    ));
  test("above the limit, without saying so beforehand", async () => {
    const before = filesOf(server.data);
    const chunks = [
      part(`name="file"; filename="a.txt"`, "x".repeat(1024)).slice(0, -2),
      ...Array(400).fill("y".repeat(1024)),
      `\r\n${end}`,
    ].map((chunk) => new TextEncoder().encode(chunk));
    const body = new ReadableStream({
      pull(to) {
        const next = chunks.shift();
        if (next) to.enqueue(next);
        else to.close();
      },
    });
    expect((await post(body)).status).toBe(413);
    await nothingLeft(before);
  });
});

describe("accepted", () => {
  const file = (name: string, content = "words") =>
    part(`name="file"; filename="${name}"`, content, "text/plain");
  const cases: [string, string, string][] = [
    [
      "fields beside the file",
      part(`name="note"`, "x") + file("fields.txt") + part(`name="more"`, "y") + end,
      "fields.txt",
    ],
    [
      "another file beside it",
      part(`name="other"; filename="o.txt"`, "x") + file("beside.txt") + end,
      "beside.txt",
    ],
    ["a preamble and an epilogue", `hello\r\n${file("around.txt")}${end}goodbye`, "around.txt"],
    ["a quote in the name, as curl writes it", file('cu\\"rl.txt') + end, 'cu"rl.txt'],
    ["a name in UTF-8", Buffer.from(file("ünï.txt") + end).toString("latin1"), "ünï.txt"],
    [
      "an extended name",
      part("name=\"file\"; filename*=UTF-8''%E6%A6%82.txt", "x") + end,
      "概.txt",
    ],
    [
      "a type that is none",
      part(`name="file"; filename="type.txt"`, "x", "nonsense") + end,
      "type.txt",
    ],
    ["exactly at the limit", file("limit.txt", "x".repeat(256 * 1024)) + end, "limit.txt"],
    [
      "bytes that look like a boundary",
      file("edge.txt", `\r\n--${boundary.slice(0, -1)}\r\n--`) + end,
      "edge.txt",
    ],
  ];
  for (const [why, body, name] of cases) {
    test(why, async () => {
      const answer = await post(Buffer.from(body, "latin1"));
      expect([answer.status, answer.body.name]).toEqual([201, name]);
    });
  }
  test("every byte arrives", async () => {
    const bytes = Uint8Array.from({ length: 200_000 }, (_, i) => (i * 31 + (i >> 8)) & 255);
    const answer = await server.send(
      "ada",
      "POST",
      `/documents/file?folder_id=${folder}`,
      form("bytes.bin", bytes),
    );
    expect([answer.status, answer.body.sha256, answer.body.size_bytes]).toEqual([
      201,
      new Bun.CryptoHasher("sha256").update(bytes).digest("hex"),
      bytes.length,
    ]);
    const original = await server.fetch(
      new Request(`http://dossier.test${answer.headers.get("location")}/file`, {
        headers: { authorization: `Bearer ${await server.key("ada")}` },
      }),
    );
    expect(Buffer.from(await original.bytes()).equals(Buffer.from(bytes))).toBe(true);
  });
});

describe("over a socket", () => {
  /**
   * A connection that has sent the head of an upload and its first bytes; `declared` is what the
   * head says will come.
   */
  async function begin(declared: number, query: string, name = "cut.txt") {
    const listener = Bun.serve({ port: 0, fetch: (request) => server.fetch(request) });
    const received: Buffer[] = [];
    const closed = Promise.withResolvers<void>();
    const socket = await Bun.connect({
      hostname: "127.0.0.1",
      port: listener.port!,
      socket: {
        data: (_socket, data) => void received.push(Buffer.from(data)),
        close: () => closed.resolve(),
      },
    });
    socket.write(
      `POST /api/dev/v1/documents/file?${query} HTTP/1.1\r\nHost: dossier.test\r\nAuthorization: Bearer ${await server.key("ada")}\r\n` +
        `Content-Type: multipart/form-data; boundary=${boundary}\r\nContent-Length: ${declared}\r\n\r\n` +
        `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n${"x".repeat(10_000)}`,
    );
    return {
      socket,
      listener,
      closed: closed.promise,
      answer: () => Buffer.concat(received).toString(),
    };
  }

  test("a client that goes away leaves nothing behind", async () => {
    const before = filesOf(server.data);
    const { socket, listener } = await begin(200_000, `folder_id=${folder}`);
    await until(() => filesOf(server.data).some((name) => name.startsWith("tmp/")));
    socket.terminate();
    await nothingLeft(before);
    await listener.stop(true);
    expect((await ada.names(folder)).includes("cut.txt")).toBe(false);
  });

  const refused: [string, () => Promise<string>, number, number][] = [
    ["a folder that does not exist", async () => "folder_id=fld_none", 200_000, 404],
    [
      "another user's folder",
      async () => `folder_id=${await (await person(server, "bob")).folder()}`,
      200_000,
      403,
    ],
    [
      "a name that is taken",
      async () => {
        const other = await ada.folder();
        await ada.upload(other, "cut.txt", "x");
        return `folder_id=${other}`;
      },
      200_000,
      409,
    ],
    ["more than the limit", async () => `folder_id=${folder}`, 600_000_000, 413],
  ];
  for (const [why, query, declared, status] of refused) {
    test(`${why} is refused before the rest is sent`, async () => {
      const before = filesOf(server.data).length;
      const { socket, listener, answer } = await begin(declared, await query());
      await until(() => answer().includes("\r\n\r\n"));
      expect(answer()).toStartWith(`HTTP/1.1 ${status} `);
      socket.terminate();
      await listener.stop(true);
      await until(
        () => filesOf(server.data).filter((name) => name.startsWith("tmp/")).length === 0,
      );
      expect(filesOf(server.data).length).toBeLessThanOrEqual(before + 1);
    });
  }
});

test("after all of this, an upload is served", async () => {
  expect((await ada.upload(folder, "last.txt", "x")).status).toBe(201);
});
