/** Fenced code blocks of Markdown, in a text or in an excerpt of one. */

/** UTF-16 indices of the code, without the lines of its fences. */
export interface CodeBlock {
  readonly start: number;
  readonly end: number;
  readonly code_start: number;
  readonly code_end: number;
}
interface Fence {
  readonly start: number;
  readonly end: number;
  readonly mark: string;
  readonly has_language: boolean;
}
const fence_line = /^[ \t]*(`{3,}|~{3,})([^\n`]*)$/gm;

/** In order. An excerpt may begin or end within one. */
export function codeBlocks(text: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  const fences = fencesOf(text);
  let opening: Fence | undefined;
  for (const [at, fence] of fences.entries()) {
    if (opening !== undefined) {
      if (!closes(opening, fence)) continue;
      blocks.push(between(text, opening, fence));
      opening = undefined;
    } else if (at === 0 && fences.length % 2 === 1 && looksClosing(text, fence))
      blocks.push({ start: 0, end: fence.end, code_start: 0, code_end: lineBefore(fence) });
    else opening = fence;
  }
  if (opening !== undefined) blocks.push(between(text, opening, undefined));
  return blocks;
}

const fencesOf = (text: string): Fence[] =>
  [...text.matchAll(fence_line)].map(({ 0: line, 1: mark, 2: language, index }) => ({
    start: index,
    end: index + line.length,
    mark: mark!,
    has_language: language!.trim() !== "",
  }));

const closes = (opening: Fence, { mark, has_language }: Fence): boolean =>
  !has_language && mark[0] === opening.mark[0] && mark.length >= opening.mark.length;

/**
 * Directly below a line of code, and above an empty line or the end: the block began before `text`.
 */
const looksClosing = (text: string, { start, end, has_language }: Fence): boolean =>
  !has_language &&
  /\S[ \t]*\n$/.test(text.slice(0, start)) &&
  /^\s*(?:\n\s*\n|$)/.test(text.slice(end));

const lineBefore = ({ start }: Pick<Fence, "start">): number => Math.max(0, start - 1);

function between(text: string, opening: Fence, closing: Fence | undefined): CodeBlock {
  const code_start = Math.min(text.length, opening.end + 1);
  const code_end = closing === undefined ? text.length : Math.max(code_start, lineBefore(closing));
  return { start: opening.start, end: closing?.end ?? text.length, code_start, code_end };
}
