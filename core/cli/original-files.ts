/** Where original files are kept: in the data directory, or where the setting `files.url` says. */
import { join } from "node:path";
import type { Clock } from "../base/clock";
import { ulid } from "../base/ids";
import { removeLeftovers } from "../lib/temporary-files";
import { FileStore } from "../store/file-store";
import type { Files } from "../store/files";
import { DirectoryPlace } from "../store/objects/directory-place";
import { filesPlaceOf, type FilesPlace } from "../store/objects/files-url";
import type { ObjectPlace } from "../store/objects/place";
import { S3Place } from "../store/objects/s3-place";
import { SharedFiles } from "../store/objects/shared-files";
import type { Store } from "../store/store";
import type { Bootstrap } from "./bootstrap";

/** Of directories left by processes that have ended. */
const temporary_prefix = "originals-";

/** The original files of a server, until they are closed. */
export interface OpenedFiles {
  readonly files: Files;
  close(): Promise<void>;
}
interface OpenOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** For a server, which verifies that the place is usable before it serves. */
  readonly serves: boolean;
}

/** The place named by the setting, if it is set. @throws ConfigError */
function filesPlaceOfSettings(
  { config, located }: Bootstrap,
  url = config.values.files!.url,
): FilesPlace | null {
  const { access_key, secret_key } = config.values.files!;
  if (url === undefined) return null;
  const keys = {
    ...(access_key !== undefined && { access_key: access_key as string }),
    ...(secret_key !== undefined && { secret_key: secret_key as string }),
  };
  return filesPlaceOf({ url: url as string, ...keys }, located.sources.env);
}

/** @throws ConfigError, and Error that says what is wrong with the place */
export async function openFiles(
  boot: Bootstrap,
  { store, clock, serves }: OpenOptions,
): Promise<OpenedFiles> {
  const { data, database } = boot.located;
  const place = filesPlaceOfSettings(boot);
  if (place === null)
    return { files: new FileStore(join(data, "files")), close: async () => undefined };
  const temporary = join(data, "tmp");
  if (serves) await removeLeftovers(temporary, temporary_prefix);
  const { cache, keep_deleted } = boot.config.values.files!;
  const files = new SharedFiles({
    place: openPlace(place, boot, clock),
    store,
    clock,
    log: boot.log,
    temporary: join(temporary, `${temporary_prefix}${ulid()}`),
    cache_bytes_max: cache as number,
    keep_deleted_ms: keep_deleted as number,
    alone: database !== null,
  });
  if (serves) await files.check();
  return { files, close: () => files.close() };
}

/** The place named by the settings, otherwise the data directory. @throws ConfigError */
export const placeOfSettings = (boot: Bootstrap, clock: Clock): ObjectPlace => {
  const place = filesPlaceOfSettings(boot);
  return place === null ? placeInData(boot) : openPlace(place, boot, clock);
};

/** The place at an address, with the keys of the settings; `data` is the data directory. */
export const placeAt = (address: string, boot: Bootstrap, clock: Clock): ObjectPlace =>
  address === "data"
    ? placeInData(boot)
    : openPlace(filesPlaceOfSettings(boot, address)!, boot, clock);

const placeInData = ({ config, located }: Bootstrap): ObjectPlace =>
  new DirectoryPlace(
    join(located.data, "files"),
    config.values.files!.timeout as number,
    "data directory",
  );

function openPlace(
  place: FilesPlace,
  { config }: Pick<Bootstrap, "config">,
  clock: Pick<Clock, "now_ms">,
): ObjectPlace {
  const timeout_ms = config.values.files!.timeout as number;
  return place.kind === "directory"
    ? new DirectoryPlace(place.path, timeout_ms)
    : new S3Place({ ...place, timeout_ms, now_ms: () => clock.now_ms() });
}
