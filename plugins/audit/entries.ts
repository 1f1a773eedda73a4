/**
 * What the audit log records of a request or a command: who, from where, what and which record, as
 * ids. Never anything that people wrote: no body, no query, no name.
 */
import { systemUser, type CommandNote, type RunCommand, type ServedRequest } from "../../core/sdk";
import type { EntryRow, Outcome } from "./store";

/** An entry before it is written, which is when the actor's email is looked up. */
export type NewEntry = Omit<EntryRow, "id" | "created_at">;

/** Ids of records: anything else in a path was never a record. */
const id_pattern = /^[a-z]{2,8}_\w{1,64}$/;
const idOrNull = (text: string | null | undefined): string | null =>
  text && id_pattern.test(text) ? text : null;
/** What handlers report: ids, and names such as those of settings and backups. */
const name_pattern = /^[\w.-]{1,128}$/;
const nameOrNull = (text: string | null): string | null =>
  text !== null && name_pattern.test(text) ? text : null;

/** Which requests are recorded. */
export interface Scope {
  /** Includes reads in the console. */
  readonly reads: boolean;
}

/**
 * One for each record that the request was about; empty when it is not recorded: it changed
 * nothing, and was not refused either.
 */
export function entriesOf(served: ServedRequest, scope: Scope): NewEntry[] {
  const entry = entryOf(served, scope);
  if (entry === null) return [];
  return [entry, ...served.also_about.map((record) => ({ ...entry, record: nameOrNull(record) }))];
}

function entryOf(served: ServedRequest, { reads }: Scope): NewEntry | null {
  const { route, status, surface } = served;
  if (route === null || route.root) return null;
  const changes = route.audited ?? (route.method !== "GET" && route.scope !== "read");
  const is_read = reads && surface === "console" && isRead(served);
  if (!changes && !is_read) return null;
  const outcome = outcomeOf(status);
  if (outcome === null) return null;
  const { owner_id, key_id, client, request_id } = served;
  const record = recordOf(served);
  return {
    // A user who signs in is known afterwards, and by their address when they fail to.
    actor_id: owner_id ?? (record?.startsWith("usr_") ? record : null),
    actor: null,
    via: surface,
    key_id,
    address: client.address,
    action: route.operation,
    record,
    outcome,
    status,
    request_id,
  };
}

/** A record, its file or its contents; searches return quotes of documents. */
const isRead = ({ route, params }: ServedRequest): boolean =>
  Object.keys(params).length > 0 || route?.scope === "read";

/**
 * Done; refused because of the caller; failed. Null for requests that were invalid, or had nothing
 * to do: nothing happened.
 */
function outcomeOf(status: number): Outcome | null {
  if (status < 400) return "done";
  if (status >= 500) return "failed";
  return status === 401 || status === 403 || status === 429 ? "refused" : null;
}

/**
 * The record named by the handler, otherwise the created one, otherwise the last id in the path.
 */
const recordOf = ({ about, location, params }: ServedRequest): string | null =>
  nameOrNull(about) ??
  idOrNull(location?.split(/[?#]/)[0]!.split("/").at(-1)) ??
  idOrNull(Object.values(params).at(-1));

/** The entry of a command that was run on the command line. */
export const commandEntry = ({ name, about, done }: RunCommand): NewEntry => ({
  actor_id: null,
  actor: systemUser(),
  via: "command_line",
  key_id: null,
  address: null,
  action: name,
  record: nameOrNull(about),
  outcome: done ? "done" : "failed",
  status: null,
  request_id: null,
});

/** What a tool did before this start. */
export const notedEntry = ({ id, at_ms, by, ...command }: CommandNote): EntryRow => ({
  ...commandEntry(command),
  actor: by,
  id,
  created_at: at_ms,
});
