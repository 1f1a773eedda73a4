/** What a question asks for: the mark by which a sentence that can answer it is known. */
const months =
  "january|february|march|april|may|june|july|august|september|october|november|december";
const days = "monday|tuesday|wednesday|thursday|friday|saturday|sunday";
const numbers =
  "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|million|billion|half|third|quarter|twice|once";

/** Words of other languages, whole. */
const words = (list: string): string =>
  `(?<![\\p{L}\\p{M}])(?:${list.replaceAll(" ", "|").replaceAll("_", "\\s+")})(?![\\p{L}\\p{M}])`;
const how_many =
  words(
    "wie_viele? wieviele? wie_(?:hoch|lange|groß|alt|weit|oft) combien cuánt[oa]s? quant[aeio]s? " +
      "hoeveel hur_många hvor_mange kuinka_monta ile kolik câte câți " +
      "сколько скільки πόσ[αοεη][ςι]? kaç bao_nhiêu mấy berapa كم چند कितन[ेाी] כמה",
  ) +
  "|多少|几[个年次名人位]|幾|何(?:年|人|つ|度|回|歳|%|パーセント)|いくつ|いくら|どれくらい|몇|얼마|กี่|เท่า(?:ไหร่|ไร|ใด)";
const when =
  words(
    "wann quand cuándo quando wanneer när hvornår når milloin kiedy kdy când когда коли πότε " +
      "ne_zaman khi_nào kapan متى کی कब מתי " +
      "(?:welche[mnrs]?|quelle?|qué|que|quale|каком)_(?:jahr|jahrhundert|tag|année|siècle|date|año|siglo|fecha|ano|século|data|anno|secolo|году|годах|веке)",
  ) +
  "|何時|何时|什[么麼]时候|什麼時候|哪一?[年天]|いつ|何[年月日]|何世紀|언제|เมื่อ(?:ไหร่|ไร|ใด)|ปี(?:ใด|ไหน)";
const who = words(
  "wer wen wem wessen qui quién quiénes chi quem vem hvem kuka kto kdo cine кто кого кому кем " +
    "хто ποιος ποια ποιοι kim kimin",
);
const numeral = "\\p{Nd}|[一二三四五六七八九十百千万億亿]";

const kinds: readonly { readonly asked: RegExp; readonly wanted: RegExp }[] = [
  {
    asked: new RegExp(
      `\\bhow (?:many|much|long|old|far|tall|high|large|big|often|fast|deep|wide|heavy)\\b|\\bwhat (?:percent|percentage|number|amount|population)\\b|${how_many}`,
      "iu",
    ),
    wanted: new RegExp(`${numeral}|\\b(?:${numbers})\\b`, "iu"),
  },
  {
    asked: new RegExp(
      `\\bwhen\\b|\\b(?:what|which) (?:\\w+ )?(?:year|date|day|month|century|decade|time)\\b|${when}`,
      "iu",
    ),
    wanted: new RegExp(
      `(?<!\\p{Nd})\\p{Nd}{3,4}(?!\\p{Nd})|\\b(?:${months}|${days})\\b|\\bcentur|\\bdecade|\\p{Nd}\\s*[年月日]`,
      "iu",
    ),
  },
  { asked: new RegExp(`\\bwho(?:m|se)?\\b|${who}`, "iu"), wanted: /(?<=\S\s)\p{Lu}\p{L}+/u },
  {
    asked:
      /\bwhere\b|\b(?:what|which) (?:country|city|state|place|region|continent|town|location)\b/i,
    wanted: /\b(?:in|at|near|from|to|of|on)\s+(?:the\s+)?\p{Lu}\p{L}+/u,
  },
  {
    asked: /\bwhy\b|\bfor what reason\b|\bwhat (?:caused|causes)\b/i,
    wanted:
      /\b(?:because|due to|since|so that|in order|as a result|therefore|to avoid|caused by|reason)\b/i,
  },
];

/**
 * What a sentence must hold to answer a question of who, when, where, how many or why; null for any
 * other question.
 */
export const wantedBy = (question: string): RegExp | null =>
  kinds.find(({ asked }) => asked.test(question))?.wanted ?? null;
