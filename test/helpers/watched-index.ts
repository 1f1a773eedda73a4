/** Lets a test observe and delay the preparations of the search index. */
import type { Prepared, SearchIndex } from "../../plugins/search-index/contract";
import { IndexService } from "../../plugins/search-index/service";

type PrepareArguments = Parameters<SearchIndex["prepare"]>;
/** Called with each request; its result is used. */
export type OnPrepare = (
  input: PrepareArguments[0],
  prepare: () => Promise<Prepared>,
) => Promise<Prepared>;

/**
 * Starts a server whose index calls `now().on` for each preparation. A service is frozen once it is
 * set up, so this happens before.
 */
export async function withWatchedIndex<T>(
  start: () => Promise<T>,
  now: { readonly on: OnPrepare | null },
): Promise<T> {
  const { prepare } = IndexService.prototype;
  IndexService.prototype.prepare = function (...prepare_arguments: PrepareArguments) {
    const prepared = () => prepare.apply(this, prepare_arguments);
    return now.on === null ? prepared() : now.on(prepare_arguments[0], prepared);
  };
  try {
    return await start();
  } finally {
    IndexService.prototype.prepare = prepare;
  }
}
