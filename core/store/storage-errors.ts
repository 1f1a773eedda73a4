/** Classifies errors of the database and the file system, and translates them into responses. */
import { tooManyOpen } from "../base/descriptors";
import { HttpError, NothingSaved, unavailable } from "../base/errors";

/** `SQLITE_FULL`, `ENOSPC` …, of the error itself or of its cause. */
function codeOf(error: unknown): string {
  const code: unknown = error instanceof Error && "code" in error ? error.code : undefined;
  if (error instanceof HttpError) return codeOf(error.cause);
  return typeof code === "string" ? code : "";
}
/** The SQLSTATE of a PostgreSQL error: five letters or digits. */
function sqlStateOf(error: unknown): string {
  if (error instanceof HttpError) return sqlStateOf(error.cause);
  const is_of_postgres = codeOf(error).startsWith("ERR_POSTGRES");
  const state: unknown =
    is_of_postgres && error instanceof Error && "errno" in error && error.errno;
  return typeof state === "string" ? state : "";
}
const hasState = (error: unknown, ...states: readonly string[]): boolean =>
  states.some((state) => sqlStateOf(error).startsWith(state));
const hasCode = (error: unknown, ...prefixes: readonly string[]): boolean =>
  prefixes.some((prefix) => codeOf(error).startsWith(prefix));

/** A row with the same unique key exists. */
export const isUnique = (error: unknown): boolean =>
  hasCode(error, "SQLITE_CONSTRAINT_UNIQUE", "SQLITE_CONSTRAINT_PRIMARYKEY") ||
  hasState(error, "23505");
/** The content of the file is not what was written to it. Includes the causes of the error. */
export const isDamage = (error: unknown): boolean =>
  hasCode(error, "SQLITE_CORRUPT", "SQLITE_NOTADB") ||
  hasState(error, "XX001", "XX002") ||
  (error instanceof Error && error.cause !== undefined && isDamage(error.cause));
const busy_code = "DATABASE_BUSY";
/** Others held the database, or every connection to it, for longer than the time limit. */
export const isBusy = (error: unknown): boolean =>
  hasCode(error, "SQLITE_BUSY", "SQLITE_LOCKED", busy_code) || hasState(error, "55P03", "57014");
/** No space on the disk, in the quota of the server's account, or within the maximum file size. */
export const isFull = (error: unknown): boolean =>
  (error instanceof HttpError && error.code === "storage_full") ||
  hasCode(error, "SQLITE_FULL", "SQLITE_IOERR_SHMSIZE", "ENOSPC", "EDQUOT", "EFBIG") ||
  hasState(error, "53100");
/** The storage can't be written to, or fails. */
export const isReadOnly = (error: unknown): boolean =>
  !isFull(error) &&
  (hasCode(error, "SQLITE_READONLY", "SQLITE_IOERR", "SQLITE_CANTOPEN", "EROFS", "EIO") ||
    hasState(error, "25006"));
/** What is stored can't be read or written: one sector, or the whole disk. */
export const isUnreadable = (error: unknown): boolean =>
  !isFull(error) && hasCode(error, "SQLITE_IOERR", "EIO");
/** The database can't be reached at the moment, or is stopping or starting. */
export const isUnreachable = (error: unknown): boolean =>
  hasCode(error, "ERR_POSTGRES_CONNECTION", "ERR_POSTGRES_IDLE", "ERR_POSTGRES_LIFETIME") ||
  hasState(error, "08", "57P", "53300", "25P03");
/** The database accepts no further connection. */
export const hasTooManyConnections = (error: unknown): boolean => hasState(error, "53300");
/** The place of the original files does not respond, or refuses this server. */
export const isFilesFault = (error: unknown): boolean => hasCode(error, "FILES_");
/** The operating system opens no further file, or starts no further process, at the moment. */
const isExhausted = (error: unknown): boolean =>
  hasCode(error, "EMFILE", "ENFILE", "EAGAIN", "ENOMEM");
/** Another transaction was in the way: a retry may succeed. */
export const isConflict = (error: unknown): boolean => hasState(error, "40001", "40P01");
/**
 * Written data may not be on the disk, and the operating system will not report it again: it drops
 * what it could not write.
 */
export const lostSync = (error: unknown): boolean =>
  hasCode(error, "SQLITE_IOERR_FSYNC", "SQLITE_IOERR_DIR_FSYNC");
/** The storage or the operating system is at fault, not the work: a later retry may help. */
export const isStorageFault = (error: unknown): boolean =>
  isFull(error) ||
  isExhausted(error) ||
  isReadOnly(error) ||
  isBusy(error) ||
  isUnreachable(error) ||
  isFilesFault(error);

/** 507. */
export const storageFull = (): HttpError =>
  new HttpError(
    507,
    "storage_full",
    "The server's storage is full. Nothing was saved. Delete folders, documents or chats that " +
      "are no longer needed, or ask the operator to free space on the disk, then try again.",
  );

/** 507: PostgreSQL can't even delete then. */
const databaseFull = (): HttpError =>
  new HttpError(
    507,
    "storage_full",
    "The disk of the database server is full. Nothing was saved. The operator must free space on " +
      "it or enlarge it; until then nothing can be deleted either.",
  );

/** 503. */
export const storageUnwritable = (): HttpError =>
  unavailable("The server's storage can't be written to at the moment. Nothing was saved.", 30);

/** 503: only the operator can repair it. */
const databaseDamaged = (): HttpError =>
  unavailable(
    "The server's database is damaged. The operator can find out what to do from the server's " +
      "log and from `dossier doctor`.",
    300,
  );

/** 503: every connection was in use for too long. */
export const databaseBusy = (): HttpError =>
  withCause(
    new NothingSaved("The database is busy. Try again in a few seconds.", 5),
    Object.assign(new Error("every connection is taken"), { code: busy_code }),
  );

/** 503: the connection was lost during the commit. */
export const outcomeUnknown = (cause: unknown): HttpError =>
  withCause(
    unavailable(
      "The connection to the database was lost while the change was being saved. Check whether " +
        "it was saved before you try again.",
      5,
    ),
    cause,
  );

/** The HTTP error for a storage fault (507 or 503); any other error is returned unchanged. */
export function translateError(error: unknown): unknown {
  if (error instanceof HttpError) return error;
  if (isFull(error))
    return withCause(hasState(error, "53100") ? databaseFull() : storageFull(), error);
  if (isReadOnly(error)) return withCause(storageUnwritable(), error);
  if (isDamage(error)) return withCause(databaseDamaged(), error);
  if (isBusy(error))
    return withCause(
      new NothingSaved("The database is in use by another program. Try again in a few seconds.", 2),
      error,
    );
  if (hasTooManyConnections(error))
    return withCause(
      new NothingSaved(
        "The database accepts no more connections at the moment. Try again in a few seconds.",
        5,
      ),
      error,
    );
  if (isUnreachable(error))
    return withCause(
      new NothingSaved("The database can't be reached at the moment. Try again shortly.", 5),
      error,
    );
  if (isExhausted(error)) return withCause(tooManyOpen(), error);
  if (isFilesFault(error))
    return withCause(
      new NothingSaved(
        "The storage for original files is not responding at the moment. Try again shortly.",
        30,
      ),
      error,
    );
  return error;
}
function withCause(http_error: HttpError, error: unknown): HttpError {
  http_error.cause = error;
  return http_error;
}
