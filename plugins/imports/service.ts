/** The rules about import runs. Knows nothing of HTTP requests and contains no SQL. */
import type { OpenLimit } from "../../core/lib/open-limit";
import {
  badRequest,
  conflict,
  forbidden,
  HttpError,
  requireOwned,
  t,
  unavailable,
  Validator,
  type Db,
  type PageRequest,
} from "../../core/sdk";
import { findSource, type ImportContext } from "./context";
import { SourceFailure, type ImportSource, type SourceItem } from "./contract";
import * as itemStore from "./item-store";
import { source_length_max } from "./limits";
import { withinLimits, withRefusal } from "./lister";
import { reopenRun } from "./reopening";
import { cancelRun, newRun, emitRun } from "./runs";
import {
  checkable,
  SecretHider,
  sealSecrets,
  sourceKey,
  splitSecrets,
  type Secrets,
} from "./secrets";
import { ownerOf, RunTools } from "./source-tools";
import * as store from "./store";
import type { Gone, ItemRow, ItemStatus, ListedRun, RunRow, RunState } from "./store";

/** A source as a request gives it; its other fields depend on the type. */
export interface GivenSource {
  readonly type: string;
}
/** An import to start. */
export interface NewImport {
  readonly folder_id: string;
  readonly source: GivenSource;
  readonly overwrite?: boolean;
  /** Default: `keep`. */
  readonly gone?: Gone;
}
/** What an import would find, as far as it was listed. */
export interface Preview {
  readonly items: readonly SourceItem[];
  readonly more: boolean;
  /** Why the source can't be read. */
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** A source with the fields known to its kind. */
interface CheckedSource {
  readonly source: ImportSource;
  readonly fields: Record<string, unknown>;
  /** The fields as JSON, without secrets: the form that is stored and shown. */
  readonly text: string;
  readonly secrets: Secrets;
}

/** Maximum number of unfinished runs per owner. */
export const unfinished_max = 100;
/** Limits of dry runs: the number of items shown, their duration, and how many run at a time. */
const preview_items_max = 1_000;
const preview_ms_max = 30_000;
const previews_max = { in_all: 8, of_owner: 2 };
const too_many_previews = "Too many sources are being previewed at the moment. Try again.";

/** Starts, lists, cancels and retries runs. */
export class Imports {
  private readonly validators = new Map<ImportSource, Validator>();
  /** Dry runs in progress: in this process, and per owner. */
  private previewing = 0;
  private readonly previews: OpenLimit;

  constructor(private readonly ctx: ImportContext) {
    this.previews = ctx.shared.openLimit("imports.previews", previews_max.of_owner);
  }

  /** Validates a source given by the caller. @throws HttpError 400 */
  async checkSource(owner_id: string, input: GivenSource): Promise<CheckedSource> {
    const source = findSource(this.ctx, input.type);
    if (!source) {
      const types = this.ctx.sources().map(({ type }) => type);
      throw badRequest(`The source type must be one of ${types.join(", ")}.`, "/source/type");
    }
    this.validatorOf(source).validate({ source: input });
    const fields: Record<string, unknown> = { type: source.type };
    for (const name of Object.keys(source.schema.properties))
      if (name in input) fields[name] = input[name as never];
    const { public_fields, secrets } = splitSecrets(source.schema, fields);
    const text = JSON.stringify({ type: source.type, ...public_fields });
    if (text.length > source_length_max) {
      const length_max = source_length_max.toLocaleString("en-US");
      throw badRequest(
        `The source may have at most ${length_max} characters. Import it in several parts.`,
        "/source",
      );
    }
    try {
      if (source.check) await source.check(fields, { owner: await ownerOf(this.ctx, owner_id) });
    } catch (error) {
      throw new SecretHider(secrets).error(error);
    }
    return { source, fields, text, secrets };
  }

  /**
   * @throws HttpError 400 on an invalid source, 403 and 404 on the folder, 403 when there are too
   * many unfinished runs.
   */
  async create(
    owner_id: string,
    { folder_id, source: input, overwrite = false, gone = "keep" }: NewImport,
  ): Promise<RunRow> {
    const { folders, inTransaction } = this.ctx;
    const { text: source, secrets } = await this.checkSource(owner_id, input);
    const sealed = sealSecrets(this.ctx, owner_id, secrets);
    const options = { overwrite, gone, secrets: sealed, schedule_id: null };
    return inTransaction(async (tx) => {
      await folders.require(tx, owner_id, folder_id);
      await requireCapacity(tx, owner_id);
      return this.start(tx, owner_id, { folder_id, source, ...options });
    });
  }

  /** Starts a run. `source`: JSON, validated before; `secrets`: sealed. */
  async start(
    tx: Db,
    owner_id: string,
    {
      overwrite,
      ...values
    }: Pick<RunRow, "folder_id" | "gone" | "source" | "schedule_id" | "secrets"> & {
      readonly overwrite: boolean;
    },
  ): Promise<RunRow> {
    const run = newRun({
      id: this.ctx.newId("imp"),
      owner_id,
      kind: "source",
      ...values,
      source_key: sourceKey(values.folder_id, values.source),
      overwrite: overwrite ? 1 : 0,
      created_at: this.ctx.now_ms(),
    });
    await store.insertRun(tx, run);
    await emitRun(this.ctx, tx, run, "created");
    await this.ctx.enqueueListing(tx, run);
    return run;
  }

  /** What it would import, or why that would fail. @throws HttpError 400, 403, 404, 503. */
  async preview(
    owner_id: string,
    { folder_id, source: input }: NewImport,
    signal: AbortSignal,
  ): Promise<Preview> {
    const { source, fields, secrets } = await this.checkSource(owner_id, input);
    await this.ctx.folders.require(this.ctx.db, owner_id, folder_id);
    if (this.previewing >= previews_max.in_all) throw unavailable(too_many_previews, 5);
    this.previewing += 1;
    try {
      const end = await this.previews.acquire(owner_id);
      if (!end) throw unavailable(too_many_previews, 5);
      return await this.listForPreview(owner_id, { source, fields, secrets }, signal).finally(end);
    } finally {
      this.previewing -= 1;
    }
  }

  /** @throws HttpError 400, 503 */
  private async listForPreview(
    owner_id: string,
    { source, fields, secrets }: Omit<CheckedSource, "text">,
    signal: AbortSignal,
  ): Promise<Preview> {
    const late = AbortSignal.timeout(preview_ms_max);
    const owner = await ownerOf(this.ctx, owner_id);
    const tools = new RunTools(this.ctx, null, owner, AbortSignal.any([signal, late]));
    const hider = new SecretHider(secrets);
    try {
      return await previewOf(source, fields, tools, hider);
    } catch (caught) {
      const error = hider.error(caught);
      if (late.aborted)
        throw unavailable(
          `The source could not be read within ${preview_ms_max / 1_000} s. Import it ` +
            "without dry_run, or try again.",
          5,
        );
      if (!(error instanceof SourceFailure)) throw error;
      const { code, message } = error;
      return { items: [], more: false, error: { code, message } };
    } finally {
      await tools.close();
    }
  }

  /** @throws HttpError 404 when there is no such import, 403 when it is another user's. */
  get(owner_id: string, run_id: string): Promise<ListedRun> {
    return requireRun(this.ctx.db, owner_id, run_id);
  }

  list(owner_id: string, page: PageRequest) {
    return store.listRuns(this.ctx.db, owner_id, page);
  }

  /** @throws HttpError as `get`. */
  async items(
    owner_id: string,
    run_id: string,
    status: ItemStatus | undefined,
    page: PageRequest,
  ): Promise<{ readonly rows: ItemRow[]; readonly total: number }> {
    await this.get(owner_id, run_id);
    return itemStore.listItems(this.ctx.db, run_id, status, page);
  }

  /** Finished items stay. @throws HttpError 403, 404, 409 when it has ended. */
  cancel(owner_id: string, run_id: string): Promise<ListedRun> {
    return this.ctx.inDeletion(async (tx) => {
      const run = await requireRun(tx, owner_id, run_id);
      if (run.finished_at !== null)
        throw conflict(`The import has already ended (${run.status}).`, "import_ended");
      await cancelRun(this.ctx, tx, run);
      return requireRun(tx, owner_id, run_id);
    });
  }

  /**
   * Imports the failed items again, and lists the source again if that had failed, partly or
   * completely. @throws HttpError 403, also when there are too many unfinished runs, 404, 409 when
   * there is nothing to retry.
   */
  retry(owner_id: string, run_id: string): Promise<ListedRun> {
    const { folders, inTransaction } = this.ctx;
    return inTransaction(async (tx) => {
      const { source, ...before } = await requireRun(tx, owner_id, run_id);
      requireRetryable(before);
      await folders.require(tx, owner_id, before.folder_id);
      await requireCapacity(tx, owner_id);
      const relists = before.error !== null || (await itemStore.hasUnlisted(tx, run_id));
      await store.updateRun(tx, run_id, {
        status: "running",
        finished_at: null,
        error_code: null,
        error: null,
        listed: 0,
      });
      const run = await reopenRun(this.ctx, tx, { run_id, relists, after: -1 });
      return { ...run, source };
    });
  }

  private validatorOf(source: ImportSource): Validator {
    const validator =
      this.validators.get(source) ?? new Validator(t.Object({ source: checkable(source.schema) }));
    this.validators.set(source, validator);
    return validator;
  }
}

/** The first items of a source, without duplicates. */
async function previewOf(
  source: ImportSource,
  fields: object,
  tools: RunTools,
  hider: SecretHider,
): Promise<Preview> {
  const items = new Map<string, SourceItem>();
  for await (const listed of source.items(fields, tools)) {
    if (listed.gone) continue;
    if (items.size >= preview_items_max)
      return { items: [...items.values()], more: true, error: null };
    const item = withinLimits(listed, hider);
    items.set(item.uri, source.read ? item : withRefusal(item));
  }
  return { items: [...items.values()], more: false, error: null };
}

async function requireRun(db: Db, owner_id: string, run_id: string): Promise<ListedRun> {
  return requireOwned(await store.findRun(db, run_id), owner_id, "import");
}

/** @throws HttpError 403 when the owner has too many unfinished runs. */
async function requireCapacity(tx: Db, owner_id: string): Promise<void> {
  if ((await store.countUnfinished(tx, owner_id)) >= unfinished_max)
    throw forbidden(
      `A user can have at most ${unfinished_max} imports in progress. Wait for one to end, ` +
        "or cancel it.",
      "quota_exceeded",
    );
}

/** @throws HttpError 409 when nothing of the run can be retried. */
function requireRetryable({ finished_at, status, kind, failed, error }: RunState): void {
  const refuse = (reason: string): HttpError => conflict(reason, "nothing_to_retry");
  if (finished_at === null) throw refuse("The import is still in progress.");
  if (status === "cancelled") throw refuse("A cancelled import can't be retried. Start a new one.");
  if (kind === "device")
    throw refuse("Files from your device can't be fetched again. Upload them again.");
  if (failed === 0 && error === null) throw refuse("This import has no failed items.");
}
