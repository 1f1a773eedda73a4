/**
 * Suggested questions to start with. They are made from headings of the documents, so that there
 * is something to find; there are none when no heading is suitable.
 */
import type { OutlinedDocument, Overview } from "../../documents/contract";

/** A question, and the heading of the document it was made from. */
export interface Suggestion {
  readonly text: string;
  readonly document_id: string;
  readonly document_name: string;
  /** As it is written in the document. */
  readonly heading: string;
}

/** How many documents are examined, and how many headings of each. */
export const overview_limits = { documents: 10, headings: 12, or_lines: true } as const;
const suggestions_max = 4;

/** Forms a question about a heading, in languages whose grammar permits inserting it as it is. */
const question_forms: Readonly<Record<string, (topic: string) => string>> = {
  de: (topic) => `Was steht zu „${topic}“?`,
  en: (topic) => `What is said about “${topic}”?`,
  es: (topic) => `¿Qué se dice sobre «${topic}»?`,
  fr: (topic) => `Que dit-on de « ${topic} » ?`,
  it: (topic) => `Che cosa si dice di «${topic}»?`,
  nl: (topic) => `Wat staat er over “${topic}”?`,
  pt: (topic) => `O que se diz sobre «${topic}»?`,
};

/** At most four, from as many documents as possible. */
export function suggestionsOf({ documents }: Overview): Suggestion[] {
  const candidates = documents.map((document) => ({ document, headings: goodHeadings(document) }));
  const suggestions = new Map<string, Suggestion>();
  while (
    suggestions.size < suggestions_max &&
    candidates.some(({ headings }) => headings.length > 0)
  )
    for (const { document, headings } of candidates) {
      const heading = headings.shift();
      if (heading === undefined || suggestions.size === suggestions_max) continue;
      const text = questionAbout(heading.topic, document.language);
      if (!suggestions.has(text))
        suggestions.set(text, {
          text,
          document_id: document.id,
          document_name: document.name,
          heading: heading.text,
        });
    }
  return [...suggestions.values()];
}

interface Topic {
  readonly text: string;
  readonly topic: string;
}

function goodHeadings({ headings, name }: OutlinedDocument): Topic[] {
  const title = folded(name.replace(/\.[^.]{1,5}$/, ""));
  const topics = headings.flatMap(({ text }) => {
    const topic = topicOf(text);
    return topic !== null && folded(topic) !== title ? [{ text, topic }] : [];
  });
  return [...new Map(topics.map((entry) => [folded(entry.topic), entry])).values()];
}

const folded = (text: string): string => text.normalize("NFKC").toLowerCase();

const questionAbout = (topic: string, language: string | null): string =>
  topic.endsWith("?") ? topic : (question_forms[language ?? "en"] ?? question_forms["en"]!)(topic);

const topic_points = { min: 4, max: 60 } as const;
const words_max = 8;
/** A single word is too little of a question, unless it is a compound. */
const lone_word_points_min = 12;
/** What may precede the text of a heading: Markdown, the kind of section, its number, a dash. */
const heading_prefixes = [
  /^[#*_\s]+/,
  /^(?:chapter|section|part|article|kapitel|abschnitt|teil|chapitre|capitolo)\s+(?=[\divxlc]+\b)/i,
  /^[(§]?\s*(?:\d+(?:\.\d+)*|[ivxlc]+|[a-z])[.):]\s*/i,
  /^\d+(?:\.\d+)*\s+/,
  /^[–—-]\s+/,
];
/** Headings that many documents have, and that say nothing about their subject. */
const common_headings = new Set(
  (
    "abstract|acknowledgements|acknowledgments|annex|appendix|appendices|authors|background|" +
    "bibliography|changelog|changes|conclusion|conclusions|contact|contents|copyright|cover|" +
    "credits|definitions|disclaimer|discussion|document history|executive summary|footnotes|" +
    "foreword|further reading|general|getting started|glossary|imprint|index|introduction|" +
    "license|links|list of figures|list of tables|methods|miscellaneous|notes|objective|" +
    "objectives|outline|overview|preamble|preface|purpose|readme|references|related work|" +
    "results|revision history|scope|see also|sources|summary|table of contents|title|" +
    "unknown|untitled|usage|version history|example|examples|signature|signatures|" +
    "allgemeines|anhang|anlage|danksagung|einführung|einleitung|fazit|glossar|impressum|inhalt|" +
    "inhaltsverzeichnis|literatur|literaturverzeichnis|quellen|vorwort|zusammenfassung|überblick|" +
    "annexe|avant-propos|bibliographie|conclusion générale|remerciements|résumé|sommaire|" +
    "table des matières|anexo|bibliografía|conclusiones|conclusión|contenido|introducción|" +
    "resumen|índice|bibliografia|conclusioni|indice|introduzione|sommario|inhoud|inleiding|" +
    "samenvatting|conclusão|introdução|resumo|sumário"
  ).split("|"),
);
/** Lists at the beginning and the end of a manual: `Short Contents`, `Concept Index`. */
const list_heading =
  /^\p{L}+ contents$|^(?:author|command|concept|function|general|key|name|subject)s? index$/iu;
const unsuitable_characters = /[|\\/<>{}[\]=@_~^`•·…]|https?:|\.{2}|["“”„«»]/;

/** The subject of a heading, without its number; null when it makes no question. */
export function topicOf(heading: string): string | null {
  let topic = heading.replace(/\s+/g, " ").trim();
  for (let before = ""; before !== topic;) {
    before = topic;
    for (const prefix of heading_prefixes) topic = topic.replace(prefix, "").trim();
  }
  topic = topic.replace(/[\s:;,.#*–—-]+$/u, "");
  const points = [...topic].length;
  const letters = topic.match(/\p{L}/gu)?.length ?? 0;
  if (points < topic_points.min || points > topic_points.max) return null;
  const words = topic.split(" ").length;
  if (words === 1 && points < lone_word_points_min) return null;
  if (words > words_max || letters < points * 0.6) return null;
  if (unsuitable_characters.test(topic) || list_heading.test(topic)) return null;
  if (common_headings.has(folded(topic))) return null;
  return isShouted(topic) ? topic[0]! + topic.slice(1).toLowerCase() : topic;
}

/** Several words all in capitals: a heading rather than a name. */
const isShouted = (topic: string): boolean =>
  topic.includes(" ") && topic === topic.toUpperCase() && topic !== topic.toLowerCase();
