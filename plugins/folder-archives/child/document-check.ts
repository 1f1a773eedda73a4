/** Checks a document of an archive: its record, its text, and its index against the text. */
import { counted } from "../../../core/lib/counted";
import { Validator } from "../../../core/sdk";
import {
  segment_format,
  segmentFault,
  vectorBytesMax,
  vectorsFault,
} from "../../search-index/contract";
import { badPart, quotedText, type Line } from "../archive";
import { document_lines, originalPart, spans_max, textPartOf, type DocumentLines } from "../layout";
import { checkName, checkShape, type PartReader } from "./part-reader";
import { TextCheck } from "./text-check";

const shapes = Object.fromEntries(
  Object.entries(document_lines).map(([kind, shape]) => [kind, new Validator(shape)]),
) as Record<keyof DocumentLines, Validator>;

/** Bytes of a UTF-16 unit in UTF-8, at most. */
const unit_bytes_max = 3;

/** What the checks of other parts need to know of a document. */
export interface CheckedDocument {
  readonly id: string;
  readonly version: number;
  /** Length of its text; 0 without one. */
  readonly points: number;
  readonly size_bytes: number;
  readonly passages: number;
}

/** `folders`: the ids of the folders in the archive. @throws BadArchive */
export async function checkDocument(
  reader: PartReader,
  part: string,
  folders: ReadonlySet<string>,
): Promise<CheckedDocument> {
  const lines = reader.lines(part);
  const { value: first } = await lines.next();
  if (!first) throw badPart(part, "is empty");
  checkShape(part, shapes.document, first.value, first);
  const document = first.value as DocumentLines["document"];
  checkRecord(reader, part, document, folders);
  const check = new DocumentCheck(part, document);
  for await (const line of lines) check.check(line);
  const passages = check.end();
  if (document.text !== null) await check.text.run(reader, textPartOf(part));
  const { id, version, size_bytes, text } = document;
  return { id, version, size_bytes, points: text?.points ?? 0, passages };
}

function checkRecord(
  { parts, limits }: PartReader,
  part: string,
  document: DocumentLines["document"],
  folders: ReadonlySet<string>,
): void {
  const { folder_ids, in_files, name, sha256, size_bytes, status, text } = document;
  checkName(part, name);
  if (/\p{Cc}/u.test(name)) throw badPart(part, "has a name with control characters");
  const unknown = folder_ids.find((id) => !folders.has(id));
  if (unknown !== undefined)
    throw badPart(part, `is in the folder ${quotedText(unknown)}, which is not in the archive`);
  if (new Set(folder_ids).size < folder_ids.length) throw badPart(part, "names a folder twice");
  if (in_files) {
    if (parts.get(originalPart(sha256))?.bytes !== size_bytes)
      throw badPart(part, `has an original that is not in the archive: ${originalPart(sha256)}`);
    if (size_bytes > limits.original_bytes_max)
      throw badPart(
        part,
        `has an original of ${size_bytes} bytes, and this server accepts at most ` +
          `${limits.original_bytes_max} (documents.upload_bytes_max)`,
      );
  }
  const text_part = textPartOf(part);
  const written = parts.get(text_part);
  if ((text === null) !== (written === undefined))
    throw badPart(part, `and the part ${text_part} disagree about its text`);
  if (text === null) {
    if (status === "synced" || !in_files) throw badPart(part, "has no text");
    return;
  }
  if (text.sha256 !== written!.sha256)
    throw badPart(text_part, `is not the text that ${part} describes`);
  if (!in_files && (sha256 !== text.sha256 || size_bytes !== written!.bytes))
    throw badPart(text_part, `is not the original that ${part} describes`);
  if (text.units > limits.text_units_max)
    throw badPart(text_part, `is longer than ${limits.text_units_max} characters`);
  if (written!.bytes > unit_bytes_max * text.units)
    throw badPart(text_part, `is longer than ${part} says: ${text.units} characters`);
}

interface Span {
  readonly start: number;
  readonly end: number;
}
type Segment = DocumentLines["segment"];

/** All lines but the first. */
class DocumentCheck {
  readonly text: TextCheck;
  private index: DocumentLines["index"] | undefined;
  private segments = 0;
  private passages = 0;
  /** The vectors of the preceding segment. */
  private vectors: Uint8Array[] = [];
  private vector_bytes = 0;
  private chunks = 0;
  private readonly span_end = { pages: 0, headings: 0, times: 0 };
  private readonly span_count = { pages: 0, headings: 0, times: 0 };

  constructor(
    private readonly part: string,
    private readonly document: DocumentLines["document"],
  ) {
    const { units, points } = document.text ?? { units: 0, points: 0 };
    this.text = new TextCheck(part, units, points);
  }

  check(line: Line): void {
    const { kind, of } = line.value as { kind?: unknown; of?: unknown };
    const name = (kind === "spans" ? of : kind) as keyof DocumentLines;
    if (!Object.hasOwn(shapes, String(name)) || name === "document")
      throw badPart(this.part, `has a line ${line.number} of no known kind`);
    checkShape(this.part, shapes[name], line.value, line);
    if (name === "index") return this.begin(line.value as DocumentLines["index"]);
    if (name === "segment") return this.segment(line.value as Segment, line.number);
    if (name === "vectors")
      return this.addVectors((line.value as DocumentLines["vectors"]).data, line.number);
    if (this.index) throw this.bad(line.number, "comes after the index");
    this.spans(name, (line.value as { spans: Span[] }).spans, line.number);
  }

  /** Returns the number of passages. */
  end(): number {
    this.endSegment();
    const { chunks, segments } = this.index ?? { chunks: 0, segments: 0 };
    if (chunks !== this.passages || segments !== this.segments)
      throw badPart(
        this.part,
        `has ${counted(this.passages, "passage")} in ${counted(this.segments, "segment")} ` +
          `instead of the stated ${chunks} in ${segments}`,
      );
    return this.passages;
  }

  private begin(index: DocumentLines["index"]): void {
    if (this.index) throw badPart(this.part, "has two indexes");
    if (this.document.status !== "synced")
      throw badPart(this.part, "has an index although it is not the current version");
    this.index = index;
  }

  private spans(
    column: "pages" | "headings" | "times",
    spans: readonly Span[],
    line: number,
  ): void {
    this.span_count[column] += spans.length;
    if (this.span_count[column] > spans_max)
      throw this.bad(line, `has more than ${spans_max} ${column}`);
    for (const { start, end } of spans) {
      if (start > end || end > this.text.units)
        throw this.bad(line, `has a span outside of the text: ${start} to ${end}`);
      if (start < this.span_end[column]) throw this.bad(line, "has spans that are not in order");
      this.span_end[column] = start;
    }
  }

  private segment({ passages, data }: Segment, line: number): void {
    if (!this.index) throw this.bad(line, "comes before the index");
    this.endSegment();
    this.segments++;
    this.passages += passages.length;
    this.chunks = passages.length;
    for (const passage of passages) {
      const fault = this.text.add(passage);
      if (fault !== null) throw this.bad(line, `has a passage ${fault}`);
    }
    const { analyzer, segment_format: written } = this.index.encoding;
    const bytes = this.bytes(data, line);
    // An index of another layout is not imported.
    const fault =
      written === segment_format ? segmentFault(bytes, passages.length, analyzer) : null;
    if (fault !== null) throw this.bad(line, `has a segment that can't be searched: ${fault}`);
  }

  private addVectors(data: string, line: number): void {
    if (this.chunks === 0 || !this.index?.vectors)
      throw this.bad(line, "has vectors that belong to no segment");
    const bytes = this.bytes(data, line);
    if (bytes.length === 0) throw this.bad(line, "has vectors that are cut off");
    this.vectors.push(bytes);
    this.vector_bytes += bytes.length;
    if (this.vector_bytes > vectorBytesMax(this.index.vectors.dimensions))
      throw this.bad(line, "has more vectors than a segment can have");
  }

  private endSegment(): void {
    const { vectors } = this.index ?? {};
    if (this.vectors.length === 0 || !vectors) return;
    const fault = (vectors.layout === undefined ? floatsFault : vectorsFault)(
      Buffer.concat(this.vectors),
      this.chunks,
      vectors.dimensions,
    );
    if (fault !== null)
      throw badPart(
        this.part,
        `has vectors of segment ${this.segments} that can't be used: ${fault}`,
      );
    this.vectors = [];
    this.vector_bytes = 0;
  }

  private bytes(data: string, line: number): Uint8Array {
    if (data.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(data))
      throw this.bad(line, "has bytes that are not Base64");
    return Buffer.from(data, "base64");
  }

  private bad(line: number, problem: string): Error {
    return badPart(this.part, `${problem}, in line ${line}`);
  }
}

/** The counterpart of `vectorsFault` for format version 1: one per chunk, 32-bit floats. */
function floatsFault(data: Uint8Array, chunks: number, dimensions: number): string | null {
  const expected = chunks * dimensions * 4;
  if (data.length !== expected) return `they are ${data.length} bytes, not ${expected}`;
  const is_number = (number: number): boolean =>
    Number.isFinite(number) && Math.abs(number) <= 1.001;
  return new Float32Array(data.slice().buffer).every(is_number) ? null : "they are not of length 1";
}
