/** Plain text and Markdown, in any encoding. */
import type { Isolate } from "../../core/sdk";
import type { Extracted, Extractor, ExtractionSource, Warning } from "./contract";
import { announcedEncoding, isFullOfControls, mayBeText } from "./decode";
import { lookOf } from "./looks";
import { createDeadline, explain, withOutput, type ReadingParts } from "./reading";
import { decodeInto } from "./read-text";
import type { tasks } from "./tasks";

export interface TextParts extends ReadingParts {
  readonly isolate: Isolate<typeof tasks>;
  readonly limits: { readonly memory_max_bytes: number; readonly timeout_ms: number; readonly characters_max: number };
}

/** Up to this size a file in UTF-8 or UTF-16 is read where it is: that is quicker than asking a child, and safe. */
const small_bytes_max = 256 * 1024;

export const textExtractor = (parts: TextParts): Extractor => ({
  name: "plain text and Markdown",
  rank: 0,
  recognises: (head, tail) => lookOf(head) === null && mayBeText(head) && (head === tail || announcedEncoding(head) !== null || !isFullOfControls(tail)),
  extract: async (source, watch) => {
    const { text, broken } = await readSmall(parts, source) ?? await withOutput(parts, async (output) => {
      const { isolate, limits } = parts;
      const deadline = createDeadline(watch);
      try {
        const input = { path: source.path, output, characters_max: limits.characters_max };
        const read = await isolate("text", input, { timeout_ms: limits.timeout_ms, memory_max_bytes: limits.memory_max_bytes, signal: deadline.signal });
        return { text: await Bun.file(output).text(), ...read };
      } catch (error) {
        watch.signal.throwIfAborted();
        throw explain(error, deadline);
      }
    });
    return { text, media_type: mediaType(source), pages: [], page_count: null, warnings: warningsOf(broken) };
  },
});

/** The text of a small file that needs no guessing; null for every other one. @throws ExtractionFailure */
async function readSmall({ limits }: TextParts, source: ExtractionSource): Promise<{ text: string; broken: number } | null> {
  if (source.size_bytes > small_bytes_max) return null;
  const bytes = await Bun.file(source.path).bytes();
  const pieces: string[] = [];
  let guessing = false;
  const guess = async (): Promise<null> => { guessing = true; return null; };
  try {
    const { broken } = await decodeInto((text) => void pieces.push(text), () => [bytes], guess, limits.characters_max);
    return { text: pieces.join(""), broken };
  } catch (error) {
    if (guessing) return null;
    throw error;
  }
}

const mediaType = ({ name, declared_type }: ExtractionSource): Extracted["media_type"] =>
  /\.(?:md|markdown|mkd)$/i.test(name) || declared_type?.split(";")[0]!.trim().toLowerCase() === "text/markdown" ? "text/markdown" : "text/plain";

const warningsOf = (broken: number): Warning[] => broken === 0 ? [] : [{
  code: "damaged_text", page: null,
  message: broken === 1 ? "One place of the text could not be decoded and reads \ufffd." : `${broken} places of the text could not be decoded and read \ufffd.`,
}];
