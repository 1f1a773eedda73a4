/**
 * Hooks that are asked before something happens: what they see, how a refusal reaches the client
 * on every route of a document, folder or question, and what happens when they fail.
 * they fail.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import virusScan from "../../examples/virus-scan/plugin";
import { definePlugin, fill, HttpError, refused, t, type BeforeHook } from "../../core/sdk";
import { BeforeQuestion, type AskedQuestion } from "../../plugins/chats/contract";
import { BeforeDocumentIntake, type DocumentIntake } from "../../plugins/documents/contract";
import { BeforeFolderCreate, type FolderCreation } from "../../plugins/folders/contract";
import { ImportSources, type ImportSource } from "../../plugins/imports/contract";
import { startClamd, virus, type Clamd } from "../helpers/clamd";
import { placesWith } from "../helpers/databases";
import { expectSound } from "../helpers/documents";
import { form } from "../helpers/forms";
import { startTestServer, type TestServer } from "../helpers/host";
import { person, type Person } from "../helpers/person";
import { captions } from "../helpers/recordings";
import { until, type Answered } from "../helpers/server";
import { ended, importOf } from "../helpers/website";

const word = "forbidden";
/** What the hooks were asked, in order, and how they are made to behave. */
const hook_calls: { readonly by: string; readonly of: any }[] = [];
const behaviour: { now: "allow" | "by words" | "fault" | "late" | "teapot" | "unavailable" } = {
  now: "by words",
};
/** Short only for the test of the timeout. */
const limit_ms = (): number => (behaviour.now === "late" ? 50 : 30_000);
const has = (text: string): boolean => behaviour.now === "by words" && text.includes(word);
const contents: string[] = [];
const textOf = async (bytes: AsyncIterable<Uint8Array>): Promise<string> =>
  Buffer.concat(await Array.fromAsync(bytes)).toString();

async function misbehave(signal: AbortSignal): Promise<void> {
  if (behaviour.now === "fault") throw new TypeError("undefined is not a function");
  if (behaviour.now === "teapot") throw new HttpError(418, "teapot", "It is a teapot.");
  if (behaviour.now === "unavailable") throw new HttpError(500, "oops", "The scanner is broken.");
  if (behaviour.now === "late")
    await new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    });
}
const seen = <S>(by: string, of: S): void => void hook_calls.push({ by, of });
const first: BeforeHook<DocumentIntake> = {
  name: "first",
  order: -1,
  on_fault: "allow",
  get timeout_ms() {
    return limit_ms();
  },
  before: async (of, signal) => {
    seen("first", of.name);
    await misbehave(signal);
  },
};
const second: BeforeHook<DocumentIntake> = {
  name: "words of documents",
  get timeout_ms() {
    return limit_ms();
  },
  async before(of, signal) {
    seen("document", of);
    const text = await textOf(of.bytes());
    contents.push(text);
    // Hooks may read the content more than once, also from the file if there is one.
    expect(await textOf(of.bytes())).toBe(text);
    expect(Buffer.byteLength(text)).toBe(of.size_bytes);
    if (of.path !== null) expect(await Bun.file(of.path).text()).toBe(text);
    await misbehave(signal);
    if (has(text)) throw refused(`“${of.name}” has a forbidden word.`, "word_found");
  },
};
const folders: BeforeHook<FolderCreation> = {
  name: "names",
  get timeout_ms() {
    return limit_ms();
  },
  async before(of, signal) {
    seen("folder", of);
    await misbehave(signal);
    if (has(of.name)) throw new HttpError(403, "name_refused", "No such folders.");
  },
};
const questions: BeforeHook<AskedQuestion> = {
  name: "questions",
  get timeout_ms() {
    return limit_ms();
  },
  async before(of, signal) {
    seen("question", of);
    await misbehave(signal);
    if (has(of.text)) throw refused("That is not answered here.", "not_answered");
  },
};
const policy = definePlugin({
  name: "policy",
  version: "1.0.0",
  setup: () => ({
    // Filled in the reverse of their order, so that the order must decide.
    fills: [
      fill(BeforeDocumentIntake, second),
      fill(BeforeDocumentIntake, first),
      fill(BeforeFolderCreate, folders),
      fill(BeforeQuestion, questions),
    ],
  }),
});
/** The items of the test's source; from the third on, each in a subfolder of that name. */
let shelf: readonly string[] = [];
const source: ImportSource = {
  type: "shelf",
  description: "A shelf.",
  schema: t.Object({}),
  async *items() {
    for (const [index, text] of shelf.entries())
      yield { uri: `text:${index}`, ...(index > 1 ? { folder: text } : {}) };
  },
  async read({ uri }) {
    const text = shelf[Number(uri.slice("text:".length))]!;
    const bytes = new Blob([text]).stream();
    return { name: `${uri}.txt`, media_type: "text/plain", bytes };
  },
};
const importing = (...texts: readonly string[]) => {
  shelf = texts;
  return importOf(ada, { folder_id: folder, source: { type: "shelf" } });
};
const sources = definePlugin({
  name: "sources",
  version: "1.0.0",
  setup: () => ({ fills: [fill(ImportSources, source)] }),
});

let server: TestServer;
let clamd: Clamd;
let ada: Person;
let folder: string;
beforeAll(async () => {
  clamd = await startClamd();
  server = await startTestServer({
    plugins: [policy, sources, virusScan],
    env: { DOSSIER_VIRUS_SCAN_ADDRESS: clamd.address, DOSSIER_VIRUS_SCAN_TIMEOUT: "2s" },
  });
  ada = await person(server, "ada");
});
afterAll(() => clamd[Symbol.asyncDispose]());
beforeEach(async () => {
  behaviour.now = "by words";
  clamd.behaviour = "scan";
  folder = await ada.folder();
  hook_calls.length = 0;
  contents.length = 0;
  clamd.scanned.length = 0;
});

/** Every way to add a document; each returns the code and sentence of a refusal, or null. */
type Outcome = readonly [status: number | string, error: any];
const ways: Readonly<Record<string, (text: string) => Promise<Outcome>>> = {
  "a text": async (text) =>
    answered(
      await ada.send("POST", "/documents", { folder_id: folder, name: "a.txt", content: text }),
    ),
  "a long text": async (text) =>
    answered(
      await ada.send("POST", "/documents", {
        folder_id: folder,
        name: "a.txt",
        content: `${"Long. ".repeat(100_000)}${text}`,
      }),
    ),
  "an upload": async (text) => answered(await ada.upload(folder, "a.txt", text)),
  "a new version of an upload": async (text) => {
    await ada.upload(folder, "a.txt", "Before.");
    return answered(await ada.upload(folder, "a.txt", text, "&overwrite=true"));
  },
  "files of the device": async (text) => {
    const body = new FormData();
    body.append("files", new Blob([text]), "a.txt");
    const { body: run } = await ada.send("POST", `/imports/files?folder_id=${folder}`, body);
    return ofItem(await ended(ada, run.id));
  },
  "an item of an import": async (text) => ofItem(await importing(text)),
  "a recording": async (text) => {
    const sent = await ada.send(
      "POST",
      `/transcriptions?folder_id=${folder}`,
      form("a.vtt", captions.replace("It eats fish", text)),
    );
    if (sent.status !== 202) return answered(sent);
    return runOf(`/transcriptions/${sent.body.id}`);
  },
  "a folder of another server": async (text) => {
    const before = behaviour.now;
    behaviour.now = "allow";
    const from = await ada.folder("Archive");
    await ada.text(from, text, "a.txt");
    const archive = await (await server.call("ada", "GET", `/folders/${from}/export`)).bytes();
    await ada.send("DELETE", `/folders/${from}`);
    await server.settle();
    hook_calls.length = 0;
    contents.length = 0;
    behaviour.now = before;
    const { body } = await ada.send("POST", "/folders/import", archive, {
      "content-type": "application/zip",
    });
    return runOf(`/folder-imports/${body.id}`);
  },
};
const answered = ({ status, body }: Answered): Outcome => [status, status < 300 ? null : body];
const ofItem = ({ items }: { readonly items: any[] }): Outcome => [
  items[0].status,
  withDetail(items[0].error),
];
const withDetail = (error: any) => error && { code: error.code, detail: error.message };
/** The outcome of a run. */
async function runOf(path: string): Promise<Outcome> {
  let run: any;
  await until(async () => {
    run = (await ada.send("GET", path)).body;
    return run.finished_at !== null;
  });
  return [run.status, withDetail(run.error)];
}
const brought = async (way: string, text: string) => {
  const [status, error] = await ways[way]!(text);
  await server.settle();
  return [status, error && [error.code, error.detail]];
};

describe("a document", () => {
  const refusals: readonly (readonly [way: string, status: number | string])[] = [
    ["a text", 422],
    ["a long text", 422],
    ["an upload", 422],
    ["a new version of an upload", 422],
    ["files of the device", "failed"],
    ["an item of an import", "failed"],
    ["a recording", 422],
    ["a folder of another server", "failed"],
  ];
  test.each(refusals)("that is refused leaves nothing behind: %s", async (way, status) => {
    const [sent, error] = (await brought(way, `An otter is ${word}.`)) as any;
    const name = way.startsWith("an item")
      ? "text:0.txt"
      : way === "a recording"
        ? "a.vtt"
        : "a.txt";
    expect([sent, error]).toEqual([status, ["word_found", `“${name}” has a forbidden word.`]]);
    const kept_names = way.startsWith("a new version") ? ["a.txt"] : [];
    expect(await ada.names(folder)).toEqual(kept_names);
    if (kept_names.length > 0) {
      const { body } = await ada.send("GET", `/documents?folder_id=${folder}`);
      expect((await ada.get(body.data[0].id)).content).toBe("Before.");
    }
    // The staged files of an archive are purged too.
    await until(async () => (await placesWith(server.data, `otter is ${word}`)).length === 0);
    await expectSound(server);
  });

  const admitted: readonly (readonly [way: string, of: object])[] = [
    ["a text", { name: "a.txt", media_type: "text/plain", path: null, kind: "text" }],
    ["a long text", { name: "a.txt", media_type: "text/plain", path: null, kind: "text" }],
    ["an upload", { name: "a.txt", path: expect.any(String), kind: "upload" }],
    ["files of the device", { name: "a.txt", path: expect.any(String), kind: "upload" }],
    ["an item of an import", { name: "text:0.txt", path: expect.any(String), kind: "import" }],
    ["a recording", { name: "a.vtt", kind: "transcription" }],
    ["a folder of another server", { name: "a.txt", path: null, kind: "archive" }],
  ];
  test.each(admitted)(
    "is shown in full before it is stored: %s",
    async (way, { kind, ...of }: any) => {
      const text = "An otter, and an öre.";
      const [, error] = await brought(way, text);
      expect(error).toBeNull();
      const subjects = hook_calls
        .filter(({ by }) => by === "document")
        .map((question) => question.of);
      expect(subjects[0]).toMatchObject({ owner_id: "usr_ada", subfolder: null, ...of });
      expect(subjects[0].origin.kind).toBe(kind);
      expect(contents[0]).toContain(text);
      if (kind !== "archive") expect(subjects[0].folder_id).toBe(folder);
      // The transcript of a recording is checked too.
      expect(subjects.length).toBe(kind === "transcription" ? 2 : 1);
      if (kind === "transcription") expect(contents[1]).not.toContain("WEBVTT");
      const expected = subjects.map(() => ["first", "document"]).flat();
      expect(hook_calls.filter(({ by }) => by !== "folder").map(({ by }) => by)).toEqual(expected);
    },
  );

  test("is not checked when the request is refused anyway", async () => {
    await ada.upload(folder, "a.txt", "One.");
    hook_calls.length = 0;
    const statuses = [
      (await ada.upload(folder, "a.txt", "Two.")).status,
      (await ada.upload("fld_none", "b.txt", "Two.")).status,
      (await ada.send("POST", "/documents", { folder_id: "fld_none", content: "x" })).status,
      (await server.send("eve", "POST", "/documents", { folder_id: folder, content: "x" })).status,
    ];
    expect([statuses, hook_calls]).toEqual([[409, 404, 404, 403], []]);
  });
});

describe("a hook that fails", () => {
  const sentence = (check: string, why: string) =>
    `The check “${check}” of the plugin policy failed${why}, so the request was refused. ` +
    "Try again, or tell the operator of the server.";
  const faults: readonly (readonly [how: typeof behaviour.now, why: string])[] = [
    ["fault", ""],
    ["unavailable", ""],
    ["late", " (it took longer than 0.05 s)"],
  ];
  test.each(faults)("blocks what it was asked about: %s", async (how, why) => {
    behaviour.now = how;
    for (const way of ["a text", "an upload", "files of the device", "an item of an import"]) {
      const [status, error] = await brought(way, "An otter.");
      expect([way, status]).toEqual([way, typeof status === "number" ? 503 : "failed"]);
      expect(error).toEqual(["check_failed", sentence("words of documents", why)]);
    }
    const created = await ada.send("POST", "/folders", { name: "Fine" });
    expect([
      created.status,
      created.body.code,
      created.body.detail,
      created.headers.get("retry-after"),
    ]).toEqual([503, "check_failed", sentence("names", why), "10"]);
    expect(await ada.names(folder)).toEqual([]);
    behaviour.now = "by words";
    expect((await ada.upload(folder, "a.txt", "An otter.")).status).toBe(201);
  });

  test("lets it pass if configured to, and may answer with a status of its own", async () => {
    // `first` is asked first and its failure is ignored; the second one refuses.
    behaviour.now = "teapot";
    const [status, error] = await brought("an upload", "An otter.");
    expect([status, error]).toEqual([418, ["teapot", "It is a teapot."]]);
    expect(hook_calls.map(({ by }) => by)).toEqual(["first"]);
  });
});

describe("a folder", () => {
  test("is checked with all its fields, and refused with the hook's message", async () => {
    const send = (body: object) => ada.send("POST", "/folders", body);
    const created = await send({ name: "Fine", description: "Of it.", parentId: folder });
    expect([created.status, hook_calls]).toEqual([
      201,
      [
        {
          by: "folder",
          of: { owner_id: "usr_ada", name: "Fine", description: "Of it.", parent_id: folder },
        },
      ],
    ]);
    const { status, body } = await send({ name: `So ${word}` });
    expect([status, body.code, body.detail]).toEqual([403, "name_refused", "No such folders."]);
    hook_calls.length = 0;
    const earlier = [
      await send({ name: " " }),
      await send({ name: "x", parentId: created.body.id }),
    ];
    expect([earlier.map((answer) => answer.status), hook_calls]).toEqual([[400, 400], []]);
  });

  test("of an import is checked only if new; its items fail when it is refused", async () => {
    await ada.folder("Fine", folder);
    hook_calls.length = 0;
    const { items } = await importing("One.", "Two.", "Fine", `So ${word}`);
    expect(items.map(({ status, error }: any) => [status, error?.code ?? null])).toEqual([
      ["succeeded", null],
      ["succeeded", null],
      ["succeeded", null],
      ["failed", "name_refused"],
    ]);
    expect(hook_calls.filter(({ by }) => by === "folder").map(({ of }) => of.name)).toEqual([
      `So ${word}`,
    ]);
  });

  test("of an archive is not imported when refused", async () => {
    behaviour.now = "allow";
    const from = await ada.folder(`So ${word}`);
    const archive = await (await server.call("ada", "GET", `/folders/${from}/export`)).bytes();
    behaviour.now = "by words";
    const { body } = await ada.send("POST", "/folders/import", archive, {
      "content-type": "application/zip",
    });
    expect(await runOf(`/folder-imports/${body.id}`)).toEqual([
      "failed",
      { code: "name_refused", detail: "No such folders." },
    ]);
  });
});

describe("a question", () => {
  test("is checked once, with its folders and prompts; a refused one is not stored", async () => {
    const { id: prompt } = await ada.create("/prompts", { name: "Short", text: "Be short." });
    const chat = await ada.create("/chats", { usedFolders: [folder], usedPrompts: [prompt] });
    const path = `/chats/${chat.id}/messages`;
    const requestId = crypto.randomUUID();
    hook_calls.length = 0;
    const text = "Where is the otter?";
    expect((await ada.send("POST", path, { text, requestId })).status).toBe(202);
    expect((await ada.send("POST", path, { text, requestId })).status).toBe(202);
    expect((await ada.send("POST", path, { text: "Other", requestId })).status).toBe(409);
    expect(hook_calls).toEqual([
      {
        by: "question",
        of: {
          owner_id: "usr_ada",
          chat_id: chat.id,
          request_id: requestId,
          text,
          folder_ids: [folder],
          prompt_ids: [prompt],
        },
      },
    ]);
    const refusal = await ada.send("POST", path, { text: `Why ${word}?` });
    expect([refusal.status, refusal.body.code, refusal.body.detail]).toEqual([
      422,
      "not_answered",
      "That is not answered here.",
    ]);
    behaviour.now = "fault";
    expect((await ada.send("POST", path, { text: "And now?" })).status).toBe(503);
    expect((await ada.send("GET", path)).body.data.length).toBe(1);
    await ada.send("DELETE", `/chats/${chat.id}`);
    hook_calls.length = 0;
    expect((await ada.send("POST", path, { text: "Hello?" })).status).toBe(410);
    expect(hook_calls).toEqual([]);
  });
});

describe("the example virus scanner", () => {
  test("refuses a file when clamd finds a virus, and sends it every byte", async () => {
    const large = `${"0123456789".repeat(60_000)}end`;
    expect((await ada.upload(folder, "large.txt", large)).status).toBe(201);
    expect((await ada.upload(folder, "empty.txt", "")).status).toBe(201);
    expect(clamd.scanned).toEqual([large, ""]);
    const { status, body } = await ada.upload(folder, "bad.txt", `Hello ${virus}`);
    expect([status, body.code, body.detail]).toEqual([
      422,
      "virus_found",
      "“bad.txt” contains a virus: Eicar-Test-Signature.",
    ]);
    const { run, items } = await importing("Fine.", `It is ${virus}`);
    expect([run.status, items[1].error.code]).toEqual(["completed_with_errors", "virus_found"]);
    expect(await placesWith(server.data, virus)).toEqual([]);
  });

  const troubles: readonly (readonly [mood: Clamd["behaviour"], status: number, code: string])[] = [
    ["silent", 503, "check_failed"],
    ["odd", 503, "check_failed"],
    ["full", 422, "not_scanned"],
  ];
  test.each(troubles)("lets nothing in when clamd is %s", async (mood, status, code) => {
    clamd.behaviour = mood;
    // Larger than the connection's buffers, so that the answer comes while it is being sent.
    const text = mood === "silent" ? "An otter." : "0123456789".repeat(600_000);
    const sent = await ada.upload(folder, "a.txt", text);
    expect([sent.status, sent.body.code]).toEqual([status, code]);
    expect(await ada.names(folder)).toEqual([]);
  });
});
