/** Checks whether Dossier can work on a PostgreSQL server. */
import { messageOf } from "../../lib/error-message";
import { hasTooManyConnections, isUnreachable } from "../storage-errors";
import type { Connection, SessionSettings } from "./connections";

const version_min = 150_000;
/** Collations that order by code point, as SQLite does. */
const collations = ["C", "C.UTF-8", "C.UTF8", "POSIX"];

const facts_sql = `
select current_setting('server_version_num') as version_num,
  current_setting('server_version') as version, d.datcollate as collation_name,
  pg_encoding_to_char(d.encoding) as encoding, d.datname as name,
  has_schema_privilege(current_schema(), 'create') as may_create
from pg_database d where d.datname = current_database()`;

interface Facts {
  readonly version_num: string;
  readonly version: string;
  readonly collation_name: string;
  readonly encoding: string;
  readonly name: string;
  readonly may_create: boolean | null;
}

const pooler_problem =
  "it is behind a pooler such as PgBouncer, which does not support session settings, " +
  "notifications and locks. Set database.url to the database server itself";
const read_only_problem =
  "it is read-only, like a standby. Set database.url to the server that accepts writes";

/**
 * `PostgreSQL 15.18`. `expected`: settings that the session must have. @throws Error in plain words
 * when it can't be reached, is too old, or the database has the wrong settings.
 */
export async function checkServer(
  run: Connection["run"],
  shown_url: string,
  expected: SessionSettings = {},
): Promise<string> {
  const [facts] = (await run(facts_sql)
    .catch((error: unknown) => {
      throw unreachable(error, shown_url);
    })
    .then(({ rows }) => rows)) as unknown as [Facts];
  const problem = problemOf(facts) ?? (await problemOfSession(run, expected));
  if (problem !== undefined) throw new Error(`the database ${shown_url} can't be used: ${problem}`);
  return `PostgreSQL ${facts.version.split(" ")[0]}`;
}

async function problemOfSession(
  run: Connection["run"],
  expected: SessionSettings,
): Promise<string | undefined> {
  for (const [name, value] of Object.entries(expected)) {
    const { rows } = await run("select setting from pg_settings where name = ?", [name]);
    if (rows[0]?.setting !== value)
      return name === "transaction_read_only" ? read_only_problem : pooler_problem;
  }
  return undefined;
}

function problemOf(facts: Facts): string | undefined {
  const { name } = facts;
  if (Number(facts.version_num) < version_min)
    return `it is PostgreSQL ${facts.version}, and the oldest supported version is 15`;
  const options = "template template0 encoding 'UTF8' locale 'C.UTF-8'";
  const advice = `recreate it: create database ${name} ${options}`;
  if (facts.encoding !== "UTF8") return `its encoding is ${facts.encoding}, not UTF8; ${advice}`;
  if (!collations.includes(facts.collation_name.replace(/utf-?8$/i, "UTF-8")))
    return (
      `its collation is ${facts.collation_name}, which sorts names differently from C.UTF-8; ` +
      `${advice}`
    );
  if (facts.may_create !== true)
    return (
      "this user is not allowed to create tables in it. Run: grant all on schema public to " +
      "that user"
    );
  return undefined;
}

/** Explains in plain words why the database can't be used. */
export function unreachable(error: unknown, shown_url: string): Error {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const reason = messageOf(cause);
  if (hasTooManyConnections(error))
    return new Error(
      `the database ${shown_url} accepts no more connections (${reason}). Raise its limit, ` +
        "or lower database.connections",
      { cause },
    );
  if (reason.includes("startup parameter"))
    return new Error(`the database ${shown_url} can't be used: ${pooler_problem} (${reason})`, {
      cause,
    });
  return new Error(
    isUnreachable(error)
      ? `the database ${shown_url} can't be reached: ${reason}. Check that it is running and ` +
          "that database.url is right"
      : `the database ${shown_url} can't be opened: ${reason}`,
    { cause },
  );
}
