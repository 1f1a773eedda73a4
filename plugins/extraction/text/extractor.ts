/** Plain text, Markdown, tables and data in text, in any encoding. */
import type { Isolate } from "../../../core/sdk";
import type { Extractor, ExtractionSource, Warning } from "../contract";
import { announcedEncoding, isFullOfControls, mayBeText } from "./encoding";
import { lookOf } from "../signatures";
import { readInChild, type ChildLimits } from "../server/child-run";
import type { ReadingParts } from "../server/deadline";
import { decodeInto } from "./reader";
import { shape, type Shaped } from "./formats";
import type { tasks } from "../tasks";

export interface TextParts extends ReadingParts {
  readonly isolate: Isolate<typeof tasks>;
  readonly limits: ChildLimits;
}

/**
 * Up to this size a file in UTF-8 or UTF-16 is read where it is: that is quicker than asking a
 * child, and safe.
 */
const small_bytes_max = 256 * 1024;

export const textExtractor = (parts: TextParts): Extractor => ({
  name: "plain text, Markdown, CSV, JSON, XML",
  rank: 0,
  recognises: (head, tail) =>
    lookOf(head) === null &&
    mayBeText(head) &&
    (head === tail || announcedEncoding(head) !== null || !isFullOfControls(tail)),
  extract: async (source, watch) => {
    const { path, name, declared_type } = source;
    const { broken, ...shaped } =
      (await readSmall(parts, source)) ??
      (await readInChild(parts, watch, (where, within) =>
        parts.isolate("text", { path, hints: { name, declared_type }, ...where }, within),
      ));
    return { ...shaped, pages: [], page_count: null, warnings: brokenWarnings(broken) };
  },
});

/**
 * The text of a small file that needs no guessing; null for every other one. @throws
 * ExtractionFailure
 */
async function readSmall(
  { limits }: TextParts,
  source: ExtractionSource,
): Promise<(Shaped & { readonly broken: number }) | null> {
  if (source.size_bytes > small_bytes_max) return null;
  const bytes = await Bun.file(source.path).bytes();
  const pieces: string[] = [];
  let guessing = false;
  const guess = async (): Promise<null> => {
    guessing = true;
    return null;
  };
  try {
    const { broken } = await decodeInto(
      (text) => void pieces.push(text),
      () => [bytes],
      guess,
      limits.characters_max,
    );
    return { ...shape(pieces.join(""), source), broken };
  } catch (error) {
    if (guessing) return null;
    throw error;
  }
}

/** What to say when so many places could not be decoded. */
export const brokenWarnings = (broken: number): Warning[] =>
  broken === 0
    ? []
    : [
        {
          code: "damaged_text",
          page: null,
          message:
            broken === 1
              ? "One place of the text could not be decoded and reads \ufffd."
              : `${broken} places of the text could not be decoded and read \ufffd.`,
        },
      ];
