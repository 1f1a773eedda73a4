/** Full-text search over the sections of the documentation. */
import type { RenderedPage, Section } from "./markdown";

/** A section that contains all words of the query. */
export interface Hit {
  readonly page: RenderedPage;
  readonly section: Section;
  /** An excerpt around the matches. */
  readonly excerpt: string;
}

const hits_max = 30;
const words_max = 8;
const excerpt_letters = 220;

/** Sections that contain all words; those with the words in their heading come first. */
export function findSections(pages: readonly RenderedPage[], query: string): Hit[] {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  const hits: { hit: Hit; score: number }[] = [];
  for (const page of pages)
    for (const section of page.sections) {
      const heading = section.text.toLowerCase();
      const text = section.words.toLowerCase();
      if (!words.every((word) => heading.includes(word) || text.includes(word))) continue;
      const named = words.filter((word) => heading.includes(word)).length;
      const titled = words.filter((word) => page.title.toLowerCase().includes(word)).length;
      const occurrences = words.reduce(
        (sum, word) => sum + Math.min(3, text.split(word).length - 1),
        0,
      );
      hits.push({
        hit: { page, section, excerpt: excerptOf(section.words, text, words) },
        score: named * 10 + titled * 4 + occurrences,
      });
    }
  return hits
    .toSorted((a, b) => b.score - a.score)
    .slice(0, hits_max)
    .map(({ hit }) => hit);
}

/** The words of a query in lower case; a long query is cut off. */
export const wordsOf = (query: string): string[] =>
  query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, words_max);

function excerptOf(text: string, lower: string, words: readonly string[]): string {
  const first = Math.min(...words.map((word) => lower.indexOf(word)).filter((at) => at >= 0));
  const from = Number.isFinite(first) ? Math.max(0, text.lastIndexOf(" ", first - 60)) : 0;
  const cut = text.slice(from, from + excerpt_letters).trim();
  return `${from > 0 ? "… " : ""}${cut}${from + excerpt_letters < text.length ? " …" : ""}`;
}
