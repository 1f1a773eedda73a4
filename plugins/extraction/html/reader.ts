/** Runs in the child: reads a web page. */
import { assemble } from "../child/text-assembly";
import { writeOutput, type ReaderInput } from "../child/output";
import { ExtractionFailure, type HeadingSpan } from "../contract";
import { decodeInto } from "../text/encoding";
import { guessEncoding } from "../text/encoding-guess";
import { readChunks } from "../text/reader";
import { declaredCharset } from "./charset";
import { readPage } from "./page";

/** What the child returns besides the text. */
export interface HtmlOutput {
  readonly headings: readonly HeadingSpan[];
  /** The number of positions that could not be decoded. */
  readonly broken: number;
}

/** @throws ExtractionFailure */
export async function readHtml({ path, output, characters_max }: ReaderInput): Promise<HtmlOutput> {
  const pieces: string[] = [];
  const [head = new Uint8Array(0)] = readChunks(path);
  // Valid UTF-8 is UTF-8, whatever the page declares; otherwise the declaration is used.
  const guess = async (bytes: Uint8Array): Promise<string | null> => {
    const declared = declaredCharset(head);
    return declared === null || declared === "utf-8" ? guessEncoding(bytes) : declared;
  };
  const { broken } = await decodeInto(
    (text) => {
      pieces.push(text);
    },
    () => readChunks(path),
    guess,
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
