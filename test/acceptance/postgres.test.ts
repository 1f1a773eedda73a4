/** Acceptance, on the executable: a server on a PostgreSQL database, which this test starts. */
import { expect, test } from "bun:test";
import { SQL } from "bun";
import { runCommand } from "../../scripts/lib/launch";
import { temporaryDirectory } from "../helpers/data-directory";
import { startExecutable, type Executable } from "../helpers/executable";
import { startPostgresForSuite, describeOnPostgres } from "../helpers/postgres-suite";
import { person } from "../helpers/person";
import { until } from "../helpers/server";

describeOnPostgres("a server on PostgreSQL", () => {
  const postgres = startPostgresForSuite();
  const { newDatabase, urlOf } = postgres;
  const settings = (url: string) => ({ "dossier.toml": `[database]\nurl = "${url}"\n` });
  const serverOn = (url: string): Promise<Executable> => startExecutable({ files: settings(url) });

  test("does the main task, also after a stop and a kill", async () => {
    const url = await newDatabase();
    await using server = await serverOn(url);
    const ada = await person(server, "ada");
    const folder = await ada.folder();
    const { id } = await ada.newText(
      folder,
      "# Kettle\n\nThe kettle holds two litres of water.\n\n# Lamp\n\nThe lamp burns for a year.",
      "House",
    );
    expect((await ada.settled(id)).status).toBe("synced");
    for (const end of ["a stop", "kill -9"]) {
      const found = await ada.send("POST", "/search", {
        query: "How much water does the kettle hold?",
        folder_ids: [folder],
      });
      expect([end, found.status, found.body.data[0]?.document_id]).toEqual([end, 200, id]);
      const chat = await ada.create("/chats", { usedFolders: [folder] });
      const message = await ada.send("POST", `/chats/${chat.id}/messages`, {
        text: "How much water does the kettle hold?",
      });
      const answer = await ada.finished(`/chats/${chat.id}/messages/${message.body.requestId}`);
      expect(answer.body.result.citations[0].quote).toContain("two litres");
      if (end === "a stop") await server.stop();
      else await server.kill();
      await server.restart();
    }
    expect((await ada.send("DELETE", `/folders/${folder}`)).status).toBe(204);
    const database = new SQL(url, { max: 1 });
    await until(async () => {
      const [row] = await database.unsafe("select count(*)::int as n from texts_pieces");
      return row.n === 0;
    });
    await database.close();
  }, 120_000);

  test("recovers from a database crash without losing confirmed data", async () => {
    const url = await newDatabase();
    await using server = await serverOn(url);
    const ada = await person(server, "ada");
    const kept_ids: string[] = [];
    const refused: [number, string | null][] = [];
    let running = true;
    const writing = (async () => {
      while (running) {
        const answer = await ada.send("POST", "/folders", { name: crypto.randomUUID() });
        if (answer.status === 201) kept_ids.push(answer.body.id);
        else refused.push([answer.status, answer.headers.get("retry-after")]);
      }
    })();
    await until(() => kept_ids.length > 20);
    await postgres.server.crash();
    const before = kept_ids.length;
    await until(() => kept_ids.length > before + 20);
    running = false;
    await writing;
    for (const answer of refused) expect(answer).toEqual([503, "5"]);
    for (const id of kept_ids) expect((await ada.send("GET", `/folders/${id}`)).status).toBe(200);
    await until(async () => (await server.send(null, "GET", "//ready")).status === 200);
  }, 120_000);

  test("locks its data directory, and commands work beside it", async () => {
    const url = await newDatabase();
    await using server = await serverOn(url);
    await server.createUser("eve@example.com", { role: "admin" });
    const second = await startExecutable({ data: server.data }).then(
      () => "it has started",
      (error: Error) => error.message,
    );
    expect(second).toContain("Another server is running on");
    expect(await server.mustCli(["doctor"])).toContain("PostgreSQL");
    expect(await server.mustCli(["user", "list"])).toContain("eve@example.com");
    expect(await server.mustCli(["config", "set", "jobs.keep_done", "2d"])).toBeString();
    expect(await server.mustCli(["config"])).toMatch(/jobs\.keep_done +2d +\(stored\)/);
    const backup = await server.cli(["backup"]);
    expect([backup.code, backup.stderr]).toEqual([1, expect.stringContaining("pg_dump")]);
  }, 120_000);

  test("reports that it can't write while the database is read-only", async () => {
    const url = await newDatabase();
    await using server = await serverOn(url);
    const ada = await person(server, "ada");
    const database = new SQL(url, { max: 1 });
    const name = new URL(url).pathname.slice(1);
    const readsOnly = async (switched: "on" | "off"): Promise<void> => {
      await database.unsafe(
        `alter database ${name} set default_transaction_read_only = ${switched}`,
      );
      await database.unsafe(
        "select pg_terminate_backend(pid) from pg_stat_activity " +
          "where datname = current_database() and pid <> pg_backend_pid()",
      );
    };
    const ready = async () => (await server.send(null, "GET", "//ready")).status;
    await readsOnly("on");
    await until(async () => (await ready()) === 503);
    await until(async () => (await ada.send("GET", "/folders")).status === 200);
    for (let n = 0; n < 20; n++) {
      expect([n, (await ada.send("POST", "/folders", { name: "None" })).status]).toEqual([n, 503]);
      expect([n, (await ada.send("GET", "/folders")).status, await ready()]).toEqual([n, 200, 503]);
    }
    expect(server.output()).not.toContain("can be written to again");
    await database.unsafe("set default_transaction_read_only = off");
    await readsOnly("off");
    await until(async () => (await ready()) === 200);
    expect((await ada.send("POST", "/folders", { name: "One" })).status).toBe(201);
    await database.close();
  }, 120_000);

  const refusals: [why: string, url: () => Promise<string>, words: string, code?: number][] = [
    [
      "the database has another collation",
      () => newDatabase("encoding 'UTF8' locale 'C.UTF-8' lc_collate 'en_US.UTF-8'").catch(latin),
      "recreate it",
    ],
    ["its encoding is different", latin, "its encoding is LATIN1, not UTF8; recreate it"],
    ["the database doesn't exist", async () => urlOf("nowhere"), "can't be opened"],
    ["PostgreSQL can't be reached", async () => "postgres://127.0.0.1:1/none", "can't be reached"],
    ["the database is read-only", readable, "accepts writes"],
    ["the URL is invalid", async () => "postgres://", "database"],
    [
      "the URL names another kind of database",
      async () => "mysql://127.0.0.1:1/none",
      "database.url must start with postgres://",
      2,
    ],
  ];
  async function latin(): Promise<string> {
    return newDatabase("encoding 'LATIN1' locale 'C'");
  }
  async function readable(): Promise<string> {
    const url = await newDatabase();
    const name = new URL(url).pathname.slice(1);
    await postgres.admin.unsafe(`alter database ${name} set default_transaction_read_only = on`);
    return url;
  }
  for (const [why, url, words, exit_code = 1] of refusals)
    test(`doesn't start when ${why}`, async () => {
      const data = temporaryDirectory();
      await Bun.write(`${data}/dossier.toml`, settings(await url())["dossier.toml"]);
      const { code, stderr } = await runCommand(data, ["serve", "--port", "0"]);
      expect([code, stderr]).toEqual([exit_code, expect.stringContaining(words)]);
    }, 60_000);
});
