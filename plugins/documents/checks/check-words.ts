/** Wording shared by the checks of documents: counts, and ids in a sentence. */
import { counted } from "../../../core/lib/counted";

/** How many ids a sentence lists. */
const named_max = 3;

export const documents = (count: number): string => counted(count, "document");
export const named = (ids: readonly string[]): string =>
  [...new Set(ids)].slice(0, named_max).join(", ") + (ids.length > named_max ? " …" : "");
