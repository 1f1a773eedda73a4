/** Splits a text that is too long for the model into overlapping windows. */
import { tokens_max } from "./model-container";

/** Tokens shared with the previous window: about two sentences. */
const overlap = 48;
/** <s> and </s>. */
const frame = 2;

/**
 * Each window: <s>, the prefix, a part of the text, </s>. The parts have similar lengths, so that
 * none is a meaningless remainder.
 */
export function windowsOf(
  ids: readonly number[],
  { prefix, bos, eos }: { prefix: readonly number[]; bos: number; eos: number },
): number[][] {
  const room = tokens_max - frame - prefix.length;
  const step_max = room - overlap;
  const count = ids.length <= room ? 1 : Math.ceil((ids.length - overlap) / step_max);
  const step = Math.ceil((ids.length - overlap) / count);
  return Array.from({ length: count }, (_, at) => {
    const part = count === 1 ? ids : ids.slice(at * step, at * step + step + overlap);
    return [bos, ...prefix, ...part, eos];
  });
}
