/** Wording shared by the checks of documents: counts, and ids in a sentence. */
import { counted } from "../../../core/lib/counted";

/** How many ids a sentence lists. */
const listed_ids_max = 3;

/** `3 documents`. */
export const documentCount = (count: number): string => counted(count, "document");
/** The ids separated by commas, at most a few of them. */
export const idList = (ids: readonly string[]): string =>
  [...new Set(ids)].slice(0, listed_ids_max).join(", ") + (ids.length > listed_ids_max ? " …" : "");
