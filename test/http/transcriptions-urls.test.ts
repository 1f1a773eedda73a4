/** Transcriptions of recordings fetched from a URL. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { startTestServer, type TestServer } from "../helpers/host";
import { captions, createEngine, recordingOf } from "../helpers/recordings";

setDefaultTimeout(30_000);

const engine = createEngine();
let server: TestServer;
let folder: string;

beforeAll(async () => {
  server = await startTestServer({
    env: {
      DOSSIER_TRANSCRIPTION_PROVIDER: "command",
      DOSSIER_TRANSCRIPTION_COMMAND: engine.command,
      DOSSIER_IMPORTS_ALLOW_NETWORKS: "127.0.0.0/8",
    },
  });
  folder = (await server.send("ada", "POST", "/folders", { name: "Recordings" })).body.id;
});

const runOf = async (id: string) => (await server.send("ada", "GET", `/transcriptions/${id}`)).body;

describe("from a URL", () => {
  const bytes = recordingOf("vtt", 3);
  const web = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === "/talk%20one.wav") return new Response(bytes);
      if (pathname === "/moved") return Response.redirect("/talk%20one.wav");
      if (pathname === "/inward") return Response.redirect("http://10.9.9.9/x");
      if (pathname === "/circle") return Response.redirect("/circle");
      if (pathname === "/captions")
        return new Response(captions, { headers: { "content-type": "application/octet-stream" } });
      if (pathname === "/page")
        return new Response("<html>", { headers: { "content-type": "audio/mpeg" } });
      return new Response("no", { status: 404 });
    },
  });
  afterAll(() => web.stop(true));
  const fetched = async (path: string) => {
    const { status, body } = await server.send("ada", "POST", "/transcriptions", {
      folder_id: folder,
      url: path.startsWith("http") ? path : `http://127.0.0.1:${web.port}${path}`,
    });
    expect(status).toBe(202);
    await server.settle();
    return runOf(body.id);
  };

  test("a recording is fetched, also through a redirect, and named after the address", async () => {
    for (const [path, name] of [
      ["/talk%20one.wav", "talk one.wav"],
      ["/moved", "moved"],
    ] as const) {
      const run = await fetched(path);
      expect(run).toMatchObject({ status: "completed", duration_s: 3 });
      expect((await server.send("ada", "GET", `/documents/${run.document_id}`)).body).toMatchObject(
        {
          name,
          media_type: "audio/wav",
          source: {
            kind: "transcription",
            uri: `http://127.0.0.1:${web.port}${path}`,
            run_id: run.id,
          },
        },
      );
    }
  });
  test("captions are recognized by their content", async () =>
    expect(await fetched("/captions")).toMatchObject({ status: "completed", duration_s: 22.25 }));

  const bad: [why: string, path: string, code: string, words: RegExp][] = [
    ["a missing page is refused", "/nothing", "unreachable", /404/],
    ["a page declared as audio is refused", "/page", "unsupported_type", /neither/],
    ["a redirect to a private address is refused", "/inward", "refused_address", /not public/],
    ["an endless redirect is refused", "/circle", "unreachable", /redirects more than/],
    ["a private address is refused", "http://10.9.9.9/x.mp3", "refused_address", /not public/],
  ];
  for (const [why, path, code, words] of bad)
    test(why, async () =>
      expect(await fetched(path)).toMatchObject({
        status: "failed",
        document_id: null,
        error: { code, message: expect.stringMatching(words) },
      }),
    );
});

test("a folder of null in the JSON means that of the query, as without one", async () => {
  const body = { folder_id: null, url: "http://10.9.9.9/x.mp3" };
  const answers = await Promise.all(
    [`?folder_id=${folder}`, ""].map((query) =>
      server.send("ada", "POST", `/transcriptions${query}`, body),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual([202, 400]);
  expect(answers[0]!.body.folder_id).toBe(folder);
});

test("nothing is fetched for a document over the quota", async () => {
  const small = await startTestServer({ env: { DOSSIER_QUOTAS_DOCUMENTS: "1" } });
  const {
    body: { id: folder_id },
  } = await small.send("ada", "POST", "/folders", { name: "A" });
  await small.send("ada", "POST", "/documents", { folder_id, content: "The only one." });
  const { status, body } = await small.send("ada", "POST", "/transcriptions", {
    folder_id,
    url: "https://media.example.com/a.mp3",
  });
  expect([
    status,
    body.code,
    (await small.send("ada", "GET", "/transcriptions")).body.pagination.total,
  ]).toEqual([403, "quota_exceeded", 0]);
  await small.stop();
});
