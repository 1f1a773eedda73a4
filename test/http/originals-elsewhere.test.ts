/** Originals in a bucket or a shared directory, and everything done with them. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { S3Place } from "../../core/store/objects/s3-place";
import { filesPlaceOf } from "../../core/store/objects/files-url";
import { Doctors } from "../../plugins/doctor/contract";
import { Metrics } from "../../plugins/metrics/contract";
import { onSqlite } from "../helpers/databases";
import { temporaryDirectory } from "../helpers/data-directory";
import { startTestServer } from "../helpers/host";
import { key_of_store, startObjectStore, type ObjectStore } from "../helpers/object-store";
import { until } from "../helpers/server";

const text = (words: string) => new Blob([words]);
const sha256 = async (bytes: Blob) =>
  new Bun.CryptoHasher("sha256").update(await bytes.bytes()).digest("hex");
/** Large enough for several parts and pieces. */
const large = new Blob([new Uint8Array(9 * 2 ** 20 + 5).map((_none, at) => (at * 31) >> 3)]);
const objectOf = async (bytes: Blob) => {
  const hash = await sha256(bytes);
  return `${hash.slice(0, 2)}/${hash}`;
};

let store: ObjectStore;
beforeAll(async () => {
  store = await startObjectStore();
});
afterAll(() => store?.[Symbol.asyncDispose]());
beforeEach(() => {
  store.door = "open";
  store.requests.length = 0;
});

async function startWith(env: Readonly<Record<string, string>>) {
  const server = await startTestServer({ env: { DOSSIER_FILES_KEEP_DELETED: "0s", ...env } });
  const folder = async () => (await server.send("ada", "POST", "/folders", { name: "F" })).body.id;
  const upload = (folder_id: string, name: string, bytes: Blob) => {
    const form = new FormData();
    form.append("file", bytes, name);
    return server.send("ada", "POST", `/documents/file?folder_id=${folder_id}`, form);
  };
  const original = (id: string, headers = {}) =>
    server.call("ada", "GET", `/documents/${id}/file`, undefined, headers);
  const settled = async (id: string, status: string) =>
    until(async () => (await server.send("ada", "GET", `/documents/${id}`)).body.status === status);
  return { server, folder, upload, original, settled };
}
type Started = Awaited<ReturnType<typeof startWith>>;

describe.each(["a bucket", "a shared directory"])("originals in %s", (place) => {
  let on: Started;
  let directory: string;
  beforeAll(async () => {
    directory = temporaryDirectory();
    on = await startWith(
      place === "a bucket" ? store.env : { DOSSIER_FILES_URL: `file://${directory}` },
    );
    if (place !== "a bucket") await on.server.files.check();
  });
  afterAll(() => on?.server.stop());
  const stored = async () =>
    place === "a bucket"
      ? store.keys()
      : (readdirSync(directory, { recursive: true }) as string[]).filter((name) =>
          /^..\/.{64}$/.test(name),
        );

  test("are stored under their hash, read, and served whole and by range", async () => {
    const { body } = await on.upload(await on.folder(), "otter.txt", text("The otter sleeps."));
    await on.settled(body.id, "synced");
    expect(await stored()).toContain(await objectOf(text("The otter sleeps.")));
    expect(readdirSync(join(on.server.data, "tmp"), { recursive: true })).not.toContain("files");
    expect(await (await on.original(body.id)).text()).toBe("The otter sleeps.");
    const part = await on.original(body.id, { range: "bytes=4-8" });
    expect([part.status, part.headers.get("content-range"), await part.text()]).toEqual([
      206,
      "bytes 4-8/17",
      "otter",
    ]);
    expect((await on.original(body.id, { range: "bytes=40-" })).status).toBe(416);
  });

  test("can be large: transferred in parts, and a range request reads only the range", async () => {
    const { body } = await on.upload(await on.folder(), "large.bin", large);
    expect(await sha256(await (await on.original(body.id)).blob())).toBe(await sha256(large));
    store.requests.length = 0;
    const part = await on.original(body.id, { range: "bytes=9000000-9000009" });
    expect(await part.bytes()).toEqual(await large.slice(9_000_000, 9_000_010).bytes());
    if (place === "a bucket")
      expect(store.requests.flatMap(({ range }) => range ?? [])).toEqual(["bytes=9000000-9000009"]);
  });

  test("with the same bytes are stored once, and deleted with their last use", async () => {
    const bytes = text("The heron stands.");
    const object = await objectOf(bytes);
    const folders = [await on.folder(), await on.folder()];
    const { body } = await on.upload(folders[0]!, "a.txt", bytes);
    await on.settled(body.id, "synced");
    store.requests.length = 0;
    await on.settled((await on.upload(folders[1]!, "b.txt", bytes)).body.id, "synced");
    expect(store.requests.filter(({ method }) => method === "PUT")).toEqual([]);
    await on.server.send("ada", "DELETE", `/folders/${folders[0]}`);
    await on.server.settle();
    expect(await stored()).toContain(object);
    await on.server.send("ada", "DELETE", `/folders/${folders[1]}`);
    await until(async () => !(await stored()).includes(object));
  });

  test("can be downloaded as a ZIP, and exported and imported as an archive", async () => {
    const folder_id = await on.folder();
    for (const name of ["one.txt", "two.txt"])
      await on.settled(
        (await on.upload(folder_id, name, text(`${name}: a text.`))).body.id,
        "synced",
      );
    const zip = await on.server.call("ada", "GET", `/folders/${folder_id}/documents.zip`);
    expect([zip.status, Buffer.from(await zip.bytes()).toString("latin1")]).toEqual([
      200,
      expect.stringMatching(/one\.txt[^]*two\.txt/),
    ]);
    const archive = await (
      await on.server.call("ada", "GET", `/folders/${folder_id}/export`)
    ).blob();
    const form = new FormData();
    form.append("file", archive, "archive.zip");
    const begun = await on.server.send("ada", "POST", "/folders/import", form);
    expect(begun.status).toBe(202);
    await on.server.settle();
    const ended = await on.server.send("ada", "GET", `/folder-imports/${begun.body.id}`);
    expect(ended.body).toMatchObject({ status: "completed" });
  });

  test("are checked: a missing or damaged one is reported, and a leftover one is deleted", async () => {
    await on.server.settle();
    const looked = async (name: string) => {
      const [doctor] = on.server.host.slot(Doctors);
      const deep = () => undefined;
      for await (const check of doctor!.examine({ deep })) if (check.name === name) return check;
    };
    const { body } = await on.upload(await on.folder(), "lost.txt", text("Soon lost."));
    await on.settled(body.id, "synced");
    expect(await looked("Storage of originals")).toMatchObject({ status: "ok" });
    expect(await looked("Originals")).toMatchObject({ status: "ok" });
    const left = text("Left over.");
    const object = await objectOf(left);
    if (place === "a bucket") await store.bucket.write(object, left);
    else await Bun.write(join(directory, object), left);
    expect(await looked("Originals")).toMatchObject({
      status: "warn",
      detail: expect.stringContaining("1 original belongs to no document"),
    });
    await on.server.host.slot(Doctors)[0]!.mend("originals");
    expect(await stored()).not.toContain(object);
    const lost = await objectOf(text("Soon lost."));
    if (place === "a bucket") await store.bucket.write(lost, "Soon last.");
    else await Bun.write(join(directory, lost), "Soon last.");
    expect(await looked("Originals")).toMatchObject({
      status: "fail",
      detail: expect.stringContaining("are damaged or can't be read"),
    });
    if (place === "a bucket") await store.bucket.delete(lost);
    else renameSync(join(directory, lost), join(temporaryDirectory(), "lost"));
    expect(await looked("Originals")).toMatchObject({
      status: "fail",
      detail: expect.stringContaining(body.id),
    });
    await on.server.send("ada", "DELETE", `/documents/${body.id}`);
  });
});

describe("a bucket that does not respond", () => {
  let on: Started;
  beforeAll(async () => {
    on = await startWith({
      ...store.env,
      DOSSIER_FILES_CACHE: "0",
      DOSSIER_FILES_TIMEOUT: "200ms",
    });
  });
  afterAll(() => on?.server.stop());
  const health = async () => (await on.server.send(null, "GET", "/health")).body;
  // On a busy machine a bucket that works may exceed the limit, too: then it is tried again.
  const stored = async (folder_id: string, name: string, bytes: Blob): Promise<{ id: string }> => {
    for (;;) {
      const { status, body } = await on.upload(folder_id, name, bytes);
      if (status === 201) return body;
    }
  };
  const recovered = () => until(async () => (await health()).status === "ok");

  test("makes uploads and reads fail with 503 and Retry-After, and keeps nothing", async () => {
    const folder_id = await on.folder();
    const before = await stored(folder_id, "before.txt", text("Before."));
    await on.settled(before.id, "synced");
    await recovered();
    for (const door of ["shut", "slow"] as const) {
      store.door = door;
      const refused = await on.upload(folder_id, "during.txt", text(`While it is ${door}.`));
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "30"]);
      expect(refused.body.detail).toContain("is not responding at the moment");
      expect((await on.original(before.id)).status).toBe(503);
      expect(await health()).toMatchObject({
        status: "degraded",
        storage: expect.stringContaining("s3://originals at 127.0.0.1"),
      });
    }
    store.door = "open";
    const { data } = (await on.server.send("ada", "GET", `/documents?folder_id=${folder_id}`)).body;
    expect(data.map(({ name }: any) => name)).toEqual(["before.txt"]);
    const after = await stored(folder_id, "during.txt", text("While it is shut."));
    // The job that reads it would otherwise take the next test's first failure.
    await on.settled(after.id, "synced");
    await recovered();
    await until(async () => (await (await on.original(before.id)).text()) === "Before.");
    const metrics = new Map(
      on.server.host.slot(Metrics).map(({ name, read }) => [name, read] as const),
    );
    await until(async () => (await metrics.get("dossier_originals_reachable")!()) === 1);
    expect(await metrics.get("dossier_originals_requests_total")!()).toContainEqual({
      labels: { operation: "head", outcome: "failed" },
      value: expect.any(Number),
    });
  });

  const outages: [why: string, status: number, text: string][] = [
    ["the bucket is down", 503, "It is read when that is up again."],
    ["the bucket is missing", 404, "It is read when that is there again."],
  ];
  for (const [why, status, content] of outages)
    test(`makes jobs wait while ${why}: the document is read afterwards`, async () => {
      let request_count = 0;
      store.door = (method) => {
        if (request_count === 0 && method !== "GET") return undefined;
        request_count++;
        return Promise.resolve(new Response(null, { status }));
      };
      const { id } = await stored(await on.folder(), "later.txt", text(content));
      await until(() => request_count >= 6, 30_000);
      store.door = "open";
      await on.settled(id, "synced");
    });
});

describe("uploads and deletions of the same bytes, in two processes", () => {
  let on: Started;
  beforeAll(async () => {
    on = await startWith(store.env);
  });
  afterAll(() => on?.server.stop());
  const receive = (bytes: Blob) => on.server.files.receive(bytes.stream(), { bytes_max: 1_000 });
  const nobody = async () => false;

  test("an upload waits for a deletion in progress, and then stores its bytes again", async () => {
    const bytes = text("Back and forth.");
    const object = await objectOf(bytes);
    const first = await receive(bytes);
    await first.keep();
    await first.release();
    const deleting = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<undefined>();
    store.door = (method) => {
      if (method !== "DELETE") return undefined;
      deleting.resolve();
      return gate.promise;
    };
    const removal = on.server.files.remove([first.sha256], nobody);
    await deleting.promise;
    const second = await receive(bytes);
    let is_kept = false;
    const keeping = second.keep().then(() => (is_kept = true));
    await Bun.sleep(50);
    expect(is_kept).toBe(false);
    gate.resolve(undefined);
    await Promise.all([removal, keeping]);
    expect(await store.keys()).toContain(object);
    await second.release();
    await on.server.files.remove([first.sha256], nobody);
    expect(await store.keys()).not.toContain(object);
  });

  test("bytes held by an upload are kept until it releases them", async () => {
    const bytes = text("Held.");
    const received = await receive(bytes);
    await received.keep();
    await on.server.files.remove([received.sha256], nobody);
    expect(await store.keys()).toContain(await objectOf(bytes));
    await received.release();
    await on.server.files.remove([received.sha256], nobody);
    expect(await store.keys()).not.toContain(await objectOf(bytes));
  });

  // On other databases other processes may be alive, so it is deleted after a long silence.
  onSqlite("alone").test("an interrupted upload is deleted at the next start", async () => {
    const bytes = text("Cut off.");
    const received = await receive(bytes);
    await received.keep();
    await on.server.files.sweep(nobody, async () => new Set());
    expect(await store.keys()).not.toContain(await objectOf(bytes));
    await received.release();
  });

  test("with many at once, all used bytes are kept and all others deleted", async () => {
    const used = new Set<string>();
    const isUsed = async (hash: string) => used.has(hash);
    const contents = ["one", "two", "three"].map((word) => text(`Race ${word}.`));
    await Promise.all(
      Array.from({ length: 30 }, async (_none, n) => {
        const received = await receive(contents[n % 3]!);
        try {
          await received.keep();
          if (n % 2 === 0) used.add(received.sha256);
        } finally {
          await received.release();
        }
        if (n % 5 === 0) used.delete(received.sha256);
        await on.server.files.remove([received.sha256], isUsed);
      }),
    );
    const hashes = await Promise.all(contents.map(sha256));
    await on.server.files.remove(hashes, isUsed);
    const there = (await store.keys()).map((key) => key.slice(3));
    expect(hashes.filter((hash) => used.has(hash) !== there.includes(hash))).toEqual([]);
  });
});

describe("errors of a bucket", () => {
  const place = (url: string, more: object = {}, timeout_ms = 60_000) => {
    const found = filesPlaceOf({ url, ...key_of_store, ...more }, {});
    if (found.kind !== "bucket") throw new Error("it is a bucket");
    return new S3Place({ ...found, timeout_ms, now_ms: () => Date.now() });
  };
  const here = () => store.env.DOSSIER_FILES_URL!;
  test.each<[why: string, may: boolean, requests: number]>([
    ["is retried while permitted", true, 3],
    ["is not retried by a process that may no longer delete the file", false, 1],
  ])("a failed deletion %s", async (_why, may, requests) => {
    let request_count = 0;
    store.door = async () => {
      request_count++;
      return new Response("down", { status: 503 });
    };
    const deleting = place(here()).remove(await sha256(text("Deleted.")), () => may);
    await deleting.catch(() => undefined);
    expect(request_count).toBe(requests);
  });
  const xml =
    (status: number, code: string, headers = {}) =>
    () =>
      Promise.resolve(new Response(`<Error><Code>${code}</Code></Error>`, { status, headers }));
  test.each<
    [what: string, url: () => string, more: object, door: ObjectStore["door"], said: RegExp]
  >([
    ["a wrong secret", here, { secret_key: "x" }, "open", /Correct files\.secret_key/],
    ["a wrong key", here, { access_key: "x" }, "open", /Correct files\.access_key/],
    ["a missing bucket", () => here().replace("originals", "other"), {}, "open", /no bucket other/],
    ["no server", () => "s3://a-b?endpoint=http://127.0.0.1:9", {}, "open", /can't be reached/],
    [
      "a wrong clock",
      here,
      {},
      xml(403, "RequestTimeTooSkewed", { date: "Thu, 01 Jan 2026 00:00:00 GMT" }),
      /clocks .* differ too much \(this one is \d+ s ahead\)/,
    ],
    ["permission", here, {}, xml(403, "AccessDenied"), /may not do this .*s3:PutObject/],
    ["region", here, {}, xml(301, "PermanentRedirect"), /another region/],
    ["a full bucket", here, {}, xml(507, "XMinioStorageFull"), /Give it more space/],
    [
      "no S3",
      here,
      {},
      () => Promise.resolve(new Response("hello")),
      /other bytes than were stored/,
    ],
  ])("%s", async (_what, url, more, door, message) => {
    store.door = door;
    await expect(place(url(), more).probe()).rejects.toThrow(message);
  });
  test("it hangs", async () => {
    store.door = "slow";
    const expected = /did not respond within 0\.5 s/;
    await expect(place(here(), {}, 500).probe()).rejects.toThrow(expected);
  });

  test("a directory on an unmounted volume refuses uploads", async () => {
    const directory = temporaryDirectory();
    const on = await startWith({ DOSSIER_FILES_URL: `file://${directory}/volume` });
    await expect(on.server.files.check()).rejects.toThrow(/does not exist\. Create it, or mount/);
    mkdirSync(join(directory, "volume"));
    const refused = await on.upload(await on.folder(), "a.txt", text("A."));
    expect(refused.status).toBe(503);
    await on.server.files.check();
    expect((await on.upload(await on.folder(), "a.txt", text("A."))).status).toBe(201);
    await on.server.stop();
  });
});
