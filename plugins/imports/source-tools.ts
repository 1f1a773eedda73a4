/**
 * The tools of a source for listing and reading its items: fetching within the rules of imports,
 * and keeping one file during its run.
 */
import type { ReceivedFile } from "../../core/sdk";
import { findSource, type ImportContext } from "./context";
import {
  SourceFailure,
  type FetchedFile,
  type ImportOwner,
  type ImportSource,
  type SourceTools,
} from "./contract";
import { fetchTarget } from "./fetcher";
import type { RobotsOfRun } from "./politeness";
import { joinSecrets, SecretHider, unsealSecrets } from "./secrets";
import * as store from "./store";

/** The owner of the import, for a source. */
export const ownerOf = async (
  { accounts }: Pick<ImportContext, "accounts">,
  owner_id: string,
): Promise<ImportOwner> => {
  const { id, email } = await accounts.findUser(owner_id);
  return { id, email };
};

/** What is needed to read the source of a run. `close` the tools. */
export interface SourceAccess {
  readonly source: ImportSource;
  /**
   * The source as given by the caller, including its secrets; read once. A list of thousands of
   * addresses is not needed to fetch one of them.
   */
  readonly fields: () => Promise<object>;
  readonly tools: RunTools;
  readonly hider: SecretHider;
}

/** Opens the source of a run; returns a failure when its type or its secrets are gone. */
export async function openSource(
  ctx: ImportContext,
  run_id: string,
  signal: AbortSignal,
): Promise<SourceAccess | SourceFailure> {
  const run = await store.sourceStartOf(ctx.db, run_id);
  const type = store.typeOf(run.start);
  const source = findSource(ctx, type);
  if (!source) return new SourceFailure(`The source type ${type} no longer exists.`);
  try {
    const secrets = unsealSecrets(ctx, run.owner_id, run.secrets);
    const tools = new RunTools(ctx, run_id, await ownerOf(ctx, run.owner_id), signal);
    const readFields = async (): Promise<object> =>
      joinSecrets(JSON.parse(await store.sourceOf(ctx.db, run_id)), secrets);
    let reading: Promise<object> | undefined;
    const fields = (): Promise<object> => (reading ??= readFields());
    return { source, fields, tools, hider: new SecretHider(secrets) };
  } catch (error) {
    if (error instanceof SourceFailure) return error;
    throw error;
  }
}

/** The tools of one run. Functions are properties, so that a source may destructure them. */
export class RunTools implements SourceTools {
  readonly temporary: string;
  readonly upload_bytes_max: number;
  readonly timeout_ms: number;
  /** The source has reported that it has listed everything. */
  is_complete = false;
  private readonly robots: RobotsOfRun;
  /** Fetched files that were not released yet. */
  private readonly fetched = new Set<ReceivedFile>();
  /** Closes responses of services that were neither read nor released. */
  private readonly ended = new AbortController();
  private readonly working: AbortSignal;
  private readonly endings: (() => Promise<void>)[] = [];
  private readonly closed = Promise.withResolvers<void>();
  /** Uses of stored files, each until `close`. */
  private readonly uses: Promise<void>[] = [];

  /** `run_id` null: nothing is kept beyond `close`, as in a dry run. */
  constructor(
    private readonly ctx: ImportContext,
    private readonly run_id: string | null,
    readonly owner: ImportOwner,
    readonly signal: AbortSignal,
  ) {
    this.working = AbortSignal.any([signal, this.ended.signal]);
    this.temporary = ctx.paths.temporary;
    this.upload_bytes_max = ctx.documents.upload_bytes_max();
    this.timeout_ms = ctx.fetcher.timeout_ms();
    this.robots = run_id === null ? new Map() : ctx.robots.ofRun(run_id);
  }

  readonly fetch: SourceTools["fetch"] = async (url, options = {}) => {
    const fetched = await this.ctx.fetcher.fetch(url, {
      bytes_max: options.bytes_max ?? this.upload_bytes_max,
      robots: options.robots === false ? null : this.robots,
      signal: this.signal,
    });
    const { received, media_type } = fetched;
    this.fetched.add(received);
    const release = async (): Promise<void> => {
      if (this.fetched.delete(received)) await received.release();
    };
    const { path, size_bytes } = received;
    return fileAt(path, size_bytes, { url: fetched.url, media_type, release });
  };

  readonly request: SourceTools["request"] = async (url, request = {}) =>
    this.ctx.fetcher.ask(url, request, {
      bytes_max: request.bytes_max ?? this.upload_bytes_max,
      signal: this.working,
    });

  readonly resolve: SourceTools["resolve"] = async (host) => {
    const name = host.includes(":") ? `[${host.replace(/^\[|\]$/g, "")}]` : host;
    return this.ctx.fetcher.addressesOf(fetchTarget(`https://${name}/`));
  };

  readonly atEnd: SourceTools["atEnd"] = (work) => {
    this.endings.push(work);
  };

  readonly listingComplete: SourceTools["listingComplete"] = () => {
    this.is_complete = true;
  };

  readonly fetchOnce: SourceTools["fetchOnce"] = (url) =>
    this.run_id === null ? this.fetch(url) : this.fetchKept(this.run_id, url);

  /** Deletes fetched files that are not kept, and closes what the source has opened. */
  async close(): Promise<void> {
    this.closed.resolve();
    await Promise.allSettled(this.endings.map((work) => work()));
    this.ended.abort();
    await Promise.all(this.uses);
    for (const received of this.fetched) await received.release();
    this.fetched.clear();
  }

  private async fetchKept(run_id: string, url: string): Promise<FetchedFile> {
    const { db, documents, fetcher, inTransaction } = this.ctx;
    const before = await store.findUnfinished(db, run_id);
    if (before?.kept_url === url && before.kept_sha256 !== null)
      return this.storedFile(before.kept_sha256, url, null);
    const { received, media_type } = await fetcher.fetch(url, {
      bytes_max: this.upload_bytes_max,
      robots: this.robots,
      signal: this.signal,
    });
    const { sha256 } = received;
    try {
      await received.keep();
      const updated = await inTransaction(async (tx) => {
        const run = await store.findUnfinished(tx, run_id);
        if (run?.kept_sha256) documents.removeFiles([run.kept_sha256]);
        return run && store.updateRun(tx, run_id, { kept_url: url, kept_sha256: sha256 });
      });
      if (!updated) throw new SourceFailure("The import has ended.");
    } finally {
      documents.removeFiles([sha256]);
      await received.release();
    }
    return this.storedFile(sha256, url, media_type);
  }

  /** A stored file, which stays readable until `close`. */
  private storedFile(sha256: string, url: string, media_type: string | null): Promise<FetchedFile> {
    const { promise, resolve, reject } = Promise.withResolvers<FetchedFile>();
    const use = this.ctx.files.withLocalFile(sha256, async (path) => {
      const { size } = await Bun.file(path).stat();
      resolve(fileAt(path, size, { url, media_type, release: async () => undefined }));
      await this.closed.promise;
    });
    this.uses.push(use.catch(reject));
    return promise;
  }
}

const fileAt = (
  path: string,
  size_bytes: number,
  origin: Pick<FetchedFile, "url" | "media_type" | "release">,
): FetchedFile => ({ path, size_bytes, text: () => Bun.file(path).text(), ...origin });
