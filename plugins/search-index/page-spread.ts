/**
 * Further passages of a page that was found already come later: who opens the page has them too,
 * and another page may have the answer. What has no pages keeps its order. Pure.
 */
import type { Hit } from "./bm25";

/** What each passage of the same page before it leaves of a score. */
const repeated_share = 0.8;
/** So many times as many hits as are wanted are looked at. */
export const spread_factor = 3;

/**
 * The best `limit` of these hits, which come best first, with the scores that they have then.
 * `pages` are theirs, in the same order; null where there is none. Among equals the earlier one.
 */
export function spreadOverPages<H extends Hit>(
  hits: readonly H[],
  pages: readonly (number | null)[],
  limit: number,
): H[] {
  const left = hits.map((hit, at) => ({ hit, page: pageOf(hit, pages[at] ?? null) })),
    times = new Map<string, number>(),
    spread: H[] = [];
  const scoreOf = ({ hit, page }: (typeof left)[number]): number =>
    hit.score * repeated_share ** (times.get(page ?? "") ?? 0);
  while (spread.length < limit && left.length > 0) {
    let best = 0;
    for (let at = 1; at < left.length; at++) {
      // Scores descend: nothing behind it can be better.
      if (left[at]!.hit.score <= scoreOf(left[best]!)) break;
      if (scoreOf(left[at]!) > scoreOf(left[best]!)) best = at;
    }
    const one = left[best]!,
      score = scoreOf(one);
    left.splice(best, 1);
    spread.push({ ...one.hit, score });
    if (one.page !== null) times.set(one.page, (times.get(one.page) ?? 0) + 1);
  }
  return spread;
}

/** A document of several segments has few pages in two of them. */
const pageOf = ({ segment }: Hit, page: number | null): string | null =>
  page === null ? null : `${segment} ${page}`;
