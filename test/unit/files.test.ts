/**
 * Originals on disk: stored once, never lost to a concurrent deletion, and without leftovers.
 */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HttpError } from "../../core/base/errors";
import { FileStore } from "../../core/store/file-store";

let directory: string;
let files: FileStore;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "dossier-files-"));
  files = new FileStore(directory);
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const bytes = (text: string) => new TextEncoder().encode(text);
async function* chunks(...texts: string[]) {
  for (const text of texts) yield bytes(text);
}
const sha256 = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest("hex");
const receive = (...texts: string[]) => files.receive(chunks(...texts), { bytes_max: 1_000_000 });
/** Stores the text as a successful upload does. */
async function store(text: string): Promise<string> {
  const received = await receive(text);
  await received.keep();
  await received.release();
  return received.sha256;
}
/** Every file below the directory, as relative paths. */
const found = () =>
  (readdirSync(directory, { recursive: true }) as string[])
    .filter((name) => statSync(join(directory, name)).isFile())
    .sort();
const place = (text: string) => join(sha256(text).slice(0, 2), sha256(text));
const textOf = async (hash: string) => (await files.open(hash))!.text();
const nobody = async () => false;
/** Leaves every file to be asked about alone. */
const knowsNone = async () => new Set<string>();
/** Writes the text where an upload would, but faster. */
function write(text: string): void {
  mkdirSync(join(directory, sha256(text).slice(0, 2)), { recursive: true });
  writeFileSync(join(directory, place(text)), text);
}
const errorOf = (work: Promise<unknown>): Promise<any> =>
  work.then(
    () => {
      throw new Error("it did not fail");
    },
    (error: unknown) => error,
  );

describe("an upload", () => {
  test("is stored under its hash and can be read", async () => {
    const received = await receive("to be ", "or not");
    expect([received.sha256, received.size_bytes]).toEqual([sha256("to be or not"), 12]);
    expect(await Bun.file(received.path).text()).toBe("to be or not");
    await received.keep();
    expect(received.path).toBe(files.path(received.sha256));
    await received.release();
    expect(found()).toEqual([place("to be or not")]);
    expect(await textOf(received.sha256)).toBe("to be or not");
    expect(await (await files.open(received.sha256))!.slice(3, 8).text()).toBe("be or");
    expect(await files.withLocalFile(received.sha256, (path) => Bun.file(path).text())).toBe(
      "to be or not",
    );
    expect(await files.open(sha256("never there"))).toBeUndefined();
  });

  test("may be empty", async () => {
    await store("");
    expect(found()).toEqual([place("")]);
  });

  const sizes: [why: string, chunk_sizes: number[]][] = [
    ["chunks far smaller than what is written at a time", Array(3_000).fill(100)],
    ["chunks that end where a write does", [32_768, 65_536, 65_536, 131_072]],
    ["chunks that end next to where a write does", [32_767, 2, 131_072, 131_070, 3]],
    ["one chunk of several writes, then an empty one", [400_000, 0]],
  ];
  for (const [why, chunk_sizes] of sizes)
    test(`may come in ${why}`, async () => {
      const texts = chunk_sizes.map((size, i) => String.fromCharCode(97 + (i % 26)).repeat(size));
      const received = await receive(...texts);
      expect(received.size_bytes).toBe(texts.join("").length);
      expect(await Bun.file(received.path).text()).toBe(texts.join(""));
      expect(received.sha256).toBe(sha256(texts.join("")));
      await received.release();
    });

  test("may come in chunks that are overwritten when they have been copied", async () => {
    const texts = ["a".repeat(10_000), "b".repeat(300_000), "c"];
    const onCopied = (chunk: Uint8Array) => void chunk.fill(0);
    const received = await files.receive(chunks(...texts), { bytes_max: 1_000_000, onCopied });
    expect(await Bun.file(received.path).text()).toBe(texts.join(""));
    expect(received.sha256).toBe(sha256(texts.join("")));
    await received.release();
  });

  test("may be a web stream", async () => {
    const received = await files.receive(new Response("streamed").body!, { bytes_max: 100 });
    expect(received.sha256).toBe(sha256("streamed"));
    await received.release();
  });

  test("of the same bytes twice gives one file", async () => {
    await store("same");
    await store("same");
    expect(found()).toEqual([place("same")]);
  });

  test("of the same bytes twenty times at once gives one file", async () => {
    await Promise.all(Array.from({ length: 20 }, () => store("same")));
    expect(found()).toEqual([place("same")]);
    expect(await textOf(sha256("same"))).toBe("same");
  });

  test("replaces a truncated file of the same name", async () => {
    mkdirSync(join(directory, sha256("whole").slice(0, 2)));
    writeFileSync(files.path(sha256("whole")), "who");
    await store("whole");
    expect(await textOf(sha256("whole"))).toBe("whole");
  });

  test("that was not kept leaves no file", async () => {
    await (await receive("never mind")).release();
    expect(found()).toEqual([]);
  });

  test("may be released twice", async () => {
    const received = await receive("twice");
    await received.keep();
    await received.release();
    await received.release();
    expect(found()).toEqual([place("twice")]);
  });

  test("can't be kept after its release", async () => {
    const received = await receive("late");
    await received.release();
    expect((await errorOf(received.keep())).message).toContain("not after its release");
  });
});

describe("a failed upload leaves nothing:", () => {
  const limits: [why: string, bytes_max: number, status: number | null][] = [
    ["exactly at the limit is accepted", 10, null],
    ["one byte above the limit is refused", 9, 413],
  ];
  for (const [why, bytes_max, status] of limits)
    test(why, async () => {
      const work = files.receive(chunks("01234", "56789"), { bytes_max });
      if (status === null) await (await work).release();
      else expect((await errorOf(work)).status).toBe(status);
      expect(found()).toEqual([]);
    });

  test("reading stops above the limit", async () => {
    let uses = 0;
    let ended = false;
    const endless = async function* () {
      try {
        for (;;) {
          uses += 1;
          yield bytes("x".repeat(1_000));
        }
      } finally {
        ended = true;
      }
    };
    expect(await errorOf(files.receive(endless(), { bytes_max: 5_000 }))).toBeInstanceOf(HttpError);
    expect([uses, ended]).toEqual([6, true]);
  });

  test("the sender disconnects", async () => {
    const broken = async function* () {
      yield bytes("half");
      throw new Error("connection reset");
    };
    expect((await errorOf(files.receive(broken(), { bytes_max: 100 }))).message).toBe(
      "connection reset",
    );
    expect(found()).toEqual([]);
  });
});

test("memory use doesn't grow with the size of an upload", async () => {
  const code = `
    const { FileStore } = await import("./core/store/file-store");
    const files = new FileStore(${JSON.stringify(directory)});
    const chunk = new Uint8Array(65_536).fill(7);
    const upload = async function* (bytes) { for (let sent = 0; sent < bytes; sent += chunk.length) yield chunk.slice(); };
    await (await files.receive(upload(2 ** 22), { bytes_max: 2 ** 40 })).release();
    Bun.gc(true);
    const before = process.memoryUsage.rss();
    let most = 0;
    const timer = setInterval(() => { most = Math.max(most, process.memoryUsage.rss()); }, 5);
    await (await files.receive(upload(200 * 2 ** 20), { bytes_max: 2 ** 40 })).release();
    clearInterval(timer);
    console.log(Math.round((most - before) / 2 ** 20));`;
  const child = Bun.spawn([process.execPath, "-e", code], {
    cwd: join(import.meta.dir, "../.."),
    stdout: "pipe",
  });
  const grown_mib = Number(await child.stdout.text());
  expect(await child.exited).toBe(0);
  expect(grown_mib).toBeGreaterThanOrEqual(0);
  expect(grown_mib).toBeLessThan(60);
}, 60_000);

describe("a removal", () => {
  test("deletes only unused files", async () => {
    for (const text of ["used", "unused"]) await store(text);
    await files.remove(
      [sha256("used"), sha256("unused"), sha256("never there")],
      async (hash) => hash === sha256("used"),
    );
    expect(found()).toEqual([place("used")]);
  });

  test("spares bytes being uploaded, and checks again when the upload is released", async () => {
    await store("shared");
    let users = 0;
    const stillUsed = async () => users > 0;
    const received = await receive("shared");
    await received.keep();
    await files.remove([received.sha256], stillUsed);
    expect(existsSync(received.path)).toBe(true);
    users = 1;
    await received.release();
    expect(found()).toEqual([place("shared")]);
    users = 0;
    await files.remove([received.sha256], stillUsed);
    expect(found()).toEqual([]);
  });

  test("deletes bytes whose upload failed after keeping them, once it is released", async () => {
    const received = await receive("failed");
    await received.keep();
    await files.remove([received.sha256], nobody);
    expect(found()).toEqual([place("failed")]);
    await received.release();
    expect(found()).toEqual([]);
  });

  test("that fails doesn't fail the upload it waited for", async () => {
    const received = await receive("stopping");
    await received.keep();
    await files.remove([received.sha256], async () => {
      throw new Error("the server is stopping");
    });
    await received.release();
    expect(found()).toEqual([place("stopping")]);
  });

  test("waits for another upload of the same bytes before it checks again", async () => {
    const [one, two] = [await receive("twins"), await receive("twins")];
    await one.keep();
    await two.keep();
    await files.remove([one.sha256], nobody);
    await one.release();
    expect(found()).toEqual([place("twins")]);
    await two.release();
    expect(found()).toEqual([]);
  });

  test("in progress makes an upload of the same bytes wait and write them again", async () => {
    await store("contested");
    const decide = Promise.withResolvers<boolean>();
    const removing = files.remove([sha256("contested")], () => decide.promise);
    const received = await receive("contested");
    const keeping = received.keep();
    decide.resolve(false);
    await Promise.all([removing, keeping]);
    expect(await textOf(received.sha256)).toBe("contested");
    await received.release();
    expect(found()).toEqual([place("contested")]);
  });

  test("never deletes bytes that a row refers to, in any order", async () => {
    /** Simulated database rows: hash → how many documents use it. */
    const rows = new Map<string, number>();
    const change = (hash: string, by: number) => rows.set(hash, (rows.get(hash) ?? 0) + by);
    const pause = () => (Math.random() < 0.5 ? Promise.resolve() : Bun.sleep(0));
    const stillUsed = async (hash: string) => {
      await pause();
      return (rows.get(hash) ?? 0) > 0;
    };
    const upload = async (text: string) => {
      const received = await receive(text);
      await pause();
      await received.keep();
      await pause();
      change(received.sha256, 1);
      await pause();
      await received.release();
    };
    const discard = async (text: string) => {
      if ((rows.get(sha256(text)) ?? 0) === 0) return;
      change(sha256(text), -1);
      await pause();
      await files.remove([sha256(text)], stillUsed);
    };
    const lost: string[] = [];
    for (let round = 0; round < 60; round++) {
      await Promise.all(
        Array.from({ length: 12 }, async (_, i) => {
          const text = `text ${i % 3}`;
          await upload(text);
          await discard(text);
          if (i % 4 === 0) await upload(text);
          if (i % 4 === 1) await discard(text);
        }),
      );
      for (const [hash, users] of rows)
        if (users > 0 !== existsSync(files.path(hash)))
          lost.push(`round ${round}: ${users} users, ${users > 0 ? "no file" : "a file"}`);
      if (round % 2 === 1)
        await Promise.all(
          [0, 1, 2].map(async (i) => {
            while ((rows.get(sha256(`text ${i}`)) ?? 0) > 0) await discard(`text ${i}`);
          }),
        );
    }
    expect(lost).toEqual([]);
  }, 60_000);
});

describe("the sweep at startup", () => {
  test("deletes unused files and remains of uploads, and reports how many", async () => {
    for (const text of ["used", "orphan", "other orphan"]) await store(text);
    writeFileSync(join(directory, "tmp", "left-by-a-crash"), "half a file");
    expect(await files.sweep(async (hash) => hash === sha256("used"), knowsNone)).toBe(2);
    expect(found()).toEqual([place("used")]);
  });

  test("asks about many files at once, and again about each it would delete", async () => {
    const texts = Array.from({ length: 1_100 }, (_, i) => `text ${i}`);
    const used = new Set(texts.map(sha256));
    for (const text of texts) write(text);
    for (const text of ["orphan", "used elsewhere"]) write(text);
    const asked: number[] = [];
    const looked_at: string[] = [];
    const removed = await files.sweep(
      async (hash) => {
        looked_at.push(hash);
        return hash === sha256("used elsewhere");
      },
      async (hashes) => {
        asked.push(hashes.length);
        return used;
      },
    );
    expect([removed, asked]).toEqual([1, [500, 500, 102]]);
    expect(looked_at.toSorted()).toEqual([sha256("orphan"), sha256("used elsewhere")].toSorted());
    expect(found().length).toBe(1_101);
  });

  test("spares uploads that arrive during it", async () => {
    const arriving = await receive("arriving");
    const stored = await receive("kept");
    await stored.keep();
    await files.sweep(nobody, knowsNone);
    expect(existsSync(arriving.path) && existsSync(stored.path)).toBe(true);
    await arriving.keep();
    await arriving.release();
    expect(await textOf(arriving.sha256)).toBe("arriving");
    await stored.release();
  });

  test("leaves foreign files alone", async () => {
    mkdirSync(join(directory, "aa"));
    writeFileSync(join(directory, "aa", "notes.txt"), "mine");
    writeFileSync(join(directory, "README"), "mine");
    expect(await files.sweep(nobody, knowsNone)).toBe(0);
    expect(found()).toEqual(["README", "aa/notes.txt"]);
  });
});
