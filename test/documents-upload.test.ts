/** Uploads, over HTTP: names, the same-name rule, overwriting, and what is sent back. */
import { beforeAll, describe, expect, test } from "bun:test";
import { expectSound, filesOf, form, person, scriptedExtractor, until, type Person } from "./helpers/documents";
import { startTestServer, type TestServer } from "./helpers/host";

let server: TestServer;
let ada: Person, bob: Person;
const scripted = scriptedExtractor();
beforeAll(async () => {
  server = await startTestServer({ plugins: [scripted.plugin] });
  ada = person(server, "ada");
  bob = person(server, "bob");
});
const status = async (id: string): Promise<string> => (await ada.get(id)).status;
const file = (id: string, headers: Record<string, string> = {}, method = "GET") => ada.send(method, `/documents/${id}/file`, undefined, headers);

test("an upload is there at once, and answers once its text is read", async () => {
  const folder = await ada.folder();
  const bytes = "#!read\nFirst page.\fSecond page.";
  const made = await server.sendRaw("ada", "POST", `/documents/file?folder_id=${folder}`, form("survey.bin", bytes, "application/x-survey"));
  const id = made.body.id;
  expect([made.status, made.headers.get("location")]).toEqual([201, `/api/dev/v1/documents/${id}`]);
  expect(made.body).toMatchObject({
    name: "survey.bin", status: "syncing", folder_ids: [folder], media_type: "application/x-survey", size_bytes: bytes.length, version: 1, page_count: null,
    sha256: new Bun.CryptoHasher("sha256").update(bytes).digest("hex"), source: { kind: "upload", uri: null, run_id: null }, error: null, synced_at: null,
  });
  await server.settle();
  expect(await ada.get(id)).toMatchObject({
    status: "synced", media_type: "text/x-scripted", page_count: 2, content: "First page.\fSecond page.", indexing: { stage: "done", progress: 1, attempts: 1 }, synced_at: expect.any(String),
  });
  expect(await ada.found("Second", [folder])).toEqual([id]);
  const original = await file(id);
  expect([original.status, original.text, original.headers.get("content-type")]).toEqual([200, bytes, "text/x-scripted"]);
});

describe("names of files", () => {
  const cases: [string, string, number, string?][] = [
    ["as it is", "report.pdf", 201, "report.pdf"],
    ["any Unicode", "Übersicht 概要 🗂.txt", 201, "Übersicht 概要 🗂.txt"],
    ["only the last segment of a path", "/etc/passwd/../notes.txt", 201, "notes.txt"],
    ["of a Windows path too", "C:\\fakepath\\slides.ppt", 201, "slides.ppt"],
    ["dots are a name", "..", 201, ".."],
    ["spaces around are trimmed", "  a.txt ", 201, "a.txt"],
    ["a quote", "say \"hi\".txt", 201, "say \"hi\".txt"],
    ["a per cent sign", "100%25 sure.txt", 201, "100%25 sure.txt"],
    ["255 emoji", "🗂".repeat(255), 201, "🗂".repeat(255)],
    ["256 characters", "x".repeat(256), 400],
    ["blank", " \u3000", 400],
    ["a path that ends in its separator", "folder/", 400],
    ["a line break", "a\nb.txt", 400],
    ["a tab", "a\tb.txt", 400],
    ["U+0000", "a\u0000b.txt", 400],
    ["a C1 control", "a\u0085b.txt", 400],
  ];
  for (const [why, name, expected, kept] of cases) {
    test(why, async () => {
      const answer = await ada.upload(await ada.folder(), name, "words");
      expect([answer.status, answer.body.name ?? answer.body.errors[0].pointer]).toEqual([expected, kept ?? "/file"]);
    });
  }
});

describe("the same name", () => {
  type Step = (folder: string) => Promise<unknown>;
  const up = (name: string): Step => (folder) => ada.upload(folder, name, `first ${name}`);
  const text = (name: string): Step => (folder) => ada.text(folder, `text ${name}`, name);
  const cases: [string, Step[], string, number][] = [
    ["an upload clashes with an upload", [up("a.txt")], "a.txt", 409],
    ["and with a text", [text("a.txt")], "a.txt", 409],
    ["not with another name", [up("a.txt"), text("b.txt")], "c.txt", 201],
    ["case makes a difference", [up("a.txt")], "A.txt", 201],
    ["composed and decomposed are one", [up("caf\u00e9.txt")], "cafe\u0301.txt", 409],
    ["decomposed and composed, too", [text("cafe\u0301.txt")], "caf\u00e9.txt", 409],
    ["compatible characters are different", [up("ﬁle.txt")], "file.txt", 201],
    ["one that was taken out does not count", [async (folder) => {
      const { id } = (await ada.upload(folder, "a.txt", "x")).body;
      await ada.send("DELETE", `/documents/${id}?folder_id=${folder}`);
    }], "a.txt", 201],
    ["one in another folder does not count", [async () => up("a.txt")(await ada.folder())], "a.txt", 201],
    ["one that was renamed does not count", [async (folder) => {
      const { id } = (await ada.upload(folder, "a.txt", "x")).body;
      await ada.send("PATCH", `/documents/${id}`, { name: "b.txt" });
    }], "a.txt", 201],
    ["but its new name does", [async (folder) => {
      const { id } = (await ada.upload(folder, "b.txt", "x")).body;
      await ada.send("PATCH", `/documents/${id}`, { name: "a.txt" });
    }], "a.txt", 409],
    ["one that was linked here counts", [async (folder) => {
      const { id } = (await ada.upload(await ada.folder(), "a.txt", "x")).body;
      await ada.send("POST", `/documents/${id}/links`, { folder_id: folder });
    }], "a.txt", 409],
  ];
  for (const [why, before, name, expected] of cases) {
    test(why, async () => {
      const folder = await ada.folder();
      for (const step of before) await step(folder);
      const total = (await ada.names(folder)).length;
      const answer = await ada.upload(folder, name, "second");
      expect(answer.status).toBe(expected);
      if (expected === 409) expect(answer.body).toMatchObject({ code: "name_taken", detail: "A document with the same file name already exists; pass overwrite=true to replace it." });
      expect((await ada.names(folder)).length).toBe(total + (expected === 201 ? 1 : 0));
    });
  }

  test("a text never clashes, not even with an upload", async () => {
    const folder = await ada.folder();
    await ada.upload(folder, "a.txt", "x");
    for (let i = 0; i < 2; i++) await ada.text(folder, "x", "a.txt");
    expect(await ada.names(folder)).toEqual(["a.txt", "a.txt", "a.txt"]);
  });

  const ontos: [string, (folder: string, other: string) => Promise<{ readonly status: number }>, number][] = [
    ["renaming a text onto an upload", async (folder) => ada.send("PATCH", `/documents/${(await ada.text(folder, "x", "b")).id}`, { name: "a.txt" }), 409],
    ["renaming an upload onto an upload", async (folder) => ada.send("PATCH", `/documents/${(await ada.upload(folder, "b", "x")).body.id}`, { name: "a.txt" }), 409],
    ["renaming to the other normal form", async (folder) => {
      await ada.upload(folder, "cafe\u0301", "x");
      return ada.send("PATCH", `/documents/${(await ada.text(folder, "x", "b")).id}`, { name: "caf\u00e9" });
    }, 409],
    ["renaming onto a text", async (folder) => {
      await ada.text(folder, "x", "text");
      return ada.send("PATCH", `/documents/${(await ada.upload(folder, "b", "x")).body.id}`, { name: "text" });
    }, 200],
    ["renaming to its own name", async (folder) => ada.send("PATCH", `/documents/${(await ada.upload(folder, "own", "x")).body.id}`, { name: "own" }), 200],
    ["linking a text onto an upload", async (folder, other) => ada.send("POST", `/documents/${(await ada.text(other, "x", "a.txt")).id}/links`, { folder_id: folder }), 409],
    ["linking an upload onto an upload", async (folder, other) => ada.send("POST", `/documents/${(await ada.upload(other, "a.txt", "x")).body.id}/links`, { folder_id: folder }), 409],
    ["restoring a text onto an upload", async (_folder, other) => {
      const { id } = await ada.text(other, "x", "a.txt");
      await ada.send("DELETE", `/documents/${id}?folder_id=${other}`);
      await ada.upload(other, "a.txt", "x");
      return ada.send("POST", `/documents/${id}/restore?folder_id=${other}`);
    }, 409],
    ["restoring an upload onto an upload", async (_folder, other) => {
      const { id } = (await ada.upload(other, "a.txt", "x")).body;
      await ada.send("DELETE", `/documents/${id}?folder_id=${other}`);
      await ada.upload(other, "a.txt", "y");
      return ada.send("POST", `/documents/${id}/restore?folder_id=${other}`);
    }, 409],
    ["restoring under a name that it got meanwhile", async (folder, other) => {
      const { id } = (await ada.upload(other, "b.txt", "x")).body;
      await ada.send("POST", `/documents/${id}/links`, { folder_id: folder });
      await ada.send("DELETE", `/documents/${id}?folder_id=${folder}`);
      expect((await ada.send("PATCH", `/documents/${id}`, { name: "a.txt" })).status).toBe(200);
      return ada.send("POST", `/documents/${id}/restore?folder_id=${folder}`);
    }, 409],
  ];
  for (const [why, act, expected] of ontos) {
    test(`${why}: ${expected}`, async () => {
      const [folder, other] = [await ada.folder(), await ada.folder()];
      await ada.upload(folder, "a.txt", "taken");
      expect((await act(folder, other)).status).toBe(expected);
    });
  }

  test("thirty uploads of one name at once: one is created, the rest are told", async () => {
    const folder = await ada.folder();
    const answers = await Promise.all(Array.from({ length: 30 }, (_, i) => ada.upload(folder, i % 2 ? "caf\u00e9.txt" : "cafe\u0301.txt", `number ${i}`)));
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, ...Array(29).fill(409)]);
    expect((await ada.names(folder)).length).toBe(1);
  });

  test("thirty overwrites of one name at once: one document, thirty versions", async () => {
    const folder = await ada.folder();
    const answers = await Promise.all(Array.from({ length: 30 }, (_, i) => ada.upload(folder, "a.txt", `number ${i}`, "&overwrite=true")));
    expect(answers.map((answer) => answer.status).sort()).toEqual([...Array(29).fill(200), 201]);
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1);
    expect(answers.map((answer) => answer.body.version).sort((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, i) => i + 1));
    await server.settle();
    const last = answers.find((answer) => answer.body.version === 30)!.body;
    const document = await ada.get(last.id);
    expect(document).toMatchObject({ version: 30, status: "synced", sha256: last.sha256 });
    expect(new Bun.CryptoHasher("sha256").update(document.content).digest("hex")).toBe(last.sha256);
    await expectSound(server);
  });
});

describe("overwriting", () => {
  /** A document that answers, and a folder of its own. */
  async function answering(words: string): Promise<{ folder: string; id: string }> {
    const folder = await ada.folder();
    const { id } = (await ada.upload(folder, "a.txt", words)).body;
    await server.settle();
    return { folder, id };
  }
  const words = (folder: string, ...asked: string[]) => Promise.all(asked.map(async (word) => (await ada.found(word, [folder])).length));

  test("without a namesake it creates", async () => {
    const answer = await ada.upload(await ada.folder(), "a.txt", "x", "&overwrite=true");
    expect([answer.status, answer.body.version]).toEqual([201, 1]);
  });

  test("the old version answers until the new one does, in one switch", async () => {
    const { folder, id } = await answering("The old walrus.");
    const before = await ada.get(id);
    const bytes = "#!wait switch\nThe new narwhal.";
    const answer = await ada.upload(folder, "a.txt", bytes, "&overwrite=true");
    expect([answer.status, answer.headers.get("location")]).toEqual([200, `/api/dev/v1/documents/${id}`]);
    expect(answer.body).toMatchObject({
      id, name: "a.txt", status: "syncing", version: 2, size_bytes: bytes.length, sha256: new Bun.CryptoHasher("sha256").update(bytes).digest("hex"),
      created_at: before.created_at, synced_at: before.synced_at, folder_ids: [folder],
    });
    await until(async () => (await ada.get(id)).indexing.stage === "extracting");
    expect(await ada.get(id)).toMatchObject({ status: "syncing", version: 2, content: "The old walrus.", indexing: { attempts: 1 } });
    expect((await file(id)).text).toBe("The old walrus.");
    expect(await words(folder, "walrus", "narwhal")).toEqual([1, 0]);
    expect((await ada.send("GET", `/folders/${folder}`)).body.status_counts).toEqual({ syncing: 1, synced: 0, sync_failed: 0 });
    scripted.open("switch");
    await server.settle();
    expect(await ada.get(id)).toMatchObject({ status: "synced", version: 2, content: "The new narwhal.", media_type: "text/x-scripted" });
    expect((await file(id)).text).toBe(bytes);
    expect(await words(folder, "walrus", "narwhal")).toEqual([0, 1]);
    await expectSound(server);
  });

  test("when the new version fails, the old one goes on answering, and a good one ends it", async () => {
    const { folder, id } = await answering("The old lynx.");
    await ada.upload(folder, "a.txt", "#!fail encrypted\n", "&overwrite=true");
    await server.settle();
    expect(await ada.get(id)).toMatchObject({ status: "sync_failed", version: 2, error: { code: "encrypted", message: "It says encrypted." }, content: "The old lynx." });
    expect((await file(id)).text).toBe("The old lynx.");
    expect(await words(folder, "lynx")).toEqual([1]);
    expect((await ada.send("GET", `/folders/${folder}`)).body.status_counts).toEqual({ syncing: 0, synced: 0, sync_failed: 1 });
    await expectSound(server);
    expect((await ada.send("POST", `/documents/${id}/reindex`)).body).toMatchObject({ status: "syncing", version: 2, error: null });
    await server.settle();
    expect(await ada.get(id)).toMatchObject({ status: "sync_failed", content: "The old lynx." });
    await ada.upload(folder, "a.txt", "The new serval.", "&overwrite=true");
    await server.settle();
    expect(await ada.get(id)).toMatchObject({ status: "synced", version: 3, error: null, content: "The new serval." });
    expect(await words(folder, "lynx", "serval")).toEqual([0, 1]);
    await expectSound(server);
  });

  test("a further overwrite replaces the one in work", async () => {
    const { folder, id } = await answering("The old yak.");
    const stuck = (await ada.upload(folder, "a.txt", "#!wait never\nThe stuck zebu.", "&overwrite=true")).body;
    await until(async () => (await ada.get(id)).indexing.stage === "extracting");
    await ada.upload(folder, "a.txt", "The new gaur.", "&overwrite=true");
    await server.settle();
    expect(await ada.get(id)).toMatchObject({ status: "synced", version: 3, content: "The new gaur." });
    expect(await words(folder, "yak", "zebu", "gaur")).toEqual([0, 0, 1]);
    await until(() => !filesOf(server.data).includes(stuck.sha256));
    await expectSound(server);
  });

  test("the same bytes again are a version again", async () => {
    const { folder, id } = await answering("The same.");
    expect((await ada.upload(folder, "a.txt", "The same.", "&overwrite=true")).body).toMatchObject({ id, version: 2 });
    await server.settle();
    expect(await ada.get(id)).toMatchObject({ status: "synced", content: "The same." });
    await expectSound(server);
  });

  test("two documents with the same bytes keep the file for each other", async () => {
    const { folder, id } = await answering("Shared bytes.");
    const twin = (await ada.upload(await ada.folder(), "b.txt", "Shared bytes.")).body.id;
    await ada.upload(folder, "a.txt", "Other bytes.", "&overwrite=true");
    await server.settle();
    expect((await file(twin)).text).toBe("Shared bytes.");
    expect((await file(id)).text).toBe("Other bytes.");
  });

  test("a text becomes an upload, the newest of that name", async () => {
    const folder = await ada.folder();
    const older = (await ada.text(folder, "The older text.", "a.txt")).id;
    const newer = (await ada.text(folder, "The newer text.", "a.txt")).id;
    await server.settle();
    const answer = await ada.upload(folder, "a.txt", "The upload.", "&overwrite=true");
    expect([answer.status, answer.body]).toEqual([200, expect.objectContaining({ id: newer, version: 2, source: { kind: "upload", uri: null, run_id: null } })]);
    await server.settle();
    expect((await ada.get(older)).content).toBe("The older text.");
    expect((await ada.get(newer)).content).toBe("The upload.");
    expect((await ada.send("PATCH", `/documents/${older}`, { name: "b.txt" })).status).toBe(200);
    expect((await ada.send("PATCH", `/documents/${older}`, { name: "a.txt" })).status).toBe(409);
  });

  test("a text that is newer than an upload of its name is the one that is replaced", async () => {
    const folder = await ada.folder();
    const upload = (await ada.upload(folder, "a.txt", "The upload.")).body.id;
    const text = (await ada.text(folder, "The text.", "a.txt")).id;
    const elsewhere = await ada.folder();
    await ada.send("POST", `/documents/${text}/links`, { folder_id: elsewhere });
    expect((await ada.upload(folder, "a.txt", "The next.", "&overwrite=true")).body).toMatchObject({ id: text, version: 2 });
    await server.settle();
    expect([(await ada.get(upload)).content, (await ada.get(text)).content]).toEqual(["The upload.", "The next."]);
    expect((await ada.upload(elsewhere, "a.txt", "x")).status).toBe(409);
    await expectSound(server);
  });

  test("it counts in every folder that holds the document", async () => {
    const { folder, id } = await answering("Words.");
    const other = await ada.folder();
    await ada.send("POST", `/documents/${id}/links`, { folder_id: other });
    await ada.upload(other, "a.txt", "#!wait counted\nMore words.", "&overwrite=true");
    for (const one of [folder, other]) expect((await ada.send("GET", `/folders/${one}`)).body.status_counts).toEqual({ syncing: 1, synced: 0, sync_failed: 0 });
    scripted.open("counted");
    await server.settle();
    for (const one of [folder, other]) expect((await ada.send("GET", `/folders/${one}`)).body.status_counts).toEqual({ syncing: 0, synced: 1, sync_failed: 0 });
  });
});

describe("a file without text", () => {
  const codes = ["unsupported_type", "too_large", "encrypted", "corrupt", "empty", "timeout", "out_of_memory", "extract_failed"];
  for (const code of codes) {
    test(`${code} ends at once, and the original can be fetched`, async () => {
      const bytes = `#!fail ${code}\n`;
      const { id } = (await ada.upload(await ada.folder(), "a.bin", bytes)).body;
      await server.settle();
      expect(await ada.get(id)).toMatchObject({ status: "sync_failed", error: { code, message: `It says ${code}.` }, content: "", indexing: { attempts: 1 }, synced_at: null });
      expect((await file(id)).text).toBe(bytes);
    });
  }
  test("read as blank it is empty", async () => {
    const { id } = (await ada.upload(await ada.folder(), "a.bin", "#!read\n \n")).body;
    await server.settle();
    expect(await ada.get(id)).toMatchObject({ status: "sync_failed", error: { code: "empty" } });
  });
  test("a reader that fails without a reason is tried three times, syncing all the while", async () => {
    const folder = await ada.folder();
    const before = scripted.runs();
    const { id } = (await ada.upload(folder, "a.bin", "#!throw\n")).body;
    for (const attempt of [1, 2]) {
      await until(async () => (await ada.get(id)).indexing.attempts === attempt);
      expect(await status(id)).toBe("syncing");
      await until(async () => (await server.store.db.updateTable("core_jobs").set({ run_at: Date.now() }).where("subject", "=", id).where("state", "=", "ready").returning("id").execute()).length > 0);
    }
    await server.settle();
    expect(await ada.get(id)).toMatchObject({ status: "sync_failed", error: { code: "extract_failed" }, indexing: { attempts: 3 } });
    expect(scripted.runs() - before).toBe(3);
    await expectSound(server);
  });
  test("warnings of the reader are in the record", async () => {
    const { id } = (await ada.upload(await ada.folder(), "a.bin", "#!warn\nWords.")).body;
    await server.settle();
    expect((await ada.get(id)).warnings).toEqual([{ code: "odd", message: "Something is odd.", page: 1 }]);
  });
});

test("a folder is deleted while its file is being read", async () => {
  const folder = await ada.folder();
  const { id } = (await ada.upload(folder, "a.bin", "#!wait deleted\nWords.")).body;
  await until(async () => (await ada.get(id)).indexing.stage === "extracting");
  expect((await ada.send("DELETE", `/folders/${folder}`)).status).toBe(204);
  expect((await ada.send("GET", `/documents/${id}`)).status).toBe(404);
  await server.settle();
  await expectSound(server);
});

describe("sending the original back", () => {
  let id: string;
  const bytes = "0123456789";
  const name = "Ünï \"quoted\" (1)'s 50%.txt";
  beforeAll(async () => {
    ({ id } = (await ada.upload(await ada.folder(), name, bytes)).body);
    await server.settle();
  });
  test("with its type and name, never as a page of ours", async () => {
    const { status, text, headers } = await file(id);
    expect([status, text]).toEqual([200, bytes]);
    expect(headers.get("content-type")).toMatch(/^text\/plain/);
    expect(headers.get("content-disposition")).toBe("attachment; filename=\"Uni _quoted_ (1)'s 50_.txt\"; filename*=UTF-8''%C3%9Cn%C3%AF%20%22quoted%22%20%281%29%27s%2050%25.txt");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect([headers.get("accept-ranges"), headers.get("content-length")]).toEqual(["bytes", "10"]);
    expect(headers.get("etag")).toBe(`"${new Bun.CryptoHasher("sha256").update(bytes).digest("hex")}"`);
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
      expect([answer.status, answer.headers.get("content-range")]).toEqual([expected, content_range]);
      if (expected !== 416) expect(answer.text).toBe(text);
      else expect(answer.body).toMatchObject({ code: "range_not_satisfiable" });
    });
  }
  test("what the client has is not sent again; a range of something else is not sent", async () => {
    const etag = (await file(id)).headers.get("etag")!;
    expect([(await file(id, { "if-none-match": etag })).status, (await file(id, { "if-none-match": "\"x\"" })).status]).toEqual([304, 200]);
    expect([(await file(id, { range: "bytes=0-1", "if-range": etag })).status, (await file(id, { range: "bytes=0-1", "if-range": "\"x\"" })).status]).toEqual([206, 200]);
  });
  test("HEAD is the same without the bytes", async () => {
    const { status, text, headers } = await file(id, {}, "HEAD");
    expect([status, text, headers.get("accept-ranges")]).toEqual([200, "", "bytes"]);
  });
  test("while the first version is in work, its own bytes", async () => {
    const { id: waiting } = (await ada.upload(await ada.folder(), "a.bin", "#!wait first\nWords.")).body;
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

describe("who may upload where", () => {
  const cases: [string, () => Promise<string>, number][] = [
    ["without a folder", async () => "", 400], ["with an empty folder", async () => "?folder_id=", 400], ["a folder that does not exist", async () => "?folder_id=fld_none", 404],
    ["another user's folder", async () => `?folder_id=${await bob.folder()}`, 403], ["an odd flag", async () => `?folder_id=${await ada.folder()}&overwrite=yes`, 400],
  ];
  for (const [why, query, expected] of cases) {
    test(`${why}: ${expected}`, async () => expect((await server.sendRaw("ada", "POST", `/documents/file${await query()}`, form("a.txt", "x"))).status).toBe(expected));
  }
});

test("after all of this, everything that is counted is what counting it gives", async () => {
  await server.settle();
  await expectSound(server);
});
