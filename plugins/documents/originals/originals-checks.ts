/**
 * Health checks of originals: the place where they are kept, and its files compared with the
 * documents that need them, both read in the order of the files.
 */
import { counted } from "../../../core/lib/counted";
import { nextTurn } from "../../../core/lib/chunked-work";
import { ok, type CheckResult, type SystemCheck } from "../../doctor/contract";
import { isWhole, type Context, type StoredFile } from "../../../core/sdk";
import type { FileUsers } from "./file-users";
import * as store from "../checks/check-store";
import { documentCount, idList } from "../checks/check-words";

/** Rows per read of the database. */
const page_size = 500;
/** The maximum number of problems; the search ends there. */
const problems_max = 1_000;
/** Reading pauses after this time, for as long as it has taken. */
const pause_after_ms = 20;
/** The result is kept this long, because the check writes to the storage of originals. */
const storage_hold_ms = 5 * 60_000;

export interface OriginalsContext extends Pick<Context, "db" | "files"> {
  readonly file_users: Pick<FileUsers, "leftOverSince">;
}
type IsUsed = (sha256: string) => Promise<boolean>;

interface DamagedOriginal {
  readonly document_id: string;
  readonly sha256: string;
}
interface Compared {
  /** Existing originals, and documents whose original is missing. */
  readonly count: number;
  readonly lost: readonly string[];
  /** Those whose original has other bytes than were uploaded, where these are read. */
  readonly damaged: readonly DamagedOriginal[];
  /** Files that nobody uses and that nothing will delete by itself. */
  readonly left_over: readonly string[];
  /** The search ended before the last original, because there are many problems. */
  readonly is_cut: boolean;
}

/** The checks for the place where originals are kept. */
export function originalsChecks(
  ctx: OriginalsContext,
  isUsed: IsUsed,
  hold_ms: number,
): SystemCheck[] {
  const { files } = ctx;
  if (files.place === null)
    return [
      {
        name: "Originals",
        hold_ms,
        run: () => checkOriginals(ctx, isUsed),
        deep: (onProgress) => checkOriginals(ctx, isUsed, new OriginalReader(files, onProgress)),
      },
    ];
  return [
    { name: "Storage of originals", hold_ms: storage_hold_ms, run: () => checkStorage(ctx) },
    {
      name: "Originals",
      hold_ms,
      run: () => checkOriginals(ctx, isUsed),
      deep: (onProgress) => checkOriginals(ctx, isUsed, new OriginalReader(files, onProgress)),
      mend: async () => {
        const { left_over } = await compare(ctx, isUsed);
        await files.remove(left_over, isUsed);
        return `${left_over.length} unused files will be deleted.`;
      },
    },
  ];
}

async function checkStorage({ files }: OriginalsContext): Promise<CheckResult> {
  try {
    await files.check();
    return ok(`Files can be stored in, read from and deleted from ${files.place}.`);
  } catch (error) {
    return { status: "fail", detail: (error as Error).message, fix: "Check files.url." };
  }
}

async function checkOriginals(
  ctx: OriginalsContext,
  isUsed: IsUsed,
  reader?: OriginalReader,
): Promise<CheckResult> {
  const { count, lost, damaged, left_over, is_cut } = await compare(ctx, isUsed, reader);
  const at_least = is_cut ? "at least " : "";
  const storage = ctx.files.place;
  if (lost.length > 0)
    return {
      status: "fail",
      detail:
        `The originals of ${at_least}${documentCount(lost.length)} are missing or cut off: ` +
        `${idList(lost)}.`,
      fix:
        (storage === null
          ? "Restore them from a backup (files/ in it), or upload these documents again"
          : `Restore them to ${storage} from a copy, or upload these documents again`) +
        ". Their text is still available for search and answers.",
    };
  if (damaged.length > 0)
    return {
      status: "fail",
      detail:
        `The originals of ${at_least}${documentCount(damaged.length)} are damaged or can't be ` +
        `read: ${idList(damaged.map(({ document_id }) => document_id))}. ` +
        `Their files: ${idList(damaged.map(({ sha256 }) => sha256))}.`,
      fix:
        (storage === null
          ? "Upload the same files again, or restore them from a backup (files/ in it). Until " +
            "then, no new backup can be made"
          : `Restore them to ${storage} from a copy`) +
        ". Their text is still available for search and answers.",
    };
  if (left_over.length > 0)
    return {
      status: "warn",
      detail:
        `${at_least}${counted(left_over.length, "original belongs", "originals belong")} to no ` +
        "document, for example after a crash.",
      fix:
        storage === null
          ? "Restart the server, which deletes them at the start."
          : "Delete them: dossier doctor --fix.",
    };
  return ok(`${counted(count, "original")}, none missing${reader ? " or damaged" : ""}.`);
}

/** Reads originals to their end, at half the speed of their storage, which others use too. */
class OriginalReader {
  private count = 0;
  private bytes = 0;
  private paused_at_ms = performance.now();

  constructor(
    private readonly files: Context["files"],
    private readonly onProgress: (progress: string) => void,
  ) {}

  /** @throws HttpError 503 when the place does not respond */
  async isWhole(sha256: string): Promise<boolean> {
    const bytes = await this.files.open(sha256);
    this.count += 1;
    try {
      return bytes !== undefined && (await isWhole(bytes, sha256, this.pause));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EIO") return false;
      throw error;
    }
  }

  private readonly pause = async (piece_bytes: number): Promise<void> => {
    this.bytes += piece_bytes;
    const worked_ms = performance.now() - this.paused_at_ms;
    if (worked_ms < pause_after_ms) return;
    await Bun.sleep(worked_ms);
    this.paused_at_ms = performance.now();
    this.onProgress(
      `${counted(this.count, "file")} so far, ${(this.bytes / 2 ** 30).toFixed(1)} GiB`,
    );
  };
}

/** Differences are checked again, because documents change while they are read. */
async function compare(
  { db, files, file_users }: OriginalsContext,
  isUsed: IsUsed,
  reader?: OriginalReader,
): Promise<Compared> {
  const lost: string[] = [];
  const damaged: DamagedOriginal[] = [];
  const left_over: string[] = [];
  const unused: string[] = [];
  let count = 0;
  const isFull = (): boolean =>
    Math.max(lost.length, left_over.length, damaged.length) >= problems_max;
  const since_ms = await file_users.leftOverSince();
  const addUnused = async ({ sha256, stored_at }: StoredFile): Promise<void> => {
    if (stored_at >= since_ms && !(await isUsed(sha256))) unused.push(sha256);
    if (unused.length >= page_size) await findLeftOver();
  };
  const findLeftOver = async (): Promise<void> => {
    left_over.push(...(await files.findLeftOver(unused.splice(0))));
  };
  const listed = itemsOf(files.list()[Symbol.asyncIterator]());
  let entry = await listed.next();
  let matched_sha256 = "";
  let is_whole = true;
  for await (const { document_id, sha256, size_bytes } of rowsOf(db)) {
    for (; !entry.done && entry.value.sha256 < sha256; entry = await listed.next())
      if (entry.value.sha256 !== matched_sha256) await addUnused(entry.value);
    count++;
    const is_there =
      !entry.done && entry.value.sha256 === sha256 && entry.value.size_bytes === size_bytes;
    if (is_there && sha256 !== matched_sha256) {
      matched_sha256 = sha256;
      is_whole = reader === undefined || (await reader.isWhole(sha256));
    }
    if (is_there && !is_whole && (await isUsed(sha256))) damaged.push({ document_id, sha256 });
    if (!is_there && (await files.open(sha256))?.size !== size_bytes && (await isUsed(sha256)))
      lost.push(document_id);
    if (isFull()) break;
  }
  for (; !entry.done && !isFull(); entry = await listed.next())
    if (entry.value.sha256 !== matched_sha256) await addUnused(entry.value);
  await listed.return(undefined);
  await findLeftOver();
  return { count, lost, damaged, left_over, is_cut: isFull() };
}

async function* itemsOf<T>(pages: AsyncIterator<readonly T[]>): AsyncGenerator<T, undefined> {
  for (let page = await pages.next(); !page.done; page = await pages.next()) {
    yield* page.value;
    await nextTurn();
  }
  return undefined;
}

/** Versions with a file, in the order of their files. */
async function* rowsOf(db: Context["db"]) {
  let after = { sha256: "", document_id: "", version: 0 };
  for (;;) {
    const rows = await store.listOriginals(db, after, page_size);
    yield* rows;
    if (rows.length < page_size) return;
    after = rows.at(-1)!;
    await nextTurn();
  }
}
