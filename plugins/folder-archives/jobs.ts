/** The jobs of folder archives: one imports, one deletes old records of imports. */
import { every, handle, job, t, type Context, type JobHandler } from "../../core/sdk";
import { purgeOfUser } from "../accounts/contract";
import type { ArchiveImportsContext, ImportService } from "./imports";

const ImportFolder = job("folder_archives.import", t.Object({ import_id: t.String() }));
/** Emits the events of imported documents, in batches. */
const AnnounceDocuments = job(
  "folder_archives.announce",
  t.Object({ import_id: t.String(), after: t.String() }),
);
const ForgetImports = job("folder_archives.forget", t.Object({}));

const hour_ms = 3_600_000;
const concurrency = 2;

/** The functions that enqueue the jobs. */
export const enqueuers = ({
  enqueue,
}: Pick<Context, "enqueue">): Pick<
  ArchiveImportsContext,
  "enqueueAnnouncing" | "enqueueImport"
> => ({
  enqueueAnnouncing: (tx, { id, owner_id }, after) =>
    enqueue(tx, AnnounceDocuments, { import_id: id, after }, { owner: owner_id }),
  enqueueImport: (tx, { id, owner_id }) =>
    enqueue(
      tx,
      ImportFolder,
      { import_id: id },
      {
        subject: id,
        owner: owner_id,
        queue: `${ImportFolder.id}:${owner_id}`,
        queue_concurrency: 1,
      },
    ),
});

/** The jobs with their limits. */
export const archiveJobs = (imports: ImportService): readonly JobHandler[] => [
  handle(ImportFolder, ({ import_id }, run) => imports.run(import_id, run), {
    attempts_max: 3,
    crashes_max: 8,
    timeout_ms: 12 * hour_ms,
    // Io-bound: it takes no slot from jobs that compute.
    io_bound: true,
    concurrency,
    onExhausted: (tx, { import_id }) => imports.exhausted(tx, import_id),
  }),
  handle(AnnounceDocuments, ({ import_id, after }) => imports.announce(import_id, after), {
    attempts_max: 10,
    timeout_ms: 60_000,
    io_bound: true,
  }),
  purgeOfUser((user_id, signal) => imports.purgeOf(user_id, signal)),
  handle(ForgetImports, (_payload, { signal }) => imports.forget(signal), {
    attempts_max: 3,
    timeout_ms: hour_ms,
    io_bound: true,
    uses_reserve: true,
  }),
];

/** Old records are deleted once a day. */
export const archiveSchedules = [every("43 2 * * *", ForgetImports, {})];
