/** The plugin of examples/s3-source in the built executable, against s3rver. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { startExampleSource, type ExampleSource } from "../helpers/example-source";
import { temporaryDirectory } from "../helpers/data-directory";

setDefaultTimeout(120_000);

/** It has no types of its own. */
const S3rver = require("@20minutes/s3rver");
const secret = "S3RVER";

let example: ExampleSource;
let server: any;
let endpoint: string;
let bucket: Bun.S3Client;
/** Paths of the objects read. */
let read: string[] = [];
beforeAll(async () => {
  server = new S3rver({
    address: "127.0.0.1",
    port: 0,
    silent: true,
    directory: temporaryDirectory(),
    configureBuckets: [{ name: "reports" }, { name: "many" }],
  });
  // Nothing is logged, and its own formatter would load an incompatible package here.
  server.logger.format = { transform: (line: object) => line };
  server.middleware.unshift((ctx: any, next: () => Promise<void>) => {
    if (ctx.method === "GET" && !("list-type" in ctx.query))
      read.push(decodeURIComponent(ctx.path));
    return next();
  });
  endpoint = `http://127.0.0.1:${(await server.run()).port}`;
  bucket = new Bun.S3Client({
    endpoint,
    bucket: "reports",
    region: "us-east-1",
    accessKeyId: "S3RVER",
    secretAccessKey: secret,
  });
  await bucket.write("2026/otters = co/März (1).txt", "The otter sleeps in the reeds.");
  await bucket.write("2026/otters = co/deep/er.txt", "The otter's den is deeper.");
  await bucket.write("2026/herons+carp.txt", "The heron stands in the water.");
  await bucket.write("2025/old.txt", "Before.");
  example = await startExampleSource("s3-source");
});
afterAll(async () => {
  await example?.[Symbol.asyncDispose]();
  await server?.close();
});

const source = (more: object = {}) => ({
  type: "s3",
  endpoint,
  bucket: "reports",
  prefix: "2026/",
  access_key_id: "S3RVER",
  secret_access_key: secret,
  ...more,
});

describe("a bucket", () => {
  test("becomes documents, also with unusual keys", async () => {
    const { run, texts } = await example.run(source());
    expect([run.status, run.total_item_count]).toEqual(["completed", 3]);
    expect(texts).toEqual([
      ["herons+carp.txt", "The heron stands in the water."],
      ["otters = co/März (1).txt", "The otter sleeps in the reeds."],
      ["otters = co/deep/er.txt", "The otter's den is deeper."],
    ]);
    expect(JSON.stringify(run)).not.toContain(`"${secret}"}`);
    expect(run.source.secret_access_key).toEqual({ set: true });
    expect(read).toHaveLength(3);
  });

  test("rereads only objects with a changed entity tag and removes missing ones", async () => {
    read = [];
    await bucket.write("2026/herons+carp.txt", "The heron has flown.");
    await bucket.delete("2026/otters = co/deep/er.txt");
    const { run, texts } = await example.run(source(), { gone: "remove" });
    expect([run.status, run.gone_item_count]).toEqual(["completed", 1]);
    expect(texts).toEqual([
      ["herons+carp.txt", "The heron has flown."],
      ["otters = co/März (1).txt", "The otter sleeps in the reeds."],
    ]);
    expect(read).toEqual(["/reports/2026/herons+carp.txt"]);
  });

  test("can be listed by a dry run without reading objects", async () => {
    read = [];
    const { body } = await example.dossier.api("POST", "/imports", {
      folder_id: example.folder_id,
      source: source({ prefix: "2025/" }),
      dry_run: true,
    });
    expect(body.items).toMatchObject([
      { uri: `${endpoint}/reports/2025/old.txt`, name: "old.txt" },
    ]);
    expect(read).toEqual([]);
  });
});

test("a list of 100,000 objects in S3's own encoding is read page by page", async () => {
  const tokens: (string | null)[] = [];
  const tokenOf = (page: number) => (page === 100 ? null : `a/b+${page}=`);
  using service = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const { pathname, searchParams } = new URL(request.url);
      if (pathname !== "/big") return new Response("The last of them.");
      const token = searchParams.get("continuation-token");
      tokens.push(token);
      const next = tokenOf(tokens.length);
      // Keys that end with / are folder markers, not documents.
      const keys = Array.from({ length: 1_000 }, (_none, n) => `f${tokens.length}-${n}/`);
      if (next === null) keys.push("R%26D%3A+50%25+%2B+%3Cb%3E.txt");
      return new Response(
        `<?xml version="1.0"?>\n<ListBucketResult xmlns="…"><EncodingType>url</EncodingType>` +
          keys
            .map(
              (key) =>
                `<Contents><Key>${key}</Key><ETag>&quot;e&quot;</ETag><Size>5</Size></Contents>`,
            )
            .join("") +
          `<IsTruncated>${next !== null}</IsTruncated>` +
          `${next === null ? "" : `<NextContinuationToken>${next}</NextContinuationToken>`}` +
          "</ListBucketResult>",
      );
    },
  });
  const { run, items } = await example.run(
    source({ endpoint: `http://127.0.0.1:${service.port}`, bucket: "big", prefix: undefined }),
  );
  expect([run.status, items.map(({ uri }) => new URL(uri).pathname)]).toEqual([
    "completed",
    ["/big/R%26D%3A%2050%25%20%2B%20%3Cb%3E.txt"],
  ]);
  expect(tokens).toEqual([null, ...Array.from({ length: 99 }, (_none, n) => tokenOf(n + 1))]);
});

describe("errors are explained with a remedy", () => {
  const at = (port: number, scheme = "http") => ({ endpoint: `${scheme}://127.0.0.1:${port}` });
  const cases: [
    reason: string,
    more: () => object | Promise<object>,
    code: string,
    said: RegExp,
  ][] = [
    [
      "a wrong secret",
      () => ({ secret_access_key: "wrong" }),
      "credentials_refused",
      /Correct .*secret_/,
    ],
    [
      "an unknown key",
      () => ({ access_key_id: "nobody" }),
      "credentials_refused",
      /Correct access_key_id/,
    ],
    ["no bucket", () => ({ bucket: "nothing" }), "unreadable", /has no bucket nothing\. Correct/],
    [
      "a different service",
      async () => at(await example.badService("is another")),
      "unreadable",
      /responds, but not as S3 would\. Correct the endpoint\.$/,
    ],
    [
      "an unreachable service",
      async () => at(await example.badService("is gone")),
      "unreachable",
      /could not be reached/,
    ],
    [
      "an untrusted certificate",
      async () => at(await example.badService("has a bad certificate"), "https"),
      "certificate_refused",
      /certificate .* was not accepted .*NODE_EXTRA_CA_CERTS/,
    ],
    [
      "a private address",
      () => ({ endpoint: endpoint.replace("127.0.0.1", "127.0.0.2") }),
      "address_refused",
      /Only public hosts/,
    ],
    [
      "a service that hangs",
      async () => at(await example.badService("hangs")),
      "timeout",
      /took longer than 1 s/,
    ],
  ];
  test.each(cases)("%s", async (_reason, more, code, message) => {
    const { run } = await example.run(source(await more()));
    expect([run.status, run.error.code]).toEqual(["failed", code]);
    expect(run.error.message).toMatch(message);
    expect(run.error.message).not.toContain(secret);
  });

  test("before the import starts, if no request is needed", async () => {
    const { status, body } = await example.dossier.api("POST", "/imports", {
      folder_id: example.folder_id,
      source: source({ endpoint: "s3.example.com" }),
    });
    expect([status, body.errors[0].pointer]).toEqual([400, "/source/endpoint"]);
  });

  test("the secret is never stored or logged in plain text", async () => {
    const shown = source({ secret_access_key: "aVeryOwnSecret" });
    await example.run(shown);
    const files = [...new Bun.Glob("**/*").scanSync({ cwd: example.dossier.data, dot: true })];
    for (const file of files) {
      const bytes = await Bun.file(`${example.dossier.data}/${file}`).bytes();
      expect([file, Buffer.from(bytes).includes("aVeryOwnSecret")]).toEqual([file, false]);
    }
    expect(example.dossier.output()).not.toContain("aVeryOwnSecret");
  });
});
