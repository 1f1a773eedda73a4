/** What a question asks for: the mark by which a sentence that can answer it is known. */
const months = "january|february|march|april|may|june|july|august|september|october|november|december";
const days = "monday|tuesday|wednesday|thursday|friday|saturday|sunday";
const numbers = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|million|billion|half|third|quarter|twice|once";

const kinds: readonly { readonly asked: RegExp; readonly wanted: RegExp }[] = [
  {
    asked: /\bhow (?:many|much|long|old|far|tall|high|large|big|often|fast|deep|wide|heavy)\b|\bwhat (?:percent|percentage|number|amount|population)\b/i,
    wanted: new RegExp(`\\d|\\b(?:${numbers})\\b`, "i"),
  },
  {
    asked: /\bwhen\b|\b(?:what|which) (?:\w+ )?(?:year|date|day|month|century|decade|time)\b/i,
    wanted: new RegExp(`\\b\\d{3,4}s?\\b|\\b(?:${months}|${days})\\b|\\bcentur|\\bdecade`, "i"),
  },
  { asked: /\bwho(?:m|se)?\b/i, wanted: /(?<=\S\s)\p{Lu}\p{L}+/u },
  {
    asked: /\bwhere\b|\b(?:what|which) (?:country|city|state|place|region|continent|town|location)\b/i,
    wanted: /\b(?:in|at|near|from|to|of|on)\s+(?:the\s+)?\p{Lu}\p{L}+/u,
  },
  { asked: /\bwhy\b|\bfor what reason\b|\bwhat (?:caused|causes)\b/i, wanted: /\b(?:because|due to|since|so that|in order|as a result|therefore|to avoid|caused by|reason)\b/i },
];

/** What a sentence must hold to answer an English question of who, when, where, how many or why; null for any other question. */
export const wantedBy = (question: string): RegExp | null => kinds.find(({ asked }) => asked.test(question))?.wanted ?? null;
