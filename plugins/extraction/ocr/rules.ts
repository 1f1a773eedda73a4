/**
 * Runs in the child: finds straight lines in an image, such as those of tables: thin or thick,
 * broken or dashed, faint or dark.
 */
import { resized, transposed, unitOf, type Gray } from "./bitmap";
import type { Ground } from "./dark-grounds";
import { tracedLines, type PictureRule, type TracedLine } from "./traced-lines";

/** The horizontal and the vertical lines of an image. */
export interface PictureRules {
  readonly across: readonly PictureRule[];
  readonly down: readonly PictureRule[];
}

/** The minimum contrast of lines against paper; thick lines are never faint. */
const thin_contrast = 22;
const thick_contrast = 90;
/** Shorter lines are found only where they end at others. Lengths are in units (see `unitOf`). */
const length_min = 110;
/** The share of a line that must be drawn: of an isolated one, of others, of dashed ones. */
const alone_min = 0.88;
const solid_min = 0.8;
/** Dashed lines are found where they cross others, and must be longer. */
const dashed_length_min = 150;
/** The distance at which lines count as touching. */
const touch = 9;
/** Fragments of a broken line: the largest gap, and the largest vertical offset. */
const break_max = 30;
const offset_max = 3;
/** An image with more lines is a drawing. */
const lines_max = 3_000;

/** An image with more pixels is shrunk first, which keeps lines visible. */
const pixels_max = 5_500_000;

/**
 * `noise` is the usual difference between two pixels of paper. The edges of `grounds`, which were
 * dark, count as lines too.
 */
export function rulesOf(picture: Gray, noise: number, grounds: readonly Ground[]): PictureRules {
  const { width, height } = picture;
  const shrink = Math.min(1, Math.sqrt(pixels_max / (width * height)));
  const small =
    shrink === 1
      ? picture
      : resized(picture, Math.ceil(width * shrink), Math.ceil(height * shrink));
  const unit = unitOf(small);
  const edges = grounds.flatMap((ground) => edgesOf(ground, shrink));
  const across = [...linesAcross(small, unit, noise), ...edges.map((edge) => edge.across)];
  const down = [...linesAcross(transposed(small), unit, noise), ...edges.map((edge) => edge.down)];
  if (across.length > lines_max || down.length > lines_max) return { across: [], down: [] };
  const rules = chosen(across, down, unit);
  const joinLines = (lines: readonly TracedLine[]): TracedLine[] =>
    lines.map((line) => enlarged(line, 1 / shrink));
  return { across: joinLines(rules.across), down: joinLines(rules.down) };
}

/** The same line in an image of another size. */
export const enlarged = <Line extends PictureRule>(line: Line, scale: number): Line => ({
  ...line,
  from: Math.floor(line.from * scale),
  to: Math.ceil((line.to + 1) * scale) - 1,
  at: (line.at + 0.5) * scale - 0.5,
  thickness: line.thickness * scale,
});

/** At full size, and at half size for thick ones. */
function linesAcross(picture: Gray, unit: number, noise: number): TracedLine[] {
  const thin = tracedLines(picture, unit, noise, thin_contrast);
  const half = resized(picture, Math.ceil(picture.width / 2), Math.ceil(picture.height / 2));
  const thick = tracedLines(half, unit, noise / 2, thick_contrast)
    .map((line) => enlarged(line, 2))
    .filter((line) => !thin.some((other) => covers(other, line)));
  const all = [...thin, ...thick];
  return all.length > lines_max ? all : joined(all, unit);
}

const heightAt = ({ from, to, at, slope }: PictureRule, x: number): number =>
  at + slope * (x - (from + to) / 2);

/** The same line, or a longer part of it. */
const covers = (line: TracedLine, other: TracedLine): boolean =>
  Math.min(line.to, other.to) - Math.max(line.from, other.from) >= 0.5 * (other.to - other.from) &&
  Math.abs(heightAt(line, (other.from + other.to) / 2) - other.at) <=
    line.thickness + other.thickness + 2;

/** Joins fragments of broken lines. */
function joined(lines: readonly TracedLine[], unit: number): TracedLine[] {
  const joined: TracedLine[] = [];
  for (const line of lines.toSorted((a, b) => a.from - b.from)) {
    const before = joined.findLastIndex(
      (other) =>
        line.from - other.to <= break_max * unit &&
        line.from - other.to > -break_max * unit &&
        line.to > other.to &&
        Math.abs(heightAt(other, line.from) - heightAt(line, line.from)) <= offset_max * unit,
    );
    const pair = before < 0 ? line : joinedPair(joined[before]!, line);
    // Stems of letters below each other are not a broken line, in which most of the length is
    // drawn.
    if (before < 0 || pair.drawn < solid_min) joined.push(line);
    else joined[before] = pair;
  }
  return joined;
}
function joinedPair(first: TracedLine, second: TracedLine): TracedLine {
  const long = first.to - first.from;
  const other = second.to - second.from;
  const share = long / (long + other);
  const start = heightAt(first, first.from);
  const end = heightAt(second, second.to);
  return {
    from: first.from,
    to: second.to,
    at: (start + end) / 2,
    slope: (end - start) / Math.max(1, second.to - first.from),
    thickness: share * first.thickness + (1 - share) * second.thickness,
    drawn: (first.drawn * long + second.drawn * other) / (second.to - first.from),
  };
}

/** The horizontal and vertical edges, in the shrunken image. */
function edgesOf(
  ground: Ground,
  shrink: number,
): readonly { readonly across: TracedLine; readonly down: TracedLine }[] {
  const [left, right, top, bottom] = [ground.left, ground.right, ground.top, ground.bottom].map(
    (edge) => Math.round(edge * shrink),
  ) as [number, number, number, number];
  const line = (from: number, to: number, at: number): TracedLine => ({
    from,
    to: to - 1,
    at,
    slope: 0,
    thickness: 1,
    drawn: 1,
  });
  return [
    { across: line(left, right, top), down: line(top, bottom, left) },
    { across: line(left, right, bottom - 1), down: line(top, bottom, right - 1) },
  ];
}

/** Long lines, and shorter ones that end at them; others are parts of letters. */
function chosen(
  across: readonly TracedLine[],
  down: readonly TracedLine[],
  unit: number,
): { readonly across: TracedLine[]; readonly down: TracedLine[] } {
  const isLong = ({ from, to, drawn }: TracedLine): boolean =>
    drawn >= solid_min && to - from >= length_min * unit;
  const mayBeDashed = ({ from, to, drawn }: TracedLine): boolean =>
    drawn < solid_min && to - from >= dashed_length_min * unit;
  const touching = (line: TracedLine, others: readonly TracedLine[]): number =>
    others.filter((other) => meet(line, other, touch * unit)).length;
  const candidates = [across, down].map((lines) =>
    lines.filter((line) => isLong(line) || mayBeDashed(line)),
  ) as [TracedLine[], TracedLine[]];
  const [sure_across, sure_down] = [0, 1].map((way) =>
    candidates[way]!.filter((line) => {
      const touched = line.drawn >= alone_min ? 0 : touching(line, candidates[1 - way]!);
      return isLong(line) ? line.drawn >= alone_min || touched > 0 : touched >= 2;
    }),
  ) as [TracedLine[], TracedLine[]];
  const all = (lines: readonly TracedLine[], sure: TracedLine[], others: TracedLine[]) => [
    ...sure,
    ...lines.filter(
      (line) => line.drawn >= solid_min && !sure.includes(line) && touching(line, others) >= 2,
    ),
  ];
  return { across: all(across, sure_across, sure_down), down: all(down, sure_down, sure_across) };
}

/** Whether a horizontal and a vertical line cross or nearly touch. */
const meet = (line: PictureRule, other: PictureRule, tolerance: number): boolean =>
  other.at >= line.from - tolerance &&
  other.at <= line.to + tolerance &&
  line.at >= other.from - tolerance &&
  line.at <= other.to + tolerance;
