/**
 * Chooses who reads a file, by its bytes, and holds what comes back to the promises of the
 * contract.
 */
import {
  ExtractionFailure,
  type Extracted,
  type Extraction,
  type ExtractionSource,
  type Extractor,
} from "./contract";
import { lookOf } from "./signatures";

/** How much of the beginning and of the end an extractor is shown, bytes. */
const sight_bytes = 64 * 1024;

export const createExtraction = (extractors: () => readonly Extractor[]): Extraction => ({
  async extract(source, watch) {
    if (source.size_bytes === 0) throw new ExtractionFailure("empty", "The file is empty.");
    const { head, tail } = await endsOf(source);
    const by_rank = extractors().toSorted((one, other) => other.rank - one.rank);
    const extractor = by_rank.find((one) => one.recognises(head, tail, source));
    if (!extractor) throw new ExtractionFailure("unsupported_type", refusal(head, by_rank));
    return checked(await extractor.extract(source, watch));
  },
});

async function endsOf({
  path,
  size_bytes,
}: ExtractionSource): Promise<{ head: Uint8Array; tail: Uint8Array }> {
  const file = Bun.file(path);
  const head = await file.slice(0, sight_bytes).bytes();
  return {
    head,
    tail: size_bytes <= sight_bytes ? head : await file.slice(size_bytes - sight_bytes).bytes(),
  };
}

function refusal(head: Uint8Array, extractors: readonly Extractor[]): string {
  const look = lookOf(head);
  const readable = extractors.map((one) => one.name).join(", ");
  return `${look === null ? "This is not a text file, and its type is not known" : `This seems to be ${look}, which can't be read`}. What can be read: ${readable}.`;
}

/**
 * Whoever wrote the extractor: the text is well-formed, without U+0000, and not blank. Neither
 * repair moves an offset.
 */
function checked(extracted: Extracted): Extracted {
  if (!/\S/.test(extracted.text)) throw new ExtractionFailure("empty", "The file has no text.");
  if (extracted.text.isWellFormed() && !extracted.text.includes("\0")) return extracted;
  return { ...extracted, text: extracted.text.toWellFormed().replaceAll("\0", " ") };
}
