/** Downloading the original of a document: type, name, ranges, conditional requests. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectProblem } from "../helpers/contract";
import { person, type Person } from "../helpers/person";
import type { ApiServer, StartServer } from "../helpers/server";
import { writeStagedPlugin } from "../helpers/staged-plugin";

export function originalCases(start: StartServer): void {
  let server: ApiServer;
  let ada: Person;
  let folder: string;
  const stage = writeStagedPlugin();
  const name = 'Ünï "quoted" (1)\'s 50%.txt';

  beforeAll(async () => {
    server = await start({ env: stage.env });
    ada = await person(server, "ada");
    folder = await ada.folder();
  }, 180_000);
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    stage[Symbol.dispose]();
  });

  for (const kind of ["upload", "text"])
    describe(`the original of a ${kind}, whole and in parts`, () => {
      let path: string;
      let etag: string;
      const get = (headers: Record<string, string> = {}, method = "GET") =>
        ada.send(method, path, undefined, headers);
      beforeAll(async () => {
        const { id, content_url } =
          kind === "text"
            ? await ada.text(folder, "0123456789")
            : (await ada.upload(folder, name, "0123456789")).body;
        await ada.settled(id);
        path = `${content_url}/file`;
        etag = (await get()).headers.get("etag")!;
      });
      const cases: [string, string, number, string, string | null][] = [
        ["the beginning", "bytes=0-3", 206, "0123", "bytes 0-3/10"],
        ["from an offset to the end", "bytes=7-", 206, "789", "bytes 7-9/10"],
        ["the end", "bytes=-2", 206, "89", "bytes 8-9/10"],
        ["one byte", "bytes=4-4", 206, "4", "bytes 4-4/10"],
        ["beyond the end", "bytes=8-99", 206, "89", "bytes 8-9/10"],
        ["more than the whole, from the end", "bytes=-99", 206, "0123456789", "bytes 0-9/10"],
        ["all of it", "bytes=0-9", 206, "0123456789", "bytes 0-9/10"],
        ["in another unit", "pages=1-2", 200, "0123456789", null],
        ["several ranges", "bytes=0-1,3-4", 200, "0123456789", null],
        ["without numbers", "bytes=-", 200, "0123456789", null],
        ["not numbers", "bytes=a-b", 200, "0123456789", null],
        ["backwards", "bytes=5-2", 200, "0123456789", null],
        ["outside", "bytes=10-12", 416, "", "bytes */10"],
        ["nothing from the end", "bytes=-0", 416, "", "bytes */10"],
      ];
      for (const [why, range, status, text, content_range] of cases)
        test(why, async () => {
          const answer = await get({ range });
          expect([answer.status, answer.headers.get("content-range")]).toEqual([
            status,
            content_range,
          ]);
          if (status < 400)
            expect([
              answer.text,
              answer.headers.get("accept-ranges"),
              answer.headers.get("x-content-type-options"),
            ]).toEqual([text, "bytes", "nosniff"]);
          else expectProblem(answer, 416, "", "range_not_satisfiable");
        });
      test("an unchanged original is not sent again", async () =>
        expect([
          (await get({ "if-none-match": etag })).status,
          (await get({ "if-none-match": `"x"` })).status,
        ]).toEqual([304, 200]));
      test("a part of another version is not sent", async () =>
        expect([
          (await get({ range: "bytes=0-1", "if-range": etag })).status,
          (await get({ range: "bytes=0-1", "if-range": `"x"` })).status,
        ]).toEqual([206, 200]));
      test("HEAD is the same without the bytes", async () => {
        const { status, text, headers } = await get({}, "HEAD");
        expect([status, text, headers.get("accept-ranges")]).toEqual([200, "", "bytes"]);
      });
      test("it has its type, length and hash as ETag", async () => {
        const { status, text, headers } = await get();
        expect([status, text]).toEqual([200, "0123456789"]);
        expect(headers.get("content-type")).toMatch(/^text\/plain/);
        expect(headers.get("content-length")).toBe("10");
        expect(etag).toBe(`"${new Bun.CryptoHasher("sha256").update("0123456789").digest("hex")}"`);
      });
    });

  test("an upload's original has its name, and is never served as a page", async () => {
    const { id } = (await ada.upload(await ada.folder(), name, "0123456789")).body;
    await ada.settled(id);
    const { headers } = await ada.send("GET", `/documents/${id}/file`);
    expect(headers.get("content-disposition")).toBe(
      'attachment; filename="Uni _quoted_ (1)\'s 50_.txt"; ' +
        "filename*=UTF-8''%C3%9Cn%C3%AF%20%22quoted%22%20%281%29%27s%2050%25.txt",
    );
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });

  test("while the first version is being indexed, its own bytes are served", async () => {
    const { id } = (await ada.upload(await ada.folder(), "a.bin", "#!hold first\nWords.")).body;
    expect((await ada.send("GET", `/documents/${id}/file`)).text).toBe("#!hold first\nWords.");
    stage.open("first");
    await ada.settled(id);
  });

  test("the original of an empty file", async () => {
    const { id } = (await ada.upload(await ada.folder(), "a.txt", "")).body;
    await ada.settled(id);
    const empty = (headers?: Record<string, string>) =>
      ada.send("GET", `/documents/${id}/file`, undefined, headers);
    expect([(await empty()).status, (await empty()).text]).toEqual([200, ""]);
    expect((await empty({ range: "bytes=0-0" })).status).toBe(416);
  });
}
