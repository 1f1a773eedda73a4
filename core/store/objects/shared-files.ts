/**
 * Original files in a place shared by several processes. An upload is spooled and hashed here,
 * stored under its hash and verified, and only then may a row refer to it; conflicts between an
 * upload and a deletion of the same bytes are resolved with rows (`file-claims.ts`).
 */
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../base/clock";
import { unavailable } from "../../base/errors";
import { errorFields, type Log } from "../../base/log";
import { withTimeout } from "../../lib/timeout";
import {
  piecesOf,
  type Files,
  type FilesCounts,
  type ListedFile,
  type ReceiveFileOptions,
  type ReceivedFile,
  type StillUsed,
  type StoredBytes,
  type StoredFile,
} from "../files";
import { KeyedMutex } from "../keyed-mutex";
import { Spool, type Spooled } from "../spool";
import { isFilesFault, translateError } from "../storage-errors";
import type { Store } from "../store";
import { retry_ms, FileClaims, pin_ms } from "./file-claims";
import { LocalCopies } from "./local-copies";
import { FilesFault, type ObjectPlace } from "./place";

/** Files deleted in one go, before looking for others. */
const deleted_at_once = 200;
/** How often an upload checks whether a deletion of the same bytes has ended. */
const poll_ms = 100;
/** How long `failure` relies on the results of the last requests. */
const failure_hold_ms = 10_000;
const failure_ms_max = 2_000;

/** Where the files are, and how long deleted ones are kept. */
export interface SharedFilesOptions {
  readonly place: ObjectPlace;
  readonly store: Pick<Store, "db" | "inDeletion">;
  readonly clock: Pick<Clock, "now_ms">;
  readonly log: Log;
  /** A directory private to this process. */
  readonly temporary: string;
  readonly cache_bytes_max: number;
  /** The grace period. */
  readonly keep_deleted_ms: number;
  /** Whether no other process serves the database. */
  readonly alone: boolean;
}

/** The port `Files` for a shared place. Temporary files and copies are private to the process. */
export class SharedFiles implements Files {
  private readonly claims: FileClaims;
  private readonly copies: LocalCopies;
  private readonly spool: Spool;
  /** Identical bytes sent many times at once are uploaded once. */
  private readonly putting = new KeyedMutex();
  /** By file: the uploads of this process that hold it. */
  private readonly uses = new Map<string, number>();
  /** Deletions requested while it was held. */
  private readonly pending_removals = new Map<string, StillUsed>();
  private fault: string | null = null;
  private checked_at_ms = -Infinity;

  constructor(private readonly options: SharedFilesOptions) {
    this.claims = new FileClaims(options.store, options.clock);
    this.spool = new Spool(join(options.temporary, "arriving"));
    this.copies = new LocalCopies(join(options.temporary, "copies"), options.cache_bytes_max);
  }

  get place(): string {
    return this.options.place.display_name;
  }

  requireFreeSpace(): void {
    this.spool.requireFreeSpace();
  }

  async receive(
    bytes: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>,
    options: ReceiveFileOptions,
  ): Promise<ReceivedFile> {
    return new Upload(this, await this.spool.receive(bytes, options));
  }

  abortUploads(): void {
    this.spool.abort();
  }

  open(sha256: string): Promise<StoredBytes | undefined> {
    return this.request((place) => place.open(sha256));
  }

  async withLocalFile<R>(sha256: string, use: (path: string) => Promise<R>): Promise<R> {
    const path = this.options.place.localPath(sha256);
    if (path === undefined) return this.copies.use(sha256, (to) => this.fetch(sha256, to), use);
    await this.request((place) => place.ping());
    return use(path);
  }

  async remove(sha256s: readonly string[], stillUsed: StillUsed): Promise<number | null> {
    const { keep_deleted_ms } = this.options;
    const unused: string[] = [];
    for (const sha256 of new Set(sha256s)) if (!(await stillUsed(sha256))) unused.push(sha256);
    if (unused.length === 0) return null;
    await this.copies.drop(unused);
    await this.claims.remove(unused, keep_deleted_ms);
    if (keep_deleted_ms > 0) return keep_deleted_ms;
    let is_done = true;
    for (const sha256 of unused) {
      if (await this.removeOne(sha256, stillUsed)) continue;
      // An upload of this process deletes the file when it releases it; one of another process
      // leaves it to the job.
      if (this.uses.has(sha256)) this.pending_removals.set(sha256, stillUsed);
      else is_done = false;
    }
    return is_done ? null : retry_ms;
  }

  async deleteDue(stillUsed: StillUsed): Promise<number | null> {
    await this.claims.releaseCutOff({ all: false, delay_ms: this.options.keep_deleted_ms });
    for (;;) {
      const due = await this.claims.due(deleted_at_once);
      for (const sha256 of due) await this.removeOne(sha256, stillUsed);
      if (due.length < deleted_at_once) return this.claims.nextDue();
    }
  }

  async *list(): AsyncGenerator<readonly StoredFile[]> {
    try {
      yield* this.options.place.list();
    } catch (error) {
      throw this.noteFault(error);
    }
  }

  async sweep(stillUsed: StillUsed): Promise<number> {
    await this.spool.sweep();
    if (this.options.alone)
      await this.claims.releaseCutOff({ all: true, delay_ms: this.options.keep_deleted_ms });
    await this.deleteDue(stillUsed);
    return 0;
  }

  async findLeftOver(sha256s: readonly string[]): Promise<readonly string[]> {
    const claimed = await this.claims.claimed(sha256s);
    return sha256s.filter((sha256) => !claimed.has(sha256));
  }

  async check(): Promise<void> {
    try {
      await this.options.place.probe();
    } catch (error) {
      throw isFilesFault(error) ? new Error((error as Error).message, { cause: error }) : error;
    }
  }

  async failure(): Promise<string | null> {
    const now_ms = performance.now();
    if (now_ms - this.checked_at_ms < failure_hold_ms) return this.fault;
    this.checked_at_ms = now_ms;
    const timeout = (): Error =>
      new FilesFault("FILES_UNREACHABLE", `${this.place}: it did not respond within 2 s.`);
    try {
      await withTimeout(this.options.place.ping(), failure_ms_max, timeout);
      this.fault = null;
    } catch (error) {
      this.noteFault(error);
    }
    return this.fault;
  }

  counts(): FilesCounts {
    return { ...this.options.place.counts(), cached_bytes: this.copies.bytes };
  }

  /** Deletes temporary files and copies. Nothing may use them any more. */
  async close(): Promise<void> {
    await this.copies.clear();
    await rm(this.options.temporary, { force: true, recursive: true });
  }

  /**
   * For `Upload`: stores the file, and returns the pin that protects it from deletion. @throws
   * HttpError 503
   */
  async publish(spooled: Spooled): Promise<Pin> {
    const { sha256, size_bytes } = spooled;
    const { id, deleting_ms } = await this.claims.pin(sha256);
    const pin = new Pin(this.claims, id, this.options.log);
    this.uses.set(sha256, (this.uses.get(sha256) ?? 0) + 1);
    try {
      if (deleting_ms > 0) await this.untilDeleted(sha256);
      await this.request((place) =>
        this.putting.run(sha256, () => putWhole(place, spooled.path, { sha256, size_bytes })),
      );
      return pin;
    } catch (error) {
      // It may have been stored nevertheless.
      await this.claims.remove([sha256], this.options.keep_deleted_ms).catch(() => undefined);
      await this.unpin(sha256, pin);
      throw error;
    }
  }

  /** For `Upload`: its rows are committed, or never will be. */
  async unpin(sha256: string, pin: Pin): Promise<void> {
    await pin.end();
    const remaining = this.uses.get(sha256)! - 1;
    if (remaining > 0) {
      this.uses.set(sha256, remaining);
      return;
    }
    this.uses.delete(sha256);
    const stillUsed = this.pending_removals.get(sha256);
    this.pending_removals.delete(sha256);
    // The upload has succeeded nevertheless: the job finds the file.
    if (!stillUsed || !(await this.removeOne(sha256, stillUsed).catch(() => false))) return;
    await this.copies.drop([sha256]);
  }

  /** For `Upload`: keeps its bytes on this machine as a copy, because they are read next. */
  async keepCopy({ sha256, size_bytes, path }: Spooled): Promise<void> {
    const is_here = this.options.place.localPath(sha256) !== undefined;
    if (is_here || !(await this.copies.adopt(sha256, size_bytes, path)))
      await this.spool.discard(path);
    else this.spool.forget(path);
  }

  /** For `Upload`. */
  discard(path: string): Promise<void> {
    return this.spool.discard(path);
  }

  private async untilDeleted(sha256: string): Promise<void> {
    const deadline_ms = performance.now() + this.options.place.timeout_ms;
    while ((await this.claims.deletingFor(sha256)) > 0) {
      if (performance.now() > deadline_ms)
        throw unavailable("The same file is just being deleted. Send it again.", 10);
      await Bun.sleep(poll_ms);
    }
  }

  /** True when the file was deleted. */
  private async removeOne(sha256: string, stillUsed: StillUsed): Promise<boolean> {
    const { place } = this.options;
    const deletion_ms = 4 * place.timeout_ms + poll_ms;
    const begun_at_ms = performance.now();
    if (!(await this.claims.begin(sha256, deletion_ms))) return false;
    try {
      const is_used = await stillUsed(sha256);
      // A process that was suspended meanwhile has lost the right to do it.
      const mayDelete = (): boolean => performance.now() - begun_at_ms <= place.timeout_ms;
      if (!mayDelete()) throw new Error("it took too long");
      if (!is_used) await this.request(() => place.remove(sha256, mayDelete));
      await this.claims.end(sha256);
      return !is_used;
    } catch (error) {
      await this.claims.postpone(sha256);
      throw error;
    }
  }

  /** Writes a copy, verified against its name. */
  private async fetch(sha256: string, to: string): Promise<void> {
    const bytes = await this.open(sha256);
    if (!bytes) throw new Error(`the original ${sha256} is not in ${this.place}`);
    const hash = new Bun.CryptoHasher("sha256");
    await this.request(async ({ display_name }) => {
      await using file = await open(to, "wx");
      for await (const piece of piecesOf(bytes)) {
        hash.update(piece);
        await file.writeFile(piece);
      }
      if (hash.digest("hex") !== sha256)
        throw new Error(`the original ${sha256} in ${display_name} does not match its SHA-256`);
    });
  }

  /** Sends a request to the place, and remembers the result for `failure`. @throws HttpError */
  private async request<R>(send: (place: ObjectPlace) => Promise<R>): Promise<R> {
    try {
      const result = await send(this.options.place);
      this.fault = null;
      return result;
    } catch (error) {
      throw this.noteFault(error);
    }
  }

  private noteFault(error: unknown): unknown {
    if (isFilesFault(error) && error instanceof FilesFault) {
      if (this.fault === null)
        this.options.log.error("original files can't be stored or read", errorFields(error));
      this.fault = error.message;
      this.checked_at_ms = performance.now();
    }
    return translateError(error);
  }
}

/** Unless it exists. When this returns, the place has the whole file. */
async function putWhole(place: ObjectPlace, path: string, file: ListedFile): Promise<void> {
  const { sha256, size_bytes } = file;
  if ((await place.size(sha256)) === size_bytes) return;
  await place.put(path, file);
  const stored_bytes = await place.size(sha256);
  if (stored_bytes !== size_bytes)
    throw new FilesFault(
      "FILES_UNREACHABLE",
      `${place.display_name}: of an object of ${size_bytes} bytes it has ` +
        `${stored_bytes ?? "none"}.`,
    );
}

/** Holds a file from before it is stored until the rows that refer to it are committed. */
class Pin {
  private readonly timer: Timer;

  constructor(
    private readonly claims: FileClaims,
    private readonly id: string,
    private readonly log: Log,
  ) {
    this.timer = setInterval(() => void this.renew(), pin_ms / 4);
    this.timer.unref();
  }

  async end(): Promise<void> {
    clearInterval(this.timer);
    // One that is not removed expires by itself.
    await this.claims.unpin(this.id).catch(this.report);
  }

  private async renew(): Promise<void> {
    await this.claims.renew(this.id).catch(this.report);
  }

  private readonly report = (error: unknown): void =>
    this.log.warn("the claim of an upload on its file could not be saved", errorFields(error));
}

class Upload implements ReceivedFile {
  private pin: Pin | undefined;
  private released = false;

  constructor(
    private readonly files: SharedFiles,
    private readonly spooled: Spooled,
  ) {}

  get sha256(): string {
    return this.spooled.sha256;
  }
  get size_bytes(): number {
    return this.spooled.size_bytes;
  }
  get path(): string {
    return this.spooled.path;
  }

  async keep(): Promise<void> {
    if (this.pin !== undefined || this.released)
      throw new Error("an upload can be kept once, and not after its release");
    this.pin = await this.files.publish(this.spooled);
  }

  async release(): Promise<void> {
    if (this.released) return;
    this.released = true;
    const { file, path } = this.spooled;
    try {
      await file.close();
      if (this.pin) await this.files.keepCopy(this.spooled);
      else await this.files.discard(path);
    } finally {
      if (this.pin) await this.files.unpin(this.sha256, this.pin);
    }
  }
}
