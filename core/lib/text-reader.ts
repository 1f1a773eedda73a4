/** Reads stored texts piece by piece, from any source of pieces. */
import { countLeading } from "./binary-search";
import { nextTurn } from "./chunked-work";
import { pairsIn, piece_units, pieceCount, type Piece, type StoredText } from "./text-pieces";

/** The existing pieces from one id to another, both included. */
export type ReadPieces = (
  first_id: number,
  last_id: number,
) => Promise<readonly Piece[]> | readonly Piece[];

/** The text was deleted while it was read. */
export class TextGone extends Error {
  constructor() {
    super("The text was deleted meanwhile.");
  }
}

/** The text between two UTF-16 units. Undefined when it has been deleted. */
export async function readUnits(
  read: ReadPieces,
  text_id: number,
  start: number,
  end: number,
): Promise<string | undefined> {
  if (start >= end) return "";
  const pieces = await read(text_id + pieceOf(start), text_id + pieceOf(end));
  const last = pieces.at(-1);
  if (last === undefined || last.first_unit + last.data.length < end) return undefined;
  const first_unit = pieces[0]!.first_unit;
  const data = pieces.length === 1 ? last.data : pieces.map((piece) => piece.data).join("");
  return first_unit > start ? undefined : data.slice(start - first_unit, end - first_unit);
}
/** The piece with this unit; or the one before it, when the cut between them was made early. */
const pieceOf = (unit: number): number => Math.floor(unit / piece_units);

/** The number of pieces read at once. */
const pieces_together = 8;

/**
 * The text, a few pieces at a time, up to its stated length; the caller may pause between them.
 * @throws TextGone
 */
export async function* readParts(
  read: ReadPieces,
  { id, units }: Pick<StoredText, "id" | "units">,
): AsyncGenerator<string, void> {
  const end_id = id + pieceCount(units);
  for (let at = id, unit = 0; at < end_id; at += pieces_together) {
    const pieces = await read(at, Math.min(at + pieces_together, end_id) - 1);
    const part = pieces.map(({ data }) => data).join("");
    if (pieces[0]?.first_unit !== unit) throw new TextGone();
    unit += part.length;
    yield unit > units ? part.slice(0, units - unit) : part;
    if (at + pieces_together >= end_id && unit < units) throw new TextGone();
  }
}

/** The whole text; others take turns between its parts. @throws TextGone */
export async function readWhole(
  read: ReadPieces,
  text: Pick<StoredText, "id" | "units">,
): Promise<string> {
  const parts: string[] = [];
  for await (const part of readParts(read, text)) {
    if (parts.length > 0) await nextTurn();
    parts.push(part);
  }
  return parts.length === 1 ? parts[0]! : parts.join("");
}

/** With the units at which its surrogate pairs begin. */
type ReadPiece = Piece & { readonly pairs: readonly number[] };

const endOf = ({ first_unit, data }: Piece): number => first_unit + data.length;

/** The code points before a unit of this piece. */
function pointIn({ first_unit, first_point, pairs }: ReadPiece, unit: number): number {
  const within = unit - first_unit;
  return first_point + within - countLeading(pairs, (pair) => pair + 1 < within);
}

/** Converts between UTF-16 units and code points of a text; fastest for ascending positions. */
export class TextPlaces {
  private piece: ReadPiece | undefined;
  private reads = 0;

  constructor(
    private readonly read: ReadPieces,
    private readonly text: StoredText,
  ) {}

  /** The number of code points before a UTF-16 unit. @throws TextGone */
  async pointAt(unit: number): Promise<number> {
    const known_point = this.knownPointAt(unit);
    if (known_point !== undefined) return known_point;
    const piece = await this.find(
      (piece) => piece.first_unit <= unit,
      (piece) => unit < endOf(piece),
    );
    return pointIn(piece, unit);
  }

  /** The same for many, in ascending order. A promise for each would be much garbage. */
  async pointsAt(units: readonly number[]): Promise<number[]> {
    const points: number[] = [];
    for (const unit of units) points.push(this.knownPointAt(unit) ?? (await this.pointAt(unit)));
    return points;
  }

  /** Undefined when a piece has to be read first. */
  private knownPointAt(unit: number): number | undefined {
    const { units, points } = this.text;
    if (unit >= units) return points;
    if (units === points) return unit;
    const { piece } = this;
    return piece && piece.first_unit <= unit && unit < endOf(piece)
      ? pointIn(piece, unit)
      : undefined;
  }

  /** The UTF-16 unit at which a code point begins. @throws TextGone */
  async unitAt(point: number): Promise<number> {
    const { units, points } = this.text;
    if (point >= points) return units;
    if (units === points) return point;
    const { first_unit, first_point, pairs } = await this.find(
      (piece) => piece.first_point <= point,
      ({ first_point, data, pairs }) => point < first_point + data.length - pairs.length,
    );
    const within = point - first_point;
    return first_unit + within + countLeading(pairs, (pair, at) => pair - at < within);
  }

  /** The last piece for which `begins` holds; `ends`: it is that one, if it begins before. */
  private async find(begins: (piece: Piece) => boolean, ends: (piece: ReadPiece) => boolean) {
    const { id, units } = this.text;
    const begun = this.piece && begins(this.piece) ? this.piece : undefined;
    // Thousands of positions may be in one piece.
    if (begun && ends(begun)) return begun;
    let low = begun?.id ?? id;
    let high = id + pieceCount(units);
    // Successive positions are mostly in the same piece or in the next.
    for (let step = 1; high - low > 1; step *= 2) {
      // Ids exceed the 32 bits of a shift.
      const middle = low + Math.min(step, (high - low) >>> 1);
      if (begins(await this.load(middle))) low = middle;
      else {
        high = middle;
        step = 0.5;
      }
    }
    return this.load(low);
  }

  private async load(id: number) {
    if (this.piece?.id === id) return this.piece;
    if (++this.reads % pieces_together === 0) await nextTurn();
    const [piece] = await this.read(id, id);
    if (piece === undefined) throw new TextGone();
    return (this.piece = { ...piece, pairs: pairsIn(piece.data) });
  }
}
