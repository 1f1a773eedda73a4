/**
 * The original files of test servers: in their data directories; or, if TEST_S3 is set, in a bucket
 * of a shared server, each below a prefix.
 */
import { prefixOf } from "./data-directory";
import { startObjectStore, type ObjectStore } from "./object-store";

let store: Promise<ObjectStore> | undefined;

/** Settings for a server on this directory. */
export async function originalsOf(data: string): Promise<Readonly<Record<string, string>>> {
  if (!process.env.TEST_S3) return {};
  const { directory, env } = await (store ??= startObjectStore());
  process.env.TEST_S3_DIRECTORY = directory;
  return {
    ...env,
    DOSSIER_FILES_URL: env.DOSSIER_FILES_URL!.replace("originals?", `originals/${prefixOf(data)}?`),
    DOSSIER_FILES_KEEP_DELETED: "0s",
  };
}
