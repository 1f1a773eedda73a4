/** Checks that the text of a document is the one that its passages refer to. */
import { pairsIn } from "../../../core/lib/text-pieces";
import { badPart, readText } from "../archive";
import type { DocumentLines } from "../layout";
import type { PartReader } from "./part-reader";

type Passage = DocumentLines["segment"]["passages"][number];

/** Collects the places of passages, and compares them with the text while it is read. */
export class TextCheck {
  /** Start and end of passages, ascending: UTF-16 units, with the code points they declare. */
  private readonly places: number[] = [];
  private readonly place_points: number[] = [];
  private end = 0;

  constructor(
    private readonly part: string,
    readonly units: number,
    readonly points: number,
  ) {}

  /** Adds a passage; returns what is evidently wrong with it. */
  add({ start, end, start_point, end_point }: Passage): string | null {
    if (start >= end || end > this.units) return `outside of the text: ${start} to ${end}`;
    if (start < this.end) return "that overlaps the previous one";
    this.end = end;
    this.places.push(start, end);
    this.place_points.push(start_point, end_point);
    return null;
  }

  /** Reads the text and compares. @throws BadArchive */
  async run(reader: PartReader, text_part: string): Promise<void> {
    let unit = 0;
    let point = 0;
    let at = 0;
    for await (const text of readText(text_part, reader.bytes(text_part))) {
      const pairs = pairsIn(text);
      const end = unit + text.length;
      for (let before = 0; at < this.places.length && this.places[at]! <= end; at++) {
        const within = this.places[at]! - unit;
        while (before < pairs.length && pairs[before]! + 1 < within) before++;
        if (pairs[before]! + 1 === within || point + within - before !== this.place_points[at])
          throw badPart(
            this.part,
            `has a passage that does not fit its text, ${text_part}, at ${this.places[at]}`,
          );
      }
      unit = end;
      point += text.length - pairs.length;
    }
    if (unit !== this.units || point !== this.points)
      throw badPart(
        text_part,
        `has ${unit} characters (${point} code points) instead of ${this.units} ` +
          `(${this.points}) as stated in ${this.part}`,
      );
  }
}
