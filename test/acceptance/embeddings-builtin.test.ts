/**
 * Acceptance, on the executable: the encoder's model is unpacked into the data directory, repaired
 * when damaged, and kept in memory if it can't be written; other models can be added.
 */
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { startExecutable, type Executable } from "../helpers/executable";

/** The default setting: the built-in encoder makes the vectors. */
const env = { DOSSIER_EMBEDDINGS_PROVIDER: "" };
const file = "multilingual-e5-small.bin";
const bytes = 42_114_624;
const quote = "The car costs nine thousand euros.";

async function added(dossier: Executable): Promise<void> {
  await dossier.createUser();
  await addedBy(dossier);
}
async function addedBy(dossier: Executable): Promise<void> {
  const { id } = (await dossier.api("POST", "/folders", { name: "f" })).body;
  for (const content of [quote, "Herons stand in shallow water."])
    await dossier.api("POST", "/documents", { folder_id: id, name: "d", content });
}
/** Waits until a query that shares no words with the passage finds it by meaning. */
async function found(dossier: Executable, query: string): Promise<void> {
  const { data } = (await dossier.api("GET", "/folders")).body;
  await dossier.until(`/folders/${data[0].id}`, ({ body }) => body.vectors_pending === 0, {
    limit_ms: 120_000,
  });
  // A search doesn't wait for a model being unpacked; until then it uses words only.
  await dossier.untilTrue(async () => {
    const [first] = (await dossier.api("POST", "/search", { query })).body.data;
    if (first?.quote === quote && first.matched !== "words") return true;
    await Bun.sleep(200);
    return false;
  }, 120_000);
}
const modelsOf = (dossier: Executable): string => join(dossier.data, "models");

/** What a chat answers, with the quotes of its citations. */
async function answerTo(
  dossier: Executable,
  text: string,
): Promise<{ outcome: string; quotes: string[] }> {
  const { data } = (await dossier.api("GET", "/folders")).body;
  const usedFolders = data.map((folder: { id: string }) => folder.id);
  const { id } = (await dossier.api("POST", "/chats", { usedFolders })).body;
  const sent = await dossier.api("POST", `/chats/${id}/messages`, { text });
  const path = sent.headers.get("location")!;
  let result: { outcome: string; citations: { quote: string }[] } | null = null;
  await dossier.untilTrue(async () => {
    const { body } = await dossier.api("GET", path);
    result = body.result ?? null;
    return body.status === "COMPLETED";
  }, 60_000);
  return { outcome: result!.outcome, quotes: result!.citations.map((citation) => citation.quote) };
}

/** Runs `use` and returns the addresses the server connected to, or null if unknown. */
async function connections(
  dossier: Executable,
  use: () => Promise<void>,
): Promise<string[] | null> {
  const strace = Bun.which("strace");
  if (strace === null) {
    await use();
    return null;
  }
  const seen = join(dossier.data, "strace.txt");
  const tracing = Bun.spawn(
    [strace, "-f", "-e", "trace=network", "-o", seen, "-p", String(dossier.pid())],
    { stdout: "ignore", stderr: "pipe" },
  );
  const { value } = await tracing.stderr.getReader().read();
  const chunk = new TextDecoder().decode(value);
  const traces = chunk.includes("attached");
  await use();
  tracing.kill("SIGINT");
  await tracing.exited;
  if (!traces) {
    console.log(`skipped: strace may not trace here: ${chunk}`);
    return null;
  }
  const calls = readFileSync(seen, "utf8");
  expect(calls).toContain("accept");
  return [...(calls.match(/connect\([^\n]*sin6?_addr[^\n]*/g) ?? [])];
}

describe("one server", () => {
  let dossier: Executable;
  let path: string;
  beforeAll(async () => {
    dossier = await startExecutable({ env });
    path = join(modelsOf(dossier), file);
  }, 60_000);
  afterAll(() => dossier?.[Symbol.asyncDispose]());

  test("unpacks the model on first use without downloading anything", async () => {
    expect(readdirSync(dossier.data)).not.toContain("models");
    const connected = await connections(dossier, async () => {
      await added(dossier);
      await found(dossier, "Wie teuer ist das Auto?");
    });
    expect(connected ?? []).toEqual([]);
    expect(readdirSync(modelsOf(dossier))).toEqual([file]);
    expect([statSync(path).size, statSync(path).mode & 0o777]).toEqual([bytes, 0o600]);
  }, 300_000);

  test("answers a German question from an English document by meaning", async () => {
    const { data } = (await dossier.api("GET", "/folders")).body;
    const { body: record } = await dossier.until(
      `/folders/${data[0].id}`,
      ({ body }) => body.vectors_pending === 0 && body.status_counts.synced === 2,
      { limit_ms: 120_000 },
    );
    const listed = (await dossier.api("GET", `/documents?folder_id=${record.id}`)).body.data;
    expect(listed.map(({ indexing }: any) => indexing.vectors)).toEqual(["ready", "ready"]);
    // The glossary knows no Danish.
    const query = "Hvad koster bilen?";
    const found_passages = (await dossier.api("POST", "/search", { query })).body.data;
    expect(found_passages.map(({ matched, quote }: any) => [matched, quote])).toEqual([
      ["meaning", quote],
    ]);
    expect(await answerTo(dossier, "Wie teuer ist das Auto?")).toEqual({
      outcome: "answered",
      quotes: [quote],
    });
    expect((await answerTo(dossier, "Wer hat das Telefon erfunden?")).outcome).toBe("no_answer");
  }, 300_000);

  test("leaves the model out of backups", async () => {
    await dossier.mustCli(["backup"]);
    const [backup] = readdirSync(join(dossier.data, "backups")).filter((name) =>
      name.endsWith(".zip"),
    );
    expect(statSync(join(dossier.data, "backups", backup!)).size).toBeLessThan(bytes / 2);
    rmSync(join(dossier.data, "backups"), { recursive: true });
  }, 300_000);

  const damages: [said: string, damage: () => Promise<void>][] = [
    [
      "SHA-256",
      async () => {
        const handle = await open(path, "r+");
        await handle.write("damage", 20_000_000);
        await handle.close();
      },
    ],
    ["it has 1000 bytes", async () => truncateSync(path, 1_000)],
  ];
  for (const [message, damage] of damages)
    test(`repairs a damaged model: ${message}; partial copies are deleted`, async () => {
      await dossier.stop();
      await damage();
      writeFileSync(join(modelsOf(dossier), `${file}.1.part`), "the beginning of it");
      await dossier.restart();
      await found(dossier, "Was kostet der Wagen?");
      expect(dossier.output()).toContain(`is damaged: `);
      expect(dossier.output()).toContain(message);
      expect(statSync(path).size).toBe(bytes);
      expect(readdirSync(modelsOf(dossier))).toEqual([file]);
    }, 300_000);

  test("adds and lists further models, and refuses invalid ones", async () => {
    const broken = join(dossier.data, "broken.bin");
    writeFileSync(broken, "E5S1 and nothing more");
    for (const [why, args, message] of [
      ["a file that is no model", [broken], "is not a model that the encoder can run"],
      ["a file that is not there", [join(dossier.data, "none.bin")], "There is no file"],
      ["the name of the built-in model", [path], "Choose another with --name"],
      ["a name that leads elsewhere", [path, "--name", "../x"], "is not a valid model name"],
    ] as const) {
      const { code, stderr } = await dossier.cli(["model", "add", ...args]);
      expect([why, code, stderr]).toEqual([why, 2, expect.stringContaining(message)]);
    }
    await dossier.mustCli(["model", "add", path, "--name", "mine", "--query-prefix", "Q: "]);
    const listed = JSON.parse(await dossier.mustCli(["model", "list", "--json"]));
    expect(
      listed.map(({ name, origin, query_prefix }: any) => [name, origin, query_prefix]),
    ).toEqual([
      ["multilingual-e5-small", "executable", "query: "],
      ["mine", "added", "Q: "],
    ]);
    // Adding the same name again replaces the model.
    await dossier.mustCli(["model", "add", path, "--name", "mine"]);
    expect(readdirSync(modelsOf(dossier)).filter((name) => name.startsWith("mine"))).toHaveLength(
      2,
    );
    const health = async () => (await dossier.api("GET", "/health")).body.status;
    expect(await health()).toBe("ok");
  }, 300_000);
});

test("the model is kept in memory where it can't be written", async () => {
  // A file in place of the directory prevents writing even for the superuser.
  await using dossier = await startExecutable({ env });
  writeFileSync(modelsOf(dossier), "in the way");
  await added(dossier);
  await found(dossier, "Wie teuer ist das Auto?");
  expect(dossier.output()).toContain("it is kept in memory");
}, 300_000);

const count = (dossier: Executable, query: string): number => {
  const database = new Database(join(dossier.data, "dossier.db"), { readonly: true });
  try {
    return database.query<{ n: number }, []>(query).get()!.n;
  } finally {
    database.close();
  }
};
const vectorCount = (dossier: Executable) => count(dossier, "select count(*) n from index_vectors");
const waiting = (dossier: Executable) =>
  count(dossier, "select count(*) n from index_vectors_waiting");
/** Adds notes that take a few seconds to encode, and waits until words find them. */
async function notes(dossier: Executable): Promise<string> {
  await dossier.createUser();
  const { id } = (await dossier.api("POST", "/folders", { name: "f" })).body;
  for (let i = 0; i < notes_count; i++)
    await dossier.api("POST", "/documents", {
      folder_id: id,
      name: `${i}`,
      content: `${i}. ${"Herons stand in shallow water and wait for fish. ".repeat(15)}`,
    });
  await dossier.until(`/folders/${id}`, ({ body }) => body.status_counts.synced === notes_count);
  return id;
}
const notes_count = 24;

test("encoding resumes where it was after a stop or kill", async () => {
  await using dossier = await startExecutable({ env });
  const folder = await notes(dossier);
  await dossier.untilTrue(() => vectorCount(dossier) > 0, 120_000);
  const before_end = vectorCount(dossier);
  expect(await dossier.stop()).toBe(0);
  expect(dossier.output()).not.toContain("did not stop in time");
  expect(waiting(dossier)).toBeGreaterThan(0);
  expect(vectorCount(dossier)).toBeGreaterThanOrEqual(before_end);
  await dossier.restart();
  for (let kill = 0; kill < 2; kill++) {
    const before = vectorCount(dossier);
    await dossier.untilTrue(() => vectorCount(dossier) > before || waiting(dossier) === 0, 120_000);
    await dossier.kill();
    await dossier.restart();
    const { status, body } = await dossier.api("POST", "/search", { query: "shallow herons" });
    expect([status, body.data.length]).toEqual([200, 10]);
    const { vectors_pending } = (await dossier.api("GET", `/folders/${folder}`)).body;
    expect(vectors_pending).toBeLessThanOrEqual(notes_count - before);
  }
  await dossier.until(`/folders/${folder}`, ({ body }) => body.vectors_pending === 0, {
    limit_ms: 120_000,
  });
  // In the end each note has exactly one vector.
  expect([vectorCount(dossier), waiting(dossier)]).toEqual([notes_count, 0]);
  expect(
    count(dossier, "select count(distinct segment_id) n from index_vectors where set_id > 0"),
  ).toBe(count(dossier, "select count(*) n from index_segments"));
}, 300_000);
