/**
 * Makes a backup and rehearses it. The work is done by child processes with connections of their
 * own: this process only coordinates the steps.
 */
import { existsSync, readdirSync } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { findLeftovers, removeLeftovers } from "../../core/lib/temporary-files";
import {
  badRequest,
  commit,
  conflict,
  HttpError,
  lockFile,
  rfc3339,
  version,
  type Context,
  type Isolate,
} from "../../core/sdk";
import { database_part, type Manifest } from "./archive";
import type { BackupProbe } from "./contract";
import { whyUnusable } from "./directory";
import type { Progress } from "./progress";
import type { BackupTasks } from "./tasks";

/** Names of backups, precise to the millisecond: they sort by time. */
export const backup_pattern = /^dossier-\d{8}T\d{9}Z\.zip$/;
const unfinished = ".unfinished";
const work_prefix = ".backup-work-";
const limits = { timeout_ms: 12 * 3_600_000, memory_max_bytes: 1024 * 2 ** 20 };

/** What a backup contains and where it goes. */
export interface MakeRequest {
  /** Default: the directory in the settings. */
  readonly directory?: string | undefined;
  readonly with_secrets: boolean;
  /** A backup, or a directory of them: originals that they contain are left out. */
  readonly incremental_to?: string | undefined;
}
/** How to follow the work, and to stop it. */
export interface Watch {
  readonly onProgress: (progress: Progress) => void;
  readonly signal?: AbortSignal | undefined;
}
/** The finished backup, which was rehearsed. */
export interface Made {
  readonly path: string;
  readonly bytes: number;
  readonly manifest: Manifest;
}

/** The message when the database is a server and can't be backed up here. */
export const elsewhere_message =
  "Backups do not include PostgreSQL databases. Back up the database with pg_dump and then " +
  "the original files; `dossier backup originals` lists them for checking. See " +
  "docs/scale.md.";

/** Deleting less at once delays nobody. */
const large_copy_bytes = 2 ** 24;

/** What the maker needs besides `Context`. */
export interface MakerContext extends Pick<Context, "files" | "paths" | "now_ms"> {
  readonly isolate: Isolate<BackupTasks>;
  readonly probes: () => readonly BackupProbe[];
  /** From the settings: where backups go. */
  readonly directory: string;
  readonly secret_settings: () => readonly string[];
}

/** Makes a backup step by step. If a step fails, nothing is left behind. */
export class BackupMaker {
  constructor(private readonly ctx: MakerContext) {}

  /** Deletes what a crash has left, unless it belongs to a backup in progress. */
  async clean(): Promise<void> {
    const { directory, paths } = this.ctx;
    const work = findLeftovers(join(paths.data, "backups"), work_prefix);
    if (work.length === 0 && !namesIn(directory).some(isHalf)) return;
    try {
      await this.working(() => removeHalves(directory));
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
    }
  }

  /**
   * @throws HttpError when it can't begin, Error in plain words; an incomplete backup is deleted.
   */
  async make(request: MakeRequest, watch: Watch): Promise<Made> {
    if (this.ctx.paths.database === null) throw conflict(elsewhere_message, "database_elsewhere");
    const directory = resolve(request.directory ?? this.ctx.directory);
    const why = await whyUnusable(directory);
    if (why !== null) throw new Error(why);
    await mkdir(directory, { recursive: true });
    return this.working(async (work) => {
      await removeHalves(directory);
      const at_ms = this.ctx.now_ms();
      const path = join(directory, await freeName(directory, at_ms));
      const archive = `${path}${unfinished}`;
      try {
        const bases = await archivesOf(request.incremental_to);
        const manifest = await this.write({ ...request, bases, at_ms, work, archive }, watch);
        await this.discard(work);
        await mkdir(work);
        await this.rehearseIn({ archive, work, beside: bases.map(dirname) }, watch);
        await rename(archive, path);
        await syncDirectory(directory);
        return { path, bytes: (await stat(path)).size, manifest };
      } catch (error) {
        await rm(archive, { force: true });
        throw error;
      }
    });
  }

  /** @throws Error that says why the backup can't be relied on. */
  rehearse(path: string, watch: Watch): Promise<Manifest> {
    return this.working((work) => this.rehearseIn({ archive: path, work, beside: [] }, watch));
  }

  private async write(
    {
      bases,
      at_ms,
      work,
      archive,
      with_secrets,
    }: MakeRequest & {
      readonly bases: readonly string[];
      readonly at_ms: number;
      readonly work: string;
      readonly archive: string;
    },
    watch: Watch,
  ): Promise<Manifest> {
    const { isolate, paths, secret_settings } = this.ctx;
    const quietly = { ...limits, ...signalOf(watch) };
    const options = { ...quietly, onMessage: watch.onProgress };
    const { database, data } = paths;
    const { place } = this.ctx.files;
    // Originals elsewhere are not held, but listed below.
    const files = join(place === null ? data : work, "files");
    if (place !== null) await mkdir(files);
    const elsewhere = bases.length === 0 ? null : join(work, "elsewhere.jsonl");
    if (elsewhere !== null)
      await isolate("writeKnown", { archives: bases, output: elsewhere }, quietly);
    const directory = dirname(archive);
    await isolate(
      "requireFreeSpace",
      { database: database!, files, work, directory, elsewhere },
      quietly,
    );
    const facts = await isolate("takeCopy", { database: database!, files, work }, options);
    const answers = await this.ask(join(work, database_part), watch);
    const stored = place === null ? null : { in: place, list: join(work, "stored.jsonl") };
    if (stored) await this.listStored(stored.list, watch);
    return isolate(
      "pack",
      {
        work,
        data,
        archive,
        with_secrets,
        secret_settings: secret_settings(),
        facts,
        answers,
        made_at: rfc3339(at_ms),
        made_by: { version, commit },
        elsewhere,
        stored,
      },
      options,
    );
  }

  /** Originals outside the data directory, listed after the copy: all that it refers to exist. */
  private async listStored(path: string, { onProgress, signal }: Watch): Promise<void> {
    await using list = await open(path, "wx");
    let done = 0;
    for await (const files of this.ctx.files.list()) {
      signal?.throwIfAborted();
      for (const { sha256, size_bytes: bytes } of files)
        await list.writeFile(`${JSON.stringify({ sha256, bytes })}\n`);
      onProgress({ stage: "originals", done: (done += files.length), total: null });
    }
  }

  private async rehearseIn(
    input: { readonly archive: string; readonly work: string; readonly beside: readonly string[] },
    watch: Watch,
  ): Promise<Manifest> {
    const options = { ...limits, ...signalOf(watch), onMessage: watch.onProgress };
    const manifest = await this.ctx.isolate("rehearse", input, options);
    const { dossier, answers } = manifest;
    // Another version may ask other questions.
    if (dossier.version !== version || dossier.commit !== commit) return manifest;
    const now = await this.ask(join(input.work, database_part), watch);
    const other = Object.keys(answers).find((name) => !Bun.deepEquals(now[name], answers[name]));
    if (other !== undefined)
      throw new Error(`queries on the copied database gave different results (${other})`);
    return manifest;
  }

  /** Its database is large: it is deleted bit by bit. */
  private async discard(work: string): Promise<void> {
    const copy = join(work, database_part);
    const size = (await stat(copy).catch(() => null))?.size ?? 0;
    // When no child can run, because the server is stopping, it is deleted at once.
    if (size > large_copy_bytes) await this.ctx.isolate("discard", copy, limits).catch(() => {});
    await rm(work, { recursive: true, force: true });
  }

  /** The answers of the database at this path to each probe. */
  private async ask(database: string, { onProgress }: Watch): Promise<Manifest["answers"]> {
    onProgress({ stage: "questions", done: 0, total: null });
    const answers: Manifest["answers"] = {};
    for (const { name, ask } of this.ctx.probes()) answers[name] = await ask(database);
    return answers;
  }

  /** One at a time on a data directory, in any process. */
  private async working<R>(work: (directory: string) => Promise<R>): Promise<R> {
    const home = join(this.ctx.paths.data, "backups");
    await mkdir(home, { recursive: true });
    const unlock = lockFile(join(home, "backup.lock"), () =>
      conflict("Another backup of this data directory is in progress.", "backup_running"),
    );
    const directory = join(home, `${work_prefix}${this.ctx.now_ms()}`);
    try {
      await removeLeftovers(home, work_prefix);
      await mkdir(directory, { mode: 0o700 });
      return await work(directory);
    } finally {
      await this.discard(directory);
      unlock();
    }
  }
}

const signalOf = ({ signal }: Watch) => (signal === undefined ? {} : { signal });

/** The backups at a path: itself, or those in the directory. @throws Error when there are none. */
async function archivesOf(path: string | undefined): Promise<string[]> {
  if (path === undefined) return [];
  const absolute_path = resolve(path);
  if (!existsSync(absolute_path))
    throw badRequest(`There is no backup ${absolute_path} to base an incremental backup on.`);
  if (!(await stat(absolute_path)).isDirectory()) return [absolute_path];
  const names = (await readdir(absolute_path)).filter((name) => backup_pattern.test(name)).sort();
  if (names.length === 0)
    throw badRequest(`There is no backup in ${absolute_path} to base an incremental backup on.`);
  return names.map((name) => join(absolute_path, name));
}

async function removeHalves(directory: string): Promise<void> {
  for (const name of await readdir(directory).catch(() => []))
    if (isHalf(name)) await rm(join(directory, name), { force: true });
}
const isHalf = (name: string): boolean =>
  name.endsWith(unfinished) && backup_pattern.test(name.slice(0, -unfinished.length));

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

async function freeName(directory: string, at_ms: number): Promise<string> {
  const existing_names = new Set(await readdir(directory));
  const nameOf = (ms: number): string => `dossier-${rfc3339(ms).replaceAll(/[-:.]/g, "")}.zip`;
  let ms = at_ms;
  while (existing_names.has(nameOf(ms))) ms++;
  return nameOf(ms);
}

/** Makes a rename in this directory survive a power failure. */
async function syncDirectory(directory: string): Promise<void> {
  await using handle = await open(directory, "r");
  await handle.sync();
}

/** Whether it is the name of a backup, without a path. */
export const isBackupName = (name: string): boolean =>
  backup_pattern.test(name) && basename(name) === name;
