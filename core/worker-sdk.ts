/**
 * What a plugin's worker may use of core: a connection of its own to read the database, and what
 * its errors mean. `core/sdk.ts` would load the whole server into each thread.
 */
export { HttpError } from "./base/errors";
export { translateError } from "./store/storage-errors";
export { openReadConnection } from "./store/read-connection";
export type { ReadConnection, ReadConnectionSpec } from "./store/read-connection";
export { PostgresReadSession } from "./store/postgres/read-session";
