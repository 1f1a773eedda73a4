/**
 * Captions that roll or grow say each line several times; what stays is each line once, from when
 * it is first shown.
 */
import type { Segment } from "../segments";

/** Two cues follow one another when not more than this lies between them, seconds. */
const following_s = 0.1;

interface Shown {
  readonly lines: readonly string[];
  readonly end: number;
  readonly speaker: string | null;
}

/** `segments` are in order; their texts may have lines. */
export function withoutRepeats(segments: readonly Segment[]): Segment[] {
  const kept: { start: number; end: number; text: string; speaker: string | null }[] = [];
  let before: Shown | undefined;
  for (const segment of segments) {
    const lines = segment.text
      .split("\n")
      .map((line) => line.replace(/\s+/g, " ").trim())
      .filter((line) => line !== "");
    if (lines.length === 0) continue;
    const fresh =
      before && segment.speaker === before.speaker && segment.start - before.end <= following_s
        ? freshOf(before.lines, lines)
        : lines.join(" ");
    if (fresh !== "")
      kept.push({ start: segment.start, end: segment.end, text: fresh, speaker: segment.speaker });
    else kept.at(-1)!.end = Math.max(kept.at(-1)!.end, segment.end);
    before = { lines, end: segment.end, speaker: segment.speaker };
  }
  return kept;
}

/**
 * What these lines show that those before them did not: the last ones of those may stand first in
 * these, or all of them may have grown.
 */
function freshOf(before: readonly string[], lines: readonly string[]): string {
  for (let shared = Math.min(before.length, lines.length, lines_max); shared > 0; shared--) {
    if (lines.slice(0, shared).every((line, at) => line === before[before.length - shared + at]))
      return lines.slice(shared).join(" ");
  }
  const [then, now] = [before.join(" "), lines.join(" ")];
  return now.startsWith(`${then} `) ? now.slice(then.length + 1) : now;
}
/** No picture shows more at once. */
const lines_max = 8;
