/**
 * Moves further passages of a page that was found already behind others: opening the page shows
 * them as well, and another page may have the answer. Hits without pages keep their order. Pure.
 */
import type { Hit } from "./bm25";

/** The factor for a score per earlier passage of the same page. */
const repeated_share = 0.8;
/** How many times as many hits as wanted are considered. */
export const spread_factor = 3;

/**
 * The best `limit` of these hits, which are sorted best first, with their new scores. `pages` are
 * theirs, in the same order; null for none. Of equal ones the earlier comes first.
 */
export function spreadOverPages<H extends Hit>(
  hits: readonly H[],
  pages: readonly (number | null)[],
  limit: number,
): H[] {
  const remaining = hits.map((hit, at) => ({ hit, page: pageOf(hit, pages[at] ?? null) }));
  const times = new Map<string, number>();
  const spread: H[] = [];
  const scoreOf = ({ hit, page }: (typeof remaining)[number]): number =>
    hit.score * repeated_share ** (times.get(page ?? "") ?? 0);
  while (spread.length < limit && remaining.length > 0) {
    let best = 0;
    for (let at = 1; at < remaining.length; at++) {
      // Scores descend: no later one can be better.
      if (remaining[at]!.hit.score <= scoreOf(remaining[best]!)) break;
      if (scoreOf(remaining[at]!) > scoreOf(remaining[best]!)) best = at;
    }
    const next = remaining[best]!;
    const score = scoreOf(next);
    remaining.splice(best, 1);
    spread.push({ ...next.hit, score });
    if (next.page !== null) times.set(next.page, (times.get(next.page) ?? 0) + 1);
  }
  return spread;
}

/** A document of several segments has few pages in two of them. */
const pageOf = ({ segment }: Hit, page: number | null): string | null =>
  page === null ? null : `${segment} ${page}`;
