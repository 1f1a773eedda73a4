/** Selects the extractor of a file by its bytes, and makes its result conform to the contract. */
import type { LongText } from "../../core/lib/text-pieces";
import {
  ExtractionFailure,
  type PageSpan,
  type Extracted,
  type Extraction,
  type ExtractionOptions,
  type ExtractionSource,
  type Extractor,
} from "./contract";
import { fewWarnings, headings_max, shortLabel } from "./result-limits";
import { describeSignature } from "./signatures";

/** How much of the beginning and end of a file an extractor may inspect, in bytes. */
const sample_bytes = 64 * 1024;

/** Reads files with the extractors of all plugins. */
export class ExtractionService implements Extraction {
  constructor(private readonly extractors: () => readonly Extractor[]) {}

  async extract(source: ExtractionSource, options: ExtractionOptions): Promise<Extracted> {
    if (source.size_bytes === 0) throw new ExtractionFailure("empty", "The file is empty.");
    const { head, tail } = await readEnds(source);
    const by_rank = this.extractors().toSorted((a, b) => b.rank - a.rank);
    const extractor = by_rank.find((extractor) => extractor.recognises(head, tail, source));
    if (!extractor) throw new ExtractionFailure("unsupported_type", unsupportedMessage(head));
    let is_taken = false;
    const { takeLong } = options;
    const take = async ({ units_max, parts }: LongText): Promise<void> => {
      is_taken = true;
      await takeLong!({ units_max, parts: repairedParts(parts) });
    };
    const extracted = await extractor.extract(source, {
      ...options,
      takeLong: takeLong && take,
    });
    const limited = withinLimits(extracted);
    return is_taken ? limited : repaired(limited);
  }
}

/** A file no longer than the sample uses one array for both. */
async function readEnds({
  path,
  size_bytes,
}: ExtractionSource): Promise<{ head: Uint8Array; tail: Uint8Array }> {
  const file = Bun.file(path);
  const head = await file.slice(0, sample_bytes).bytes();
  const tail =
    size_bytes <= sample_bytes ? head : await file.slice(size_bytes - sample_bytes).bytes();
  return { head, tail };
}

function unsupportedMessage(head: Uint8Array): string {
  const description = describeSignature(head);
  return description === null
    ? "This is not a text file, and its type is not known."
    : `This appears to be ${description}, which can't be read.`;
}

/** Guarantees, for any extractor, that what is known about the text is not long. */
function withinLimits(extracted: Extracted): Extracted {
  const { pages, headings, warnings } = extracted;
  return {
    ...extracted,
    pages: pages.map(withLabel),
    ...(headings && { headings: headings.slice(0, headings_max) }),
    warnings: fewWarnings(warnings),
  };
}

/** Without a label that says nothing more than the number. */
function withLabel({ label = "", ...span }: PageSpan): PageSpan {
  const short = shortLabel(label);
  return short === "" || short === String(span.page) ? span : { ...span, label: short };
}

/**
 * Guarantees, for any extractor, that the text is not blank, well-formed, and without U+0000. The
 * repair moves no offset.
 */
function repaired(extracted: Extracted): Extracted {
  if (!/\S/.test(extracted.text)) throw new ExtractionFailure("empty", "The file has no text.");
  const text = repairedText(extracted.text);
  return text === extracted.text ? extracted : { ...extracted, text };
}
const repairedText = (text: string): string =>
  text.isWellFormed() && !text.includes("\0") ? text : text.toWellFormed().replaceAll("\0", " ");

/** The same in parts. */
async function* repairedParts(parts: AsyncIterable<string>): AsyncGenerator<string, void> {
  let half = "";
  let is_blank = true;
  for await (const part of parts) {
    const joined = half + part;
    // The other half of a surrogate pair may begin the next part.
    half = /[\ud800-\udbff]$/.exec(joined)?.[0] ?? "";
    const text = repairedText(joined.slice(0, joined.length - half.length));
    is_blank &&= !/\S/.test(text);
    yield text;
  }
  if (is_blank) throw new ExtractionFailure("empty", "The file has no text.");
  if (half !== "") yield repairedText(half);
}
