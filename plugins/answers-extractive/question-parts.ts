/** Splits a message with two questions, each of which gets an answer of its own. Pure. */

/** Words that begin a question, in languages with spaces between words. */
const interrogatives = [
  "who|whom|whose|what|which|when|where|why|how|wer|wen|wem|wessen|was|welche[mnrs]?|wann|wo|wohin",
  "woher|warum|wieso|wie|wieviele?|qui|que|quoi|quel(?:le)?s?|quand|où|pourquoi|comment|combien",
  "quién(?:es)?|qué|cuál(?:es)?|cuándo|dónde|por qué|cómo|cuánt[oa]s?|chi|che|cosa|quale?|quali",
  "quando|dove|perché|come|quant[oaie]|quem|qual|quais|onde|por que|como|wat|welke?|wanneer|waar",
  "waarom|hoe|hoeveel|vem|vad|vilke[nt]|när|var|varför|hur|hvem|hvad|hva|hvilke[nt]|hvornår|hvor",
  "kto|co|jaki|jaka|jakie|który|która|które|kiedy|gdzie|dlaczego|jak|ile|кто|что|какой|какая|какое",
  "какие|когда|где|почему|зачем|как|сколько|ποιος|ποια|ποιο|τι|πότε|πού|γιατί|πώς|πόσ[οαες]ς?|kim",
  "ne|neden|nasıl|hangi|kaç|nerede|ai|gì|khi nào|ở đâu|tại sao|(?:làm )?thế nào|bao nhiêu|कौन|क्या",
  "कब|कहाँ|क्यों|कैसे|कितन[ाेी]|من|ما|ماذا|متى|أين|لماذا|كيف|كم",
].join("|");
/** Alternatives of a regular expression. */
export const and =
  "and|und|et|y|e|ed|en|och|og|oraz|i|и|а|και|ve|và|और|sowie|as well as|ainsi que|así como";
/** Written as one word with what follows. */
const arabic_and = "و";
const preposition = "from|to|by|in|on|at|for|with|mit|von|à|de|en|con|da|из|с";
/** Spaces are read from their first one only: from each of many would take quadratic time. */
const next_question = new RegExp(
  `[,;]?(?<!\\s)\\s+(?:(?:${and})\\s+|${arabic_and}\\s*)` +
    `(?=(?:(?:${preposition})\\s+)?(?:${interrogatives})(?![\\p{L}\\p{M}]))`,
  "iu",
);
/** The same for languages without spaces between words. */
const next_question_unspaced = new RegExp(
  "[，,、]\\s*(?:以及|并且|而且|那么|還有|还有|また|そして|それと)?" +
    "(?=(?:如何|怎[么樣样麼]|什[么麼]|哪|[谁誰]|为什|為什|多少|どの|どう|いつ|どこ|何|なぜ))",
  "u",
);
const begins_with_interrogative = new RegExp(
  `^[¿\\s]*(?:${interrogatives})(?![\\p{L}\\p{M}])`,
  "iu",
);
const question_end = /(?<=[?？؟])\s*(?=\S)/u;
const verbs =
  "is|are|was|were|do|does|did|has|have|can|ist|sind|war|hat|kann|est|sont|es|son|è|sono|é|são";
/** "Which name": the rest of the question is about this, too. */
const unfinished = new RegExp(
  "^(?:which|what|whose|how (?:many|much)|welche[mnrs]?|wie ?viele?|quel(?:le)?s?|qué|qual[ie]?)" +
    `(?:\\s+(?!(?:${verbs})(?!\\S))[^\\s,]+){1,2}$`,
  "iu",
);
/** A shorter part is not a question of its own. */
const part_chars_min = 8;
const unspaced_chars_min = 4;
const parts_max = 2;

/** Of a longer text, this much of its beginning and its end is read; UTF-16 units. */
const end_chars = 2_000;

/**
 * The beginning and the end of a long text, where people ask. The rest says what it is about, which
 * the search looks for.
 */
export const abridged = (text: string): string =>
  text.length <= 2 * end_chars
    ? text
    : `${text.slice(0, end_chars)}\n${text.slice(-end_chars)}`.toWellFormed();

const quoted = /["“„«「『][^"“”„«»「」『』\n]{1,200}["“”«»」』]/gu;
/** In fewer UTF-16 units hardly any language is recognised. */
const own_words_min = 12;
/**
 * Without what is quoted, which may be in the language of what is asked about; the whole question
 * when little else is left.
 */
export function withoutQuoted(question: string): string {
  const own_words = question.replace(quoted, " ").trim();
  return own_words.length < own_words_min ? question : own_words;
}

/** The questions of a text: itself, or two. */
export function questionParts(text: string): string[] {
  const question = text.trim();
  const by_marks = question.split(question_end).map((part) => part.trim());
  if (by_marks.length === parts_max && by_marks.every(isQuestion)) return by_marks;
  for (const [boundary, chars_min] of [
    [next_question, part_chars_min],
    [next_question_unspaced, unspaced_chars_min],
  ] as const) {
    const match = boundary.exec(question);
    if (match === null) continue;
    const parts = [question.slice(0, match.index), question.slice(match.index + match[0].length)];
    if (
      parts.every((part) => part.trim().length >= chars_min) &&
      !unfinished.test(parts[0]!.trim()) &&
      (boundary !== next_question || begins_with_interrogative.test(parts[0]!))
    )
      return parts.map((part) => part.trim());
  }
  return [question];
}
/** Whether it begins with a question word. */
export const beginsAsQuestion = (question: string): boolean =>
  begins_with_interrogative.test(question);
const isQuestion = (part: string): boolean =>
  /[?？؟]["'”’»)\]]*$/u.test(part) && part.length >= part_chars_min;
