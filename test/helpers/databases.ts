/**
 * On which database the servers of tests run: in their data directories; or, when TEST_POSTGRES has
 * the address of a PostgreSQL server, each in a database of its own there.
 */
import { SQL } from "bun";

const server_url = process.env.TEST_POSTGRES;

/** Whether the servers of this run use PostgreSQL. */
export const on_postgres = server_url !== undefined && server_url !== "";

let admin: SQL | undefined;

/** A statement to the server as a whole. */
async function asAdmin(text: string): Promise<void> {
  admin ??= new SQL(server_url!, { max: 1 });
  await admin.unsafe(text);
}

const urlOf = (name: string): string => {
  const url = new URL(server_url!);
  url.pathname = `/${name}`;
  return url.href;
};

/** Every data directory has a database. */
const nameOf = (data: string): string => `test_${Bun.hash(data).toString(36)}`;

export const databaseUrlOf = (data: string): string => urlOf(nameOf(data));

/** An empty database for this directory, or one as that of `template` is. */
export async function createDatabase(data: string, template?: string): Promise<string> {
  const from = template === undefined ? "template0 locale 'C.UTF-8'" : nameOf(template);
  await asAdmin(`create database ${nameOf(data)} template ${from}`);
  return databaseUrlOf(data);
}

export const dropDatabase = (data: string): Promise<void> =>
  asAdmin(`drop database if exists ${nameOf(data)} with (force)`);
