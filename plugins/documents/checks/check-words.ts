/** Wording shared by the checks of documents: counts, and ids in a sentence. */
import { counted } from "../../../core/lib/counted";

/** How many ids a sentence lists. */
const listed_ids_max = 3;

export const documentCount = (count: number): string => counted(count, "document");
export const idList = (ids: readonly string[]): string =>
  [...new Set(ids)].slice(0, listed_ids_max).join(", ") + (ids.length > listed_ids_max ? " …" : "");
