/** Plain text, Markdown, CSV, JSON and similar formats, in any encoding. */
import type { ExtractionContext } from "../context";
import type { ExtractionSource, Extractor, Warning } from "../contract";
import { readInChild } from "../server/child-run";
import { describeSignature } from "../signatures";
import { announcedEncoding, decodeInto, hasManyControls, mayBeText } from "./encoding";
import { formatText, isTable, type FormattedText } from "./formats";

/**
 * Up to this size a file in UTF-8 or UTF-16 is read in the server, which is faster than a child,
 * and safe.
 */
const small_bytes_max = 256 * 1024;
/** The same for a table, whose many short cells take longer. */
const small_table_bytes_max = 32 * 1024;

export const textExtractor = (ctx: ExtractionContext): Extractor => ({
  rank: 0,
  recognises: (head, tail) =>
    describeSignature(head) === null &&
    mayBeText(head) &&
    (head === tail || announcedEncoding(head) !== null || !hasManyControls(tail)),
  extract: async (source, options) => {
    const { name, declared_type } = source;
    const { broken, ...formatted } =
      (await readSmall(source, ctx.limits().characters_max)) ??
      (await readInChild(ctx, source, options, (input, run_options) =>
        ctx.isolate("text", { ...input, hints: { name, declared_type } }, run_options),
      ));
    return { ...formatted, pages: [], page_count: null, warnings: damagedTextWarnings(broken) };
  },
});

/**
 * The text of a small file with an evident encoding; null for every other file.
 * @throws ExtractionFailure
 */
async function readSmall(
  source: ExtractionSource,
  characters_max: number,
): Promise<(FormattedText & { readonly broken: number }) | null> {
  if (source.size_bytes > (isTable(source) ? small_table_bytes_max : small_bytes_max)) return null;
  const bytes = await Bun.file(source.path).bytes();
  const pieces: string[] = [];
  let unknown_encoding = false;
  const guess = async (): Promise<null> => {
    unknown_encoding = true;
    return null;
  };
  try {
    const { broken } = await decodeInto(
      (text) => {
        pieces.push(text);
      },
      () => [bytes],
      guess,
      characters_max,
    );
    return { ...formatText(pieces.join(""), source), broken };
  } catch (error) {
    if (unknown_encoding) return null;
    throw error;
  }
}

/** `broken` is the number of positions that could not be decoded. */
export const damagedTextWarnings = (broken: number): Warning[] =>
  broken === 0
    ? []
    : [
        {
          code: "damaged_text",
          page: null,
          message:
            broken === 1
              ? "One character could not be decoded and was replaced by �."
              : `${broken} characters could not be decoded and were replaced by �.`,
        },
      ];
