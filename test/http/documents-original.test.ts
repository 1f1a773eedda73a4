/** Fetching the original, over HTTP: type, name, ranges, conditions. */
import { beforeAll, describe, expect, test } from "bun:test";
import { scriptedExtractor } from "../helpers/documents";
import { startTestServer, type TestServer } from "../helpers/host";
import { person, type Person } from "../helpers/person";

let server: TestServer;
let ada: Person;
const scripted = scriptedExtractor();
beforeAll(async () => {
  server = await startTestServer({ plugins: [scripted.plugin] });
  ada = await person(server, "ada");
});
const file = (id: string, headers: Record<string, string> = {}, method = "GET") =>
  ada.send(method, `/documents/${id}/file`, undefined, headers);

describe("sending the original back", () => {
  let id: string;
  const bytes = "0123456789";
  const name = 'Ünï "quoted" (1)\'s 50%.txt';
  beforeAll(async () => {
    ({ id } = (await ada.upload(await ada.folder(), name, bytes)).body);
    await server.settle();
  });
  test("with its type and name, never as a page of ours", async () => {
    const { status, text, headers } = await file(id);
    expect([status, text]).toEqual([200, bytes]);
    expect(headers.get("content-type")).toMatch(/^text\/plain/);
    expect(headers.get("content-disposition")).toBe(
      'attachment; filename="Uni _quoted_ (1)\'s 50_.txt"; ' +
        "filename*=UTF-8''%C3%9Cn%C3%AF%20%22quoted%22%20%281%29%27s%2050%25.txt",
    );
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect([headers.get("accept-ranges"), headers.get("content-length")]).toEqual(["bytes", "10"]);
    expect(headers.get("etag")).toBe(
      `"${new Bun.CryptoHasher("sha256").update(bytes).digest("hex")}"`,
    );
  });
  const ranges: [string, string, number, string, string | null][] = [
    ["the first bytes", "bytes=0-3", 206, "0123", "bytes 0-3/10"],
    ["from the middle", "bytes=4-", 206, "456789", "bytes 4-9/10"],
    ["the last bytes", "bytes=-3", 206, "789", "bytes 7-9/10"],
    ["more than there is", "bytes=8-99", 206, "89", "bytes 8-9/10"],
    ["more of the end than there is", "bytes=-99", 206, bytes, "bytes 0-9/10"],
    ["one byte", "bytes=9-9", 206, "9", "bytes 9-9/10"],
    ["beyond the end", "bytes=10-", 416, "", "bytes */10"],
    ["no bytes of the end", "bytes=-0", 416, "", "bytes */10"],
    ["several pieces: all of it", "bytes=0-1,3-4", 200, bytes, null],
    ["backwards means nothing", "bytes=5-2", 200, bytes, null],
    ["other units mean nothing", "lines=0-1", 200, bytes, null],
    ["no numbers mean nothing", "bytes=-", 200, bytes, null],
  ];
  for (const [why, range, expected, text, content_range] of ranges) {
    test(why, async () => {
      const answer = await file(id, { range });
      expect([answer.status, answer.headers.get("content-range")]).toEqual([
        expected,
        content_range,
      ]);
      if (expected !== 416) expect(answer.text).toBe(text);
      else expect(answer.body).toMatchObject({ code: "range_not_satisfiable" });
    });
  }
  test("what the client has is not sent again; a range of something else is not sent", async () => {
    const etag = (await file(id)).headers.get("etag")!;
    expect([
      (await file(id, { "if-none-match": etag })).status,
      (await file(id, { "if-none-match": '"x"' })).status,
    ]).toEqual([304, 200]);
    expect([
      (await file(id, { range: "bytes=0-1", "if-range": etag })).status,
      (await file(id, { range: "bytes=0-1", "if-range": '"x"' })).status,
    ]).toEqual([206, 200]);
  });
  test("HEAD is the same without the bytes", async () => {
    const { status, text, headers } = await file(id, {}, "HEAD");
    expect([status, text, headers.get("accept-ranges")]).toEqual([200, "", "bytes"]);
  });
  test("while the first version is in work, its own bytes", async () => {
    const { id: waiting } = (await ada.upload(await ada.folder(), "a.bin", "#!wait first\nWords."))
      .body;
    expect((await file(waiting)).text).toBe("#!wait first\nWords.");
    scripted.open("first");
  });
  test("an empty file", async () => {
    const { id: empty } = (await ada.upload(await ada.folder(), "a.txt", "")).body;
    await server.settle();
    expect([(await file(empty)).status, (await file(empty)).text]).toEqual([200, ""]);
    expect((await file(empty, { range: "bytes=0-0" })).status).toBe(416);
  });
});
