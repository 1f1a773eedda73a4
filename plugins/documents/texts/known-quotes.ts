/**
 * Which quotes long texts have: a chat whose answers cite an older version asks for the same ones
 * whenever it is shown, and each time the whole text would have to be searched.
 */
import { FairLimiter } from "../../../core/lib/limiter";
import type { Db } from "../../../core/sdk";
import type { DocumentRow } from "../store";
import { findQuotes, type VersionText } from "./text-store";

/** Shorter texts are searched again. UTF-16 units. */
const units_min = 8 * 16_384;
/** The length of all remembered quotes, in characters. */
const quote_chars_max = 2 ** 20;

/** What is known of one text. */
interface Known {
  readonly is_in_text: Map<string, boolean>;
  chars: number;
}
/** By text; the least recently asked first. */
const known_texts = new Map<string, Known>();

/** One of a text at a time: whoever waits for it mostly asks for the same quotes. */
const searches = new FairLimiter({ concurrency: Infinity });
const unaborted = new AbortController().signal;

/** The quotes among these that occur in the text. @throws TextGone */
export async function findKnownQuotes(
  db: Db,
  {
    row,
    text,
  }: { readonly row: Pick<DocumentRow, "id" | "current_version">; readonly text: VersionText },
  quotes: readonly string[],
): Promise<Set<string>> {
  if (text.units < units_min) return findQuotes(db, text, quotes);
  const key = `${row.id} ${row.current_version} ${text.stored?.id}`;
  const known = knownOf(key);
  const isUnknown = (quote: string): boolean => !known.is_in_text.has(quote);
  if (quotes.some(isUnknown))
    await searches.run(key, unaborted, async () => {
      const unknown = new Set(quotes.filter(isUnknown));
      if (unknown.size === 0) return;
      const found = await findQuotes(db, text, [...unknown]);
      for (const quote of unknown) {
        known.chars += quote.length;
        known.is_in_text.set(quote, found.has(quote));
      }
    });
  const result = new Set(quotes.filter((quote) => known.is_in_text.get(quote)));
  forgetOldest();
  return result;
}

function knownOf(key: string): Known {
  const known = known_texts.get(key) ?? { is_in_text: new Map(), chars: 0 };
  known_texts.delete(key);
  known_texts.set(key, known);
  return known;
}

function forgetOldest(): void {
  let chars = known_texts.values().reduce((sum, known) => sum + known.chars, 0);
  for (const [key, known] of known_texts) {
    if (chars <= quote_chars_max) return;
    known_texts.delete(key);
    chars -= known.chars;
  }
}
