/** Original files copied to another location: complete and intact, and the source is kept. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DirectoryPlace } from "../../core/store/objects/directory-place";
import { filesPlaceOf } from "../../core/store/objects/files-url";
import { moveFiles } from "../../core/store/objects/file-move";
import { S3Place } from "../../core/store/objects/s3-place";
import { temporaryDirectory } from "../helpers/data-directory";
import { key_of_store, startObjectStore, type ObjectStore } from "../helpers/object-store";

const sha256 = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest("hex");
const nameOf = (text: string) => `${sha256(text).slice(0, 2)}/${sha256(text)}`;
let store: ObjectStore;
beforeAll(async () => {
  store = await startObjectStore();
});
afterAll(() => store?.[Symbol.asyncDispose]());

function write(directory: string, name: string, text: string): void {
  mkdirSync(join(directory, name.slice(0, 2)), { recursive: true });
  writeFileSync(join(directory, name), text);
}
const namesIn = (directory: string) =>
  (readdirSync(directory, { recursive: true }) as string[])
    .filter((name) => /^..\/.{64}$/.test(name))
    .sort();

test("to a bucket, with an interruption, and back: only damaged files are missing", async () => {
  const found = filesPlaceOf({ url: store.env.DOSSIER_FILES_URL!, ...key_of_store }, {});
  if (found.kind !== "bucket") throw new Error("it is a bucket");
  const bucket = new S3Place({ ...found, timeout_ms: 2_000, now_ms: () => Date.now() });
  const texts = Array.from({ length: 12 }, (_none, n) => `The ${n}th of them.`);
  const [source, target, temporary] = [0, 1, 2].map(() => temporaryDirectory()) as [
    string,
    string,
    string,
  ];
  for (const text of texts) write(source, nameOf(text), text);
  write(source, nameOf("damaged"), "is not what it says");
  const from = new DirectoryPlace(source, 2_000, "data directory");
  const progress_values: number[] = [];
  const move = {
    from,
    to: bucket,
    temporary,
    onProgress: ({ done }: any) => progress_values.push(done),
  };

  let puts = 0;
  store.door = (method, path) => {
    if (method !== "PUT" || path.includes("probe-") || ++puts <= 5) return undefined;
    return Promise.resolve(new Response("", { status: 403 }));
  };
  await expect(moveFiles(move)).rejects.toThrow(/may not do this/);
  store.door = "open";
  const there = (await store.keys()).length;
  expect(there).toBeGreaterThan(0);
  const moved = await moveFiles(move);
  expect(moved).toMatchObject({ copied: 12 - there, skipped: there });
  expect(moved.damaged).toEqual([
    { sha256: sha256("damaged"), reason: "it does not match its SHA-256" },
  ]);
  expect(progress_values.at(-1)).toBe(13);
  expect(namesIn(source)).toHaveLength(13);

  const to = new DirectoryPlace(join(target, "files"), 2_000, "data directory");
  const back = await moveFiles({ ...move, from: bucket, to });
  expect([back.copied, back.damaged]).toEqual([12, []]);
  expect(namesIn(join(target, "files"))).toEqual(texts.map(nameOf).sort());
  for (const text of texts)
    expect(await Bun.file(join(target, "files", nameOf(text))).text()).toBe(text);
  expect(readdirSync(temporary)).toEqual([]);
});
