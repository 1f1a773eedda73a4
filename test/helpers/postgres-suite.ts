/** A PostgreSQL server of a test file's own, which may crash or be locked as the test needs it. */
import { SQL } from "bun";
import { afterAll, beforeAll, describe } from "bun:test";
import { buildIfStale } from "../../scripts/build";
import { findPostgres, startPostgres, type PostgresServer } from "../../scripts/lib/postgres";

/** Skipped, and listed as such, where PostgreSQL 15 or later is not installed. */
export const describeOnPostgres = findPostgres() === null ? describe.skip : describe;

/** The server, and databases on it. */
export interface PostgresSuite {
  readonly server: PostgresServer;
  /** An administrator's connection. */
  readonly admin: SQL;
  /** The address of a new database. */
  newDatabase(options_sql?: string): Promise<string>;
  urlOf(name: string): string;
}

/** For the tests of the suite that surrounds the call: it starts before them, and stops after. */
export function startPostgresForSuite(): PostgresSuite {
  let server: PostgresServer;
  let admin: SQL;
  let databases = 0;
  beforeAll(async () => {
    await buildIfStale();
    server = (await startPostgres())!;
    admin = new SQL(server.url, { max: 1 });
  }, 120_000);
  afterAll(async () => {
    await admin.close();
    await server.stop();
  });
  const postgres: PostgresSuite = {
    get server() {
      return server;
    },
    get admin() {
      return admin;
    },
    async newDatabase(options_sql = "encoding 'UTF8' locale 'C.UTF-8'") {
      const name = `dossier_${++databases}`;
      await admin.unsafe(`create database ${name} template template0 ${options_sql}`);
      return postgres.urlOf(name);
    },
    urlOf: (name) => server.url.replace(/postgres$/, name),
  };
  return postgres;
}
