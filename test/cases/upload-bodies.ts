/**
 * Multipart bodies that are unusual, broken, cut off or too large: each is refused, leaves nothing
 * behind, and does not affect the next one.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectProblem } from "../helpers/contract";
import { filesOf, temporaryFiles } from "../helpers/data-directory";
import { filePart, multipart } from "../helpers/forms";
import { person, type Person } from "../helpers/person";
import { until, type Answered, type ApiServer, type StartServer } from "../helpers/server";

const boundary = "----edge";
const part = (disposition: string, content: string, type = "") =>
  `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n${type && `Content-Type: ${type}\r\n`}\r\n${content}\r\n`;
const end = `--${boundary}--\r\n`;
function inChunks(bytes: Uint8Array, chunk_bytes: number): ReadableStream {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(bytes.slice(at, (at += chunk_bytes)));
      if (at >= bytes.length) controller.close();
    },
  });
}
export function uploadBodyCases(start: StartServer): void {
  let server: ApiServer;
  let ada: Person;
  let folder: string;

  beforeAll(async () => {
    server = await start({ env: { DOSSIER_DOCUMENTS_UPLOAD_BYTES_MAX: "256KiB" } });
    ada = await person(server, "ada");
    folder = await ada.folder();
  }, 180_000);
  afterAll(() => server?.[Symbol.asyncDispose]());

  const post = (
    body: string | Uint8Array | ReadableStream,
    type = `multipart/form-data; boundary=${boundary}`,
  ) =>
    ada.send("POST", `/documents/file?folder_id=${folder}`, body, {
      "content-type": type,
    });
  const send = ({ body, headers }: ReturnType<typeof multipart>): Promise<Answered> =>
    ada.send("POST", `/documents/file?folder_id=${folder}`, body, headers);
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
        "a file name that is only a path",
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
        part(`name="file"; filename="a.txt"`, "x") +
          part(`name="file"; filename="b.txt"`, "y") +
          end,
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
      ["cut off after the file", `${part(`name="file"; filename="a.txt"`, "x")}--${boundary}`, 400],
      [
        "a boundary other than announced",
        part(`name="file"; filename="a.txt"`, "x").replaceAll(boundary, "----other"),
        400,
      ],
      ["not multipart at all", "just words", 400],
      [
        "random bytes",
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
      test(`a body announced with ${why}`, async () =>
        expect((await post(part(`name="file"; filename="a.txt"`, "x") + end, type)).status).toBe(
          status,
        ));
    }
    test("no body", async () =>
      expect([400, 415]).toContain(
        (await ada.send("POST", `/documents/file?folder_id=${folder}`)).status,
      ));
    test("above the limit, without an announced length", async () => {
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
        "an invalid type",
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
    const every_byte = Buffer.from(
      Uint8Array.from({ length: 200_000 }, (_, i) => (i * 31 + (i >> 8)) & 255),
    );
    const cut_boundaries = Buffer.from("\r\n------dossier-boundar".repeat(8_000));
    const contents: [why: string, bytes: Buffer<ArrayBuffer>, chunk_bytes: number][] = [
      ["every byte value", every_byte, Infinity],
      ["every byte value, in chunks of several packets", every_byte, 20_000],
      ["every byte value, in chunks smaller than a packet", every_byte, 700],
      ["as many bytes as are parsed at a time", every_byte.subarray(0, 16_384), Infinity],
      ["beginnings of boundaries", cut_boundaries, Infinity],
      ["beginnings of boundaries, in chunks of several packets", cut_boundaries, 20_000],
    ];
    for (const [row, [why, bytes, chunk_bytes]] of contents.entries())
      test(`unchanged: ${why}`, async () => {
        const { body, headers } = multipart({ headers: filePart(`${row}.bin`), body: bytes });
        const chunks = chunk_bytes < body.length ? inChunks(body, chunk_bytes) : body;
        const answer = await ada.send(
          "POST",
          `/documents/file?folder_id=${folder}`,
          chunks,
          headers,
        );
        expect([answer.status, answer.body.sha256, answer.body.size_bytes]).toEqual([
          201,
          new Bun.CryptoHasher("sha256").update(bytes).digest("hex"),
          bytes.length,
        ]);
        const original = await server.call("ada", "GET", `${answer.headers.get("location")}/file`);
        expect(Buffer.from(await original.bytes()).equals(bytes)).toBe(true);
      });
  });

  describe("malformed bodies", () => {
    const file = { headers: filePart("body.txt"), body: "x" };
    const cases: [string, ReturnType<typeof multipart>, number][] = [
      [
        "no part `file`",
        multipart({
          headers: `Content-Disposition: form-data; name="File"; filename="x.txt"`,
          body: "x",
        }),
        400,
      ],
      [
        "a part `file` without a file name",
        multipart({ headers: `Content-Disposition: form-data; name="file"`, body: "x" }),
        400,
      ],
      [
        "two files",
        multipart(
          { headers: filePart("one.txt"), body: "x" },
          { headers: filePart("two.txt"), body: "x" },
        ),
        400,
      ],
      [
        "a broken part after a whole file",
        {
          ...multipart(file),
          body: multipart(file, { headers: "X-Broken", body: "x".repeat(200_000) }).body.slice(
            0,
            -100,
          ),
        },
        400,
      ],
      ["no part at all", multipart(), 400],
      [
        "no boundary",
        { ...multipart(file), headers: { "content-type": "multipart/form-data" } },
        400,
      ],
      [
        "another boundary",
        { ...multipart(file), headers: { "content-type": "multipart/form-data; boundary=other" } },
        400,
      ],
      [
        "cut off before its end",
        { ...multipart(file), body: multipart(file).body.slice(0, -20) },
        400,
      ],
      [
        "not multipart",
        { body: new Uint8Array([0x7b, 0x7d]), headers: { "content-type": "application/json" } },
        415,
      ],
      ["without a type", { body: multipart(file).body, headers: { "content-type": "" } }, 415],
      [
        "fields beside the file are ignored",
        multipart(
          { headers: `Content-Disposition: form-data; name="folder_id"`, body: "fld_x" },
          { headers: filePart("fields-beside.txt"), body: "x" },
          { headers: `Content-Disposition: form-data; name="note"`, body: "x" },
        ),
        201,
      ],
    ];
    for (const [why, body, status] of cases)
      test(`${why}: ${status}`, async () => {
        const before = await ada.names(folder);
        const answer = await send(body);
        if (status < 400) return expect(answer.status).toBe(status);
        expectProblem(answer, status);
        expect(await ada.names(folder)).toEqual(before);
        await until(() => temporaryFiles(server.data).length === 0);
      });
  });

  describe("a configured upload limit", () => {
    const bytes = (count: number) => new Uint8Array(count).fill(0x20);
    /** A body without a content length. */
    const streamed = ({ body, headers }: ReturnType<typeof multipart>) =>
      ada.send(
        "POST",
        `/documents/file?folder_id=${folder}`,
        new ReadableStream({
          start(controller) {
            controller.enqueue(body);
            controller.close();
          },
        }),
        headers,
      );
    const cases: [string, number, number][] = [
      ["at the limit", 2 ** 18, 201],
      ["a byte above it", 2 ** 18 + 1, 413],
      ["far above it", 4 * 2 ** 18, 413],
    ];
    for (const [why, size, status] of cases)
      for (const announced of [true, false])
        test(`${why}, ${announced ? "of announced length" : "in chunks"}: ${status}`, async () => {
          const name = `${size}-${announced}.txt`;
          const body = multipart({ headers: filePart(name), body: bytes(size) });
          const answer = announced
            ? await ada.send("POST", `/documents/file?folder_id=${folder}`, body.body, body.headers)
            : await streamed(body);
          if (status === 201)
            return expect([answer.status, answer.body.size_bytes]).toEqual([201, size]);
          expectProblem(answer, 413, /256 KiB|262,?144/);
          expect(await ada.names(folder, `&name=${name}`)).toEqual([]);
          await until(() => temporaryFiles(server.data).length === 0);
        });
  });

  test("after all of these, an upload still works", async () => {
    expect((await ada.upload(folder, "last.txt", "x")).status).toBe(201);
  });
}
