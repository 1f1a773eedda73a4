/** Archives of folders that are malicious or damaged: each is refused, naming the bad part. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { packBlock } from "../../plugins/search-index/vectors/vector-block";
import { filesOf } from "../helpers/data-directory";
import {
  changed,
  jsonOf,
  linesOf,
  packed,
  sha256,
  toLines,
  unpacked,
} from "../helpers/folder-archives";
import { startTestServer, type TestServer } from "../helpers/host";
import { zip } from "../helpers/office";
import { until } from "../helpers/server";

const text = "The mooring was lifted at noon. 😀 The captain left.";
const [document, words, chat] = [
  "documents/000001.jsonl",
  "texts/000001.txt",
  "chats/000001.jsonl",
];
const original = `originals/${sha256(text).slice(0, 2)}/${sha256(text)}`;

let server: TestServer;
let good: Uint8Array;
beforeAll(async () => {
  server = await startTestServer({
    env: {
      DOSSIER_FOLDER_ARCHIVES_BYTES_MAX: "8MiB",
      DOSSIER_DOCUMENTS_UPLOAD_BYTES_MAX: "1MiB",
    },
  });
  const create = async (path: string, body: unknown) =>
    (await server.send("ada", "POST", path, body)).body;
  const folder = await create("/folders", { name: "Ferry" });
  const form = new FormData();
  form.append("file", new Blob([text]), "log.txt");
  await create(`/documents/file?folder_id=${folder.id}`, form);
  await server.settle();
  const session = await create("/chats", { usedFolders: [folder.id] });
  await create(`/chats/${session.id}/messages`, { text: "When was the mooring lifted?" });
  await server.settle();
  good = await (await server.call("ada", "GET", `/folders/${folder.id}/export`)).bytes();
});
afterAll(() => server.stop());

type Archive = () => Uint8Array | Promise<Uint8Array>;
type Change = Parameters<typeof changed>[1];
const parts = () => unpacked(good);
const other = (changes: Change, change?: (manifest: any) => void): Promise<Buffer> =>
  changed(good, changes, change);
const manifest = (change: (manifest: any) => void) => other({}, change);
/** Replaces one kind of line in a part. */
const lines = (part: string, kind: string, change: (line: any) => unknown) =>
  other({
    [part]: toLines(
      linesOf(parts(), part).map((line) => (line.kind === kind ? change(line) : line)),
    ),
  });
const passages = (change: (passage: any) => unknown) =>
  lines(document, "segment", (line) => ({ ...line, passages: line.passages.map(change) }));
const citations = (change: object) =>
  lines(chat, "message", (line) => ({
    ...line,
    result: {
      ...line.result,
      citations: line.result.citations.map((citation: object) => ({ ...citation, ...change })),
    },
  }));
/** The citations, as related passages. */
const related = (change: object) =>
  lines(chat, "message", (line) => ({
    ...line,
    result: {
      ...line.result,
      related: line.result.citations.map((citation: object) => ({ ...citation, ...change })),
    },
  }));
/** The index with other bytes, but as many passages. */
const segment = (change: (words: Uint32Array) => void) =>
  lines(document, "segment", (line) => {
    const bytes = new Uint32Array(Uint8Array.from(Buffer.from(line.data, "base64")).buffer);
    change(bytes);
    return { ...line, data: Buffer.from(bytes.buffer).toString("base64") };
  });
/** The same archive with one of its central headers changed. */
function header(name: string, change: (header: Buffer) => void): Uint8Array {
  const bytes = Buffer.from(good);
  for (let at = bytes.indexOf("PK\x01\x02"); at >= 0; at = bytes.indexOf("PK\x01\x02", at + 1))
    if (
      bytes
        .subarray(at + 46)
        .toString("latin1")
        .startsWith(name)
    )
      change(bytes.subarray(at));
  return bytes;
}
/** A part that unpacks to another size than it claims. */
const bomb = (bytes: number, claimed: number) =>
  zip({
    ...Object.fromEntries(parts()),
    [words]: { data: Buffer.alloc(bytes, "a"), claimed_bytes: claimed },
  });

const outside: [reason: string, archive: Archive, why: RegExp][] = [
  ["an empty file", () => new Uint8Array(), /not a ZIP file/],
  ["any other file", () => Buffer.from("%PDF-1.7"), /not a ZIP file/],
  [
    "another ZIP",
    () => zip({ "letter.txt": "Dear" }),
    /letter\.txt does not belong in a folder archive/,
  ],
  ["a ZIP without parts", () => zip({}), /has no manifest\.json/],
  ["the first half of an archive", () => good.slice(0, good.length >> 1), /not a ZIP file/],
  ["one with a gap", () => Buffer.concat([good.slice(0, 20), good.slice(120)]), /./],
  [
    "an archive with foreign bytes at its start",
    () => Buffer.concat([Buffer.alloc(64), good.slice(64)]),
    /damaged|bytes/,
  ],
  [
    "a path that leads outside",
    () => other({ "../../etc/passwd": "root" }),
    /"?\.\.\/\.\.\/etc\/passwd"? does not belong/,
  ],
  [
    "an absolute path",
    () => other({ "/etc/passwd": "root" }),
    /does not belong in a folder archive/,
  ],
  [
    "a path with backslashes",
    () => other({ "texts\\..\\a.txt": "root" }),
    /does not belong in a folder archive/,
  ],
  ["a folder in the ZIP", () => other({ "texts/": "" }), /does not belong in a folder archive/],
  [
    "a name with control characters",
    () => other({ "texts/\u0000.txt": "" }),
    /does not belong in a folder/,
  ],
  [
    "a duplicate part",
    async () => packed([...parts(), [words, "Other."]]),
    /texts\/000001\.txt is there twice/,
  ],
  [
    "a symbolic link",
    () =>
      header(words, (head) => {
        head[5] = 3;
        head.writeUInt16LE(0o120777, 40);
      }),
    /texts\/000001\.txt is a symbolic link/,
  ],
  [
    "an encrypted part",
    () => header(words, (head) => head.writeUInt16LE(0x801, 8)),
    /texts\/000001\.txt is encrypted/,
  ],
  [
    "an unknown compression method",
    () => header(words, (head) => head.writeUInt16LE(14, 10)),
    /texts\/000001\.txt is compressed with an unknown method/,
  ],
  [
    "a part beyond the end",
    () => header(words, (head) => head.writeBigUInt64LE(2n ** 40n, 46 + words.length + 12)),
    /texts\/000001\.txt overlaps another part/,
  ],
  ["a part that claims less than it holds", () => bomb(2 ** 22, 4), /./],
  ["a part that claims more than it holds", () => bomb(4, 2 ** 22), /has 4194304 bytes instead of/],
];
const manifests: [reason: string, archive: Archive, why: RegExp][] = [
  [
    "no manifest",
    async () => packed([...parts()].filter(([name]) => name !== "manifest.json")),
    /has no manifest\.json/,
  ],
  [
    "a manifest that isn't JSON",
    async () =>
      packed(
        [...parts()].map(
          ([name, bytes]) => [name, name === "manifest.json" ? "{" : bytes] as const,
        ),
      ),
    /manifest\.json is not JSON/,
  ],
  [
    "the manifest of a backup",
    () =>
      manifest((all) => {
        all.format = "dossier backup";
      }),
    /manifest\.json is not the manifest of a folder/,
  ],
  [
    "a newer format",
    () =>
      manifest((all) => {
        all.format_version = 3;
      }),
    /newer format/,
  ],
  [
    "an invalid list of parts",
    () =>
      manifest((all) => {
        all.parts = {};
      }),
    /manifest\.json is not valid/,
  ],
  [
    "a part missing from the manifest",
    () => manifest((all) => all.parts.splice(0, 1)),
    /is not listed in the manifest/,
  ],
  [
    "a missing part",
    () =>
      manifest((all) =>
        all.parts.push({ name: "texts/000009.txt", bytes: 1, sha256: sha256("x") }),
      ),
    /texts\/000009\.txt, which is not in the archive/,
  ],
  ["a part listed twice", () => manifest((all) => all.parts.push(all.parts[0])), /twice/],
  [
    "a wrong hash of a text",
    () =>
      manifest((all) => {
        all.parts.find(({ name }: any) => name === words).sha256 = sha256("x");
      }),
    /texts\/000001\.txt/,
  ],
  [
    "a wrong hash of an original",
    () =>
      manifest((all) => {
        all.parts.find(({ name }: any) => name === original).sha256 = sha256("x");
      }),
    /originals\/.* does not match/,
  ],
  [
    "a wrong hash of a chat",
    () =>
      manifest((all) => {
        all.parts.find(({ name }: any) => name === chat).sha256 = sha256("x");
      }),
    /chats\/000001\.jsonl does not match/,
  ],
  [
    "a wrong size",
    () =>
      manifest((all) => {
        all.parts[0].bytes++;
      }),
    /bytes instead of/,
  ],
  [
    "absurd counts",
    () =>
      manifest((all) => {
        all.counts.documents = 2 ** 50;
      }),
    /counts 1125899906842624 documents/,
  ],
  [
    "negative counts",
    () =>
      manifest((all) => {
        all.counts.documents = -1;
      }),
    /manifest\.json is not valid/,
  ],
  [
    "wrong counts",
    () =>
      manifest((all) => {
        all.counts.messages = 7;
      }),
    /counts 7 messages/,
  ],
];
const records: [reason: string, archive: Archive, why: RegExp][] = [
  [
    "a line that isn't JSON",
    () => other({ [document]: "{\n" }),
    /documents\/000001\.jsonl has a line 1 that is not JSON/,
  ],
  ["a line that isn't an object", () => other({ [document]: "[]\n" }), /not a JSON object/],
  [
    "null for a line",
    () => other({ "folders.jsonl": "null\n" }),
    /folders\.jsonl has a line 1 that is not a JSON object/,
  ],
  ["a truncated line", () => other({ "prompts.jsonl": "{}" }), /ends in the middle of line 1/],
  [
    "a line that never ends",
    () => other({ "prompts.jsonl": "a".repeat(5 * 2 ** 20) }),
    /a line of more than/,
  ],
  ["deeply nested lists", () => other({ "prompts.jsonl": `${"[".repeat(100_000)}\n` }), /not JSON/],
  ["a document without lines", () => other({ [document]: "" }), /is empty/],
  [
    "bytes that aren't UTF-8",
    () => other({ [document]: Buffer.from([0xff, 0xfe, 0x0a]) }),
    /is not UTF-8/,
  ],
  ["no folders", () => other({ "folders.jsonl": "" }), /folders\.jsonl has no folder/],
  [
    "a folder without a name",
    () =>
      other({
        "folders.jsonl": toLines(
          linesOf(parts(), "folders.jsonl").map((line) => ({ ...line, name: " " })),
        ),
      }),
    /an invalid name/,
  ],
  [
    "a root folder with a parent",
    () =>
      other({
        "folders.jsonl": toLines(
          linesOf(parts(), "folders.jsonl").map((line) => ({ ...line, parent_id: "fld_x" })),
        ),
      }),
    /lies in another/,
  ],
  [
    "two roots",
    () =>
      other({
        "folders.jsonl": toLines([
          ...linesOf(parts(), "folders.jsonl"),
          ...linesOf(parts(), "folders.jsonl"),
        ]),
      }),
    /is not in the first/,
  ],
  [
    "a folder that is missing, while an owner in the lines is ignored",
    () =>
      lines(document, "document", (line) => ({
        ...line,
        owner_id: "usr_x",
        folder_ids: ["fld_x"],
      })),
    /is in the folder fld_x/,
  ],
  [
    "a missing field",
    () => lines(document, "document", ({ sha256: _one, ...line }) => line),
    /is not valid in line 1/,
  ],
  [
    "an unknown kind of line",
    () => lines(document, "index", () => ({ kind: "script" })),
    /no known kind/,
  ],
  [
    "a kind named like an object's built-in property",
    () => lines(document, "index", () => ({ kind: "constructor" })),
    /no known kind/,
  ],
  [
    "a version of zero",
    () => lines(document, "document", (line) => ({ ...line, version: 0 })),
    /is not valid in line 1/,
  ],
  [
    "a name with a line break",
    () => lines(document, "document", (line) => ({ ...line, name: "a\nb" })),
    /control characters/,
  ],
  [
    "a missing original",
    () => other({ [original]: null }),
    /an original that is not in the archive/,
  ],
  [
    "an original whose hash is not its name",
    () => other({ [original]: "x".repeat(Buffer.byteLength(text)) }),
    /does not match the SHA-256 in its name/,
  ],
  [
    "a duplicate document",
    () =>
      other({
        "documents/000002.jsonl": toLines(linesOf(parts(), document)),
        "texts/000002.txt": text,
      }),
    /a document that another part already describes/,
  ],
  [
    "a chat over a missing folder",
    () => lines(chat, "chat", (line) => ({ ...line, folder_ids: ["fld_x"] })),
    /uses the folder fld_x/,
  ],
  [
    "a duplicate message",
    () => other({ [chat]: toLines([...linesOf(parts(), chat), linesOf(parts(), chat)[1]]) }),
    /the message .* twice/,
  ],
  [
    "an answer of the wrong shape",
    () => lines(chat, "message", (line) => ({ ...line, result: { answer: 1 } })),
    /chats\/000001\.jsonl is not valid in line 2/,
  ],
  [
    "an answer on a failed message",
    () => lines(chat, "message", (line) => ({ ...line, status: "FAILED" })),
    /an invalid answer/,
  ],
  ["a citation of a missing document", () => citations({ document_id: "doc_x" }), /cites doc_x/],
  ["a citation outside", () => citations({ end: 10_000 }), /cites a range outside of the text/],
  [
    "a passage outside the text",
    () => citations({ passage: { start: 0, end: 10_000 } }),
    /cites a range outside of the text/,
  ],
  [
    "a passage that doesn't contain its quote",
    () => citations({ passage: { start: 3, end: 2 } }),
    /cites a range outside of the text/,
  ],
  [
    "a related passage of a missing document",
    () => related({ document_id: "doc_x" }),
    /cites doc_x/,
  ],
  [
    "a related passage outside the text",
    () => related({ end: 10_000 }),
    /cites a range outside of/,
  ],
  [
    "a citation that ends before it begins",
    () => citations({ start: 9, end: 3 }),
    /cites a range outside of the text/,
  ],
];
const texts: [reason: string, archive: Archive, why: RegExp][] = [
  ["a document without its text", () => other({ [words]: null }), /disagree about its text/],
  ["a text without its document", () => other({ "texts/000007.txt": "x" }), /texts\/000007\.txt/],
  [
    "a changed text",
    () => other({ [words]: text.replace("noon", "dawn") }),
    /texts\/000001\.txt is not the text/,
  ],
  [
    "a text of another length than stated",
    () =>
      lines(document, "document", (line) => ({
        ...line,
        text: { ...line.text, units: line.text.units + 1 },
      })),
    /texts\/000001\.txt has 52 characters/,
  ],
  [
    "a text with other code points than stated",
    () =>
      lines(document, "document", (line) => ({
        ...line,
        text: { ...line.text, points: line.text.units },
      })),
    /code points/,
  ],
  [
    "a passage outside the text",
    () => passages((passage) => ({ ...passage, end: 10_000 })),
    /a passage outside of the text: 0 to 10000/,
  ],
  ["a negative start", () => passages((passage) => ({ ...passage, start: -1 })), /is not valid/],
  [
    "a passage that ends before it begins",
    () => passages((passage) => ({ ...passage, start: 9, end: 3 })),
    /a passage outside of the text/,
  ],
  [
    "a passage that cuts a character",
    () => passages((passage) => ({ ...passage, end: 33, end_point: 33 })),
    /does not fit its text/,
  ],
  [
    "a passage with wrong code points",
    () => passages((passage) => ({ ...passage, end_point: passage.end })),
    /does not fit its text/,
  ],
  [
    "a segment of other passages",
    () =>
      lines(document, "segment", (line) => ({
        ...line,
        passages: [
          ...line.passages.map((passage: any) => ({ ...passage, end: 5, end_point: 5 })),
          { ...line.passages[0], start: 6, start_point: 6 },
        ],
      })),
    /other passages than are listed/,
  ],
  [
    "a segment that isn't Base64",
    () => lines(document, "segment", (line) => ({ ...line, data: "%%%%" })),
    /not Base64/,
  ],
  [
    "a truncated segment",
    () => lines(document, "segment", (line) => ({ ...line, data: line.data.slice(0, 40) })),
    /can't be searched/,
  ],
  [
    "a segment with far too many terms",
    () =>
      segment((all) => {
        all[1] = 2 ** 31;
      }),
    /can't be searched/,
  ],
  [
    "a segment with far too many postings",
    () =>
      segment((all) => {
        all[3] = 2 ** 31;
      }),
    /can't be searched/,
  ],
  [
    "a segment with unordered terms",
    () =>
      segment((all) => {
        all[6] = 2 ** 32 - 1;
      }),
    /not in order/,
  ],
  [
    "a segment with a posting of no chunk",
    () =>
      segment((all) => {
        all[all.length - 1] = 2 ** 32 - 1;
      }),
    /can't be searched/,
  ],
  [
    "a segment of another analyzer than stated",
    () =>
      segment((all) => {
        all[0] = 99;
      }),
    /its header is wrong/,
  ],
  [
    "segments before their index",
    () =>
      other({
        [document]: toLines([linesOf(parts(), document)[0], linesOf(parts(), document)[2]]),
      }),
    /comes before the index/,
  ],
  [
    "fewer passages than stated",
    () => lines(document, "index", (line) => ({ ...line, chunks: 2 })),
    /has 1 passage in 1 segment/,
  ],
  [
    "vectors without a segment",
    () =>
      other({
        [document]: toLines([...linesOf(parts(), document), { kind: "vectors", data: "AAAA" }]),
      }),
    /vectors that belong to no segment/,
  ],
  [
    "vectors that aren't numbers",
    () =>
      other({
        [document]: toLines([
          ...linesOf(parts(), document).map((line) =>
            line.kind === "index"
              ? { ...line, vectors: { model: "m", asked_dimensions: 0, dimensions: 1 } }
              : line,
          ),
          {
            kind: "vectors",
            data: Buffer.from(new Float32Array([Number.NaN]).buffer).toString("base64"),
          },
        ]),
      }),
    /not of length 1/,
  ],
  [
    "vectors of another length",
    () =>
      other({
        [document]: toLines([
          ...linesOf(parts(), document).map((line) =>
            line.kind === "index"
              ? { ...line, vectors: { model: "m", asked_dimensions: 0, dimensions: 7 } }
              : line,
          ),
          { kind: "vectors", data: Buffer.from(new Float32Array([1]).buffer).toString("base64") },
        ]),
      }),
    /they are 4 bytes, not 28/,
  ],
  [
    "more vectors than possible",
    () =>
      other({
        [document]: toLines([
          ...linesOf(parts(), document).map((line) =>
            line.kind === "index"
              ? { ...line, vectors: { model: "m", asked_dimensions: 0, dimensions: 7, layout: 1 } }
              : line,
          ),
          { kind: "vectors", data: Buffer.alloc(192 * 1024).toString("base64") },
        ]),
      }),
    /has more vectors than a segment can have, in line/,
  ],
  [
    "vectors of missing passages",
    () =>
      other({
        [document]: toLines([
          ...linesOf(parts(), document).map((line) =>
            line.kind === "index"
              ? { ...line, vectors: { model: "m", asked_dimensions: 0, dimensions: 1, layout: 1 } }
              : line,
          ),
          {
            kind: "vectors",
            data: Buffer.from(packBlock([{ chunk: 200, vector: Float32Array.of(1) }], 1)).toString(
              "base64",
            ),
          },
        ]),
      }),
    /they are of no passage of it/,
  ],
  [
    "vectors in a layout of a later version",
    () =>
      lines(document, "index", (line) => ({
        ...line,
        vectors: { model: "m", asked_dimensions: 0, dimensions: 1, layout: 2 },
      })),
    /is not valid in line/,
  ],
  [
    "a span outside the text",
    () =>
      other({
        [document]: toLines([
          linesOf(parts(), document)[0],
          { kind: "spans", of: "pages", spans: [{ page: 1, start: 0, end: 9_999 }] },
          ...linesOf(parts(), document).slice(1),
        ]),
      }),
    /a span outside of the text/,
  ],
];

/** Nothing must be left of a refused archive. */
async function expectNothing(): Promise<void> {
  expect((await server.send("eve", "GET", "/folder-imports")).body.data).toEqual([]);
  expect((await server.send("eve", "GET", "/folders")).body.data).toEqual([]);
  const rows = await server.store.db.selectFrom("folders").selectAll().execute();
  expect(rows.length).toBe(1);
}
const refused = async (archive: Archive) =>
  server.send("eve", "POST", "/folders/import", await archive(), {
    "content-type": "application/zip",
  });

for (const [what, cases] of Object.entries({ outside, manifests, records, texts }))
  describe(what, () => {
    test.each(cases)("%s", async (_reason, archive, why) => {
      const { status, body } = await refused(archive);
      expect([status, body.code]).toEqual([400, "bad_archive"]);
      expect(body.detail).toMatch(why);
      await expectNothing();
    });
  });

test("extra fields are ignored, and everything belongs to the importing user", async () => {
  const bold = { owner_id: "usr_0", deleted_at: 1, gone_at: 1, staged: 1, held_bytes: -1, rank: 1 };
  const all = Object.fromEntries(
    [document, chat, "folders.jsonl"].map((part) => [
      part,
      toLines(linesOf(parts(), part).map((line) => ({ ...line, ...bold }))),
    ]),
  );
  const archive = await other(all);
  const { status } = await server.send("fay", "POST", "/folders/import", archive, {
    "content-type": "application/zip",
  });
  expect(status).toBe(202);
  await server.settle();
  const [run] = (await server.send("fay", "GET", "/folder-imports")).body.data;
  expect([run.status, run.error]).toEqual(["completed", null]);
  const { body } = await server.send("fay", "GET", `/folders/${run.folder_id}`);
  expect([body.name, body.document_count]).toEqual(["Ferry", 1]);
  expect((await server.send("fay", "GET", "/chats")).body.data.length).toBe(1);
  const owners = await server.store.db
    .selectFrom("folders")
    .select("owner_id")
    .distinct()
    .execute();
  expect(owners.map(({ owner_id }: any) => owner_id)).not.toContain("usr_0");
  expect((await server.send("fay", "DELETE", `/folders/${run.folder_id}`)).status).toBe(204);
  await server.settle();
});

describe("limits", () => {
  test("an archive larger than the limit is refused before it is unpacked", async () => {
    const { status, body } = await refused(() =>
      other({ [words]: Buffer.alloc(9 * 2 ** 20, "a") }),
    );
    expect([status, body.code]).toEqual([413, "archive_too_large"]);
    expect(body.detail).toMatch(/folder_archives\.bytes_max/);
    await expectNothing();
  });

  test("an original too large to upload is not imported either", async () => {
    const bytes = Buffer.alloc(2 ** 20 + 1, "a");
    const hash = sha256(bytes);
    const { status, body } = await refused(() =>
      other({
        [original]: null,
        [`originals/${hash.slice(0, 2)}/${hash}`]: bytes,
        [document]: toLines(
          linesOf(parts(), document).map((line) =>
            line.kind === "document" ? { ...line, sha256: hash, size_bytes: bytes.length } : line,
          ),
        ),
      }),
    );
    expect([status, body.detail]).toEqual([
      400,
      expect.stringMatching(/documents\.upload_bytes_max/),
    ]);
  });

  test("refused archives leave no files, and a valid one is still accepted", async () => {
    await server.settle();
    expect(jsonOf(parts(), "manifest.json").counts.documents).toBe(1);
    const { status } = await refused(() => good);
    expect(status).toBe(202);
    await server.settle();
    expect((await server.send("eve", "GET", "/folder-imports")).body.data[0].status).toBe(
      "completed",
    );
    await until(() => filesOf(server.data).length === 1);
    expect(filesOf(server.data)).toEqual([sha256(text)]);
  });
});
