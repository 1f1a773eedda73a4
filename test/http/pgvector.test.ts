/**
 * Vectors that exceed a process's memory, on PostgreSQL with pgvector: after every change, results
 * must equal those of a server that compares the vectors itself.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { findPgvector, startPostgres, type PostgresServer } from "../../scripts/lib/postgres";
import { Embedders, SearchIndex } from "../../plugins/search-index/contract";
import { Doctor, type CheckResult } from "../../plugins/doctor/contract";
import { definePlugin, fill } from "../../core/sdk";
import { temporaryDirectory } from "../helpers/data-directory";
import { on_postgres } from "../helpers/databases";
import { startTestServer } from "../helpers/host";
import { randomNumbers } from "../helpers/random";
import { until } from "../helpers/server";

const programs = findPgvector();
/** Skipped and listed as such without a PostgreSQL with pgvector. */
const suite = programs === null || on_postgres ? describe.skip : describe;

const dimensions = 24;
const documents = 20;

/** A question equal to a passage's first line is near it; all other distances are random. */
function vectorOf(text: string, model: string): Float32Array {
  const words = /Text \d+ \d+|Added words/.exec(text)?.[0] ?? text;
  const random = randomNumbers(Number(Bun.hash(model + words) % 1_000_000n));
  return Float32Array.from({ length: dimensions }, () => random() - 0.4);
}
const embedderOf = (model: string) =>
  definePlugin({
    name: "test-embedder",
    version: "1.0.0",
    setup: () => ({
      fills: [
        fill(Embedders, {
          model,
          dimensions: null,
          texts_max: 500,
          embed: async (texts) => texts.map((text) => vectorOf(text, model)),
        }),
      ],
    }),
  });

suite("vectors beyond the memory of a process", () => {
  let postgres: PostgresServer;
  let admin: SQL;
  const data = temporaryDirectory();
  beforeAll(async () => {
    postgres = (await startPostgres({ programs }))!;
    admin = new SQL(postgres.url, { max: 1 });
    await admin.unsafe("create role dossier login");
    await admin.unsafe("create database dossier owner dossier template template0 locale 'C.UTF-8'");
  }, 120_000);
  afterAll(async () => {
    await admin.close();
    await postgres.stop();
  });

  /** Runs a statement as administrator in the servers' database. */
  async function asAdmin(text: string): Promise<any[]> {
    await using session = new SQL(postgres.url.replace(/postgres$/, "dossier"), { max: 1 });
    return await session.unsafe(text);
  }
  /** A server that holds no vectors in memory. */
  async function start(model = "one") {
    let index!: SearchIndex;
    let doctor!: Doctor;
    const services = definePlugin({
      name: "test-services",
      version: "1.0.0",
      needs: { index: SearchIndex, doctor: Doctor },
      setup: (ctx) => {
        ({ index, doctor } = ctx.services);
        return {};
      },
    });
    const copied = temporaryDirectory();
    cpSync(data, copied, { recursive: true });
    const server = await startTestServer({
      data: copied,
      plugins: [embedderOf(model), services],
      env: {
        DOSSIER_DATABASE_URL: postgres.url
          .replace("postgres@", "dossier@")
          .replace(/postgres$/, "dossier"),
        DOSSIER_INDEX_VECTOR_CACHE: "1B",
      },
    });
    cpSync(join(copied, "secret.key"), join(data, "secret.key"));
    /** Document ids by meaning only, nearest first. */
    const near = async (folder_id: string, query: string): Promise<string[]> => {
      const request = { owner_id: "usr_ada", query, folder_ids: [folder_id], limit: 20 };
      const { passages } = await index.search({ ...request, unlikely: true });
      return passages.map(({ document_id }) => document_id);
    };
    const check = async (): Promise<CheckResult> => {
      for await (const check of doctor.examine()) if (check.id === "vector-search") return check;
      throw new Error("there is no such check");
    };
    return { server, near, check, index: () => index };
  }
  type Started = Awaited<ReturnType<typeof start>>;

  /** The key of the documents' owner, which a restarted server does not create again. */
  let key: string;
  async function send(
    { server }: Started,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<any> {
    const headers = new Headers({ authorization: `Bearer ${key}` });
    if (body !== undefined) headers.set("content-type", "application/json");
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const answer = await server.fetch(new Request(`http://dossier.test/api/dev/v1${path}`, init));
    if (!answer.ok) throw new Error(await answer.text());
    return answer.status === 204 ? null : answer.json();
  }
  /** Each line becomes a passage. */
  async function documentIn(
    started: Started,
    folder_id: string,
    lines: readonly string[],
  ): Promise<string> {
    const content = lines
      .map((line) => `# ${line}\n\n${`${line} says so. `.repeat(40)}`)
      .join("\n\n");
    const body = { folder_id, name: "document", content };
    return (await send(started, "POST", "/documents", body)).id;
  }
  /** Runs waiting jobs, without their pauses. */
  async function runAll({ server }: Started): Promise<void> {
    await server.store.db
      .updateTable("core_jobs")
      .set({ run_at: 0 })
      .where("state", "=", "ready")
      .execute();
    await server.host.queue.runDue();
  }
  /** Waits until every document has its vectors. */
  const embedded = (started: Started): Promise<void> =>
    until(async () => {
      await runAll(started);
      const [row] = await asAdmin(
        "select (select count(*) from index_vectors) as made, count(*) as all from index_segments",
      );
      return Number(row.all) > 0 && row.made === row.all;
    });
  const copies = async (): Promise<string[]> =>
    (
      await asAdmin(
        "select table_name as name from information_schema.tables where table_name like 'copy!_%' escape '!'",
      )
    ).map(({ name }) => name);
  const queries = ["first question", "second question", "third question"];
  const answers = async ({ near }: Started, folder_id: string): Promise<string[][]> => {
    const all: string[][] = [];
    for (const query of queries) all.push(await near(folder_id, query));
    return all;
  };

  test("are found by pgvector exactly as by the server itself", async () => {
    let one = await start();
    key = await one.server.key("ada");
    const folder_id: string = (await send(one, "POST", "/folders", { name: "f", parentId: null }))
      .id;
    for (let n = 0; n < documents; n++)
      await documentIn(
        one,
        folder_id,
        Array.from({ length: 20 }, (_, i) => `Text ${n} ${i}`),
      );
    await embedded(one);
    // The extension is installed, but this user may not create it.
    expect(await one.check()).toMatchObject({
      status: "warn",
      fix: expect.stringContaining("create extension vector"),
    });
    const expected = await answers(one, folder_id);
    for (const ids of expected) expect(ids).toHaveLength(20);
    await one.server.settle();
    expect(await copies()).toEqual([]);
    await one.server.stop();

    await asAdmin("create extension vector");
    one = await start();
    expect(await one.check()).toMatchObject({
      status: "ok",
      detail: expect.stringContaining("is available for when"),
    });
    expect(await answers(one, folder_id)).toEqual(expected);
    await until(async () => (await one.check()).detail.includes("searches scopes"));
    expect(await answers(one, folder_id)).toEqual(expected);

    // Proves that pgvector is searched: what its copy lacks is not found.
    const [copy] = await copies();
    const [first] = expected[0]!;
    const lost = await asAdmin(
      `delete from public_vectors.${copy} where segment_id in (select id from index_segments where document_id = '${first}') returning vectors_id`,
    );
    expect(lost).toHaveLength(20);
    expect(await one.near(folder_id, queries[0]!)).not.toContain(first);

    // New vectors are found at once, and deleted ones are gone.
    const added = await documentIn(one, folder_id, ["Added words"]);
    await embedded(one);
    expect((await one.near(folder_id, "Added words"))[0]).toBe(added);
    const second = expected[0]!.find((id) => id !== first)!;
    await one.server.store.inDeletion((tx) => one.index().remove(tx, [second]));
    expect(await one.near(folder_id, queries[0]!)).not.toContain(second);
    // Rows of the copy are deleted with their source, whoever deletes it.
    const [left] = await asAdmin(
      `select count(*) as rows from public_vectors.${copy} where segment_id not in (select id from index_segments)`,
    );
    expect(Number(left.rows)).toBe(0);
    await one.server.stop();

    // With another model, its vectors are copied and the previous ones deleted.
    one = await start("two");
    await until(async () => {
      await runAll(one);
      const [sets] = await asAdmin(
        "select count(*) as all, sum(serving * (case model when 'two' then 1 else 0 end)) as serving from index_vector_sets",
      );
      return Number(sets.all) === 1 && Number(sets.serving) === 1;
    });
    const of_two = await answers(one, folder_id);
    expect(of_two).not.toEqual(expected);
    await until(async () => (await one.check()).detail.includes("searches scopes"));
    expect(await answers(one, folder_id)).toEqual(of_two);
    expect(await copies()).not.toContain(copy);

    // Without the extension the server compares vectors itself again.
    await asAdmin("drop extension vector cascade");
    expect(await answers(one, folder_id)).toEqual(of_two);
    expect(await one.check()).toMatchObject({ status: "warn" });
    await one.server.stop();
  }, 120_000);
});
