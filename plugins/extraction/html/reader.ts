/** The child's part of reading a web page. */
import { ExtractionFailure, type HeadingSpan } from "../contract";
import { namedCharset } from "./charset";
import { readPage } from "./page";
import { assemble } from "../child/block-builder";
import { writeOutput } from "../child/output";
import { chunksOf, decodeInto, guessEncoding } from "../text/reader";
import type { Where } from "../server/child-run";

export interface HtmlInput extends Where {
  readonly path: string;
}
export interface HtmlOutput {
  readonly headings: readonly HeadingSpan[];
  /** How many places could not be decoded. */
  readonly broken: number;
}

/** @throws ExtractionFailure */
export async function readHtml({ path, output, characters_max }: HtmlInput): Promise<HtmlOutput> {
  const pieces: string[] = [];
  const [head = new Uint8Array(0)] = chunksOf(path);
  // What is valid UTF-8 is UTF-8, whatever the page says; else the page knows best.
  const encoding = async (bytes: Uint8Array): Promise<string | null> => {
    const named = namedCharset(head);
    return named === null || named === "utf-8" ? guessEncoding(bytes) : named;
  };
  const { broken } = await decodeInto(
    (text) => void pieces.push(text),
    () => chunksOf(path),
    encoding,
    characters_max,
  );
  const { text, headings } = assemble(
    [{ page: null, blocks: readPage(pieces.splice(0).join("")) }],
    characters_max,
  );
  if (text === "") throw new ExtractionFailure("empty", "This page has no text.");
  writeOutput(output, text);
  return { headings, broken };
}
