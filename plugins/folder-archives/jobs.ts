/** The jobs of folder archives: one that imports, one that forgets imports of long ago. */
import { every, handle, job, t, type Context, type JobHandler } from "../../core/sdk";
import { purgeOfUser } from "../accounts/contract";
import type { ImportParts, ImportService } from "./imports";

export const ImportFolder = job("folder_archives.import", t.Object({ import_id: t.String() }));
export const ForgetImports = job("folder_archives.forget", t.Object({}));

const hour_ms = 3_600_000;
const concurrency = 2;

export const enqueuers = ({
  enqueue,
}: Pick<Context, "enqueue">): Pick<ImportParts, "enqueueImport"> => ({
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

export const archiveJobs = (imports: ImportService): readonly JobHandler[] => [
  handle(ImportFolder, ({ import_id }, run) => imports.run(import_id, run), {
    attempts_max: 3,
    crashes_max: 8,
    timeout_ms: 12 * hour_ms,
    // It takes no slot from jobs that compute: it reads and writes.
    io_bound: true,
    concurrency,
    onExhausted: (tx, { import_id }) => imports.exhausted(tx, import_id),
  }),
  purgeOfUser((user_id, signal) => imports.purgeOf(user_id, signal)),
  handle(ForgetImports, (_payload, { signal }) => imports.forget(signal), {
    attempts_max: 3,
    timeout_ms: hour_ms,
    io_bound: true,
    uses_reserve: true,
  }),
];

export const archiveSchedules = [every("43 2 * * *", ForgetImports, {})];
