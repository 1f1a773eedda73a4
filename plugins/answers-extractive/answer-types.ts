/**
 * The type of answer that a question asks for (a number, a date, a person …), as a pattern that
 * matches sentences with such an answer.
 */
import { number_pattern } from "./number-words";

const months =
  "january|february|march|april|may|june|july|august|september|october|november|december";
const days = "monday|tuesday|wednesday|thursday|friday|saturday|sunday";

/** Any of these words, separated by spaces, as a whole word; `_` stands for a space within one. */
const words = (list: string): string =>
  `(?<![\\p{L}\\p{M}])(?:${list.replaceAll(" ", "|").replaceAll("_", "\\s+")})(?![\\p{L}\\p{M}])`;
const anyOf = (...patterns: readonly string[]): RegExp => new RegExp(patterns.join("|"), "iu");

const how_many = [
  "\\bhow (?:many|much|long|old|far|tall|high|large|big|fast|deep|wide|heavy)\\b",
  "\\b(?:what|which) (?:percent|percentage|number|amount|population)\\b",
  words(
    "wie_viele? wieviele? wie_(?:hoch|lange?|groß|alt|weit|breit|schnell|schwer|tief) " +
      "combien cuánt[oa]s? quant[aeio]s? " +
      "hoeveel hur_många hvor_mange kuinka_monta ile kolik câte câți " +
      "сколько скільки πόσ[αοεη][ςι]?ς? kaç[ae]?[td]?[ae]? ne_kadar " +
      "bao_(?:nhiêu|lâu) mấy berapa كم چند कितन[ेाी] כמה",
  ),
  "多少|几[个年次名人位]|幾|何(?:年|人|つ|度|回|歳|%|パーセント)|いくつ|いくら|どれくらい",
  "몇|얼마|กี่|เท่า(?:ไหร่|ไร|ใด)",
];
const how_often = [
  "\\bhow (?:often|frequently|regularly)\\b|\\bhow many times\\b",
  words(
    "wie_(?:oft|häufig|regelmäßig) wie_?viele_male combien_de_fois à_quelle_fréquence " +
      "(?:con|a)_qué_frecuencia cada_cuánto cuántas_veces ogni_quanto quante_volte " +
      "(?:com|a)_que_frequência quantas_vezes hoe_vaak hur_ofta hvor_(?:ofte|tit) jak_często " +
      "как_часто сколько_раз як_часто πόσο_συχνά ne_sıklıkta ne_sıklıkla",
  ),
];
/** What is counted follows: "how many pages". */
const counts = new RegExp(
  "(?<![\\p{L}\\p{M}])(?:how many|wie ?viele|hoeveel|hur många|hvor mange|" +
    "combien d(?:e |['’])|cuánt[oa]s|quant[oa]s|quant[ie]|сколько|скільки)\\s*(?=\\p{L})",
  "iu",
);
/** Not what is counted ("how many of the"), or a unit, which is often written in another way. */
const uncounted = new RegExp(
  "^" +
    words(
      "of do does did is are was were will can could should would has have had must may more " +
        "von der die das dos di dei è sono " +
        "times? percent degrees? seconds? minutes? hours? days? weeks? months? years? " +
        "[kmgt]?i?b(?:ytes?)? \\p{L}+bytes? \\p{L}*met(?:er|re)s? " +
        "sekunden minuten stunden tage wochen monate jahre grad prozent " +
        "secondes? heures? jours? semaines? mois ans années? segundos? minutos? horas? días? " +
        "dias? semanas? mes(?:es)? años? anos? secondi minuti ore giorni settimane mesi anni",
    ),
  "iu",
);
/** What a price is asked for stands between two words; from each of many, all would be read. */
const asked_for = "\\b.{0,200}\\b";
const price = [
  `\\bhow much${asked_for}costs?\\b`,
  `\\b(?:what|how much) (?:is|are|was|were)${asked_for}(?:price|cost|fee)s?\\b`,
  words(
    "wie_teuer was_kostet was_kosten wie_?viel_kostet wie_?viel_kosten combien_coûtent? " +
      "cuánto_cuestan? quanto_costa(?:no)? quanto_custam? hoeveel_kost ile_kosztuj[eą] " +
      "сколько_стоит сколько_стоят",
  ),
];
const when = [
  "\\bwhen\\b",
  "\\b(?:what|which) (?:\\w+ )?(?:year|date|day|month|century|decade|time)\\b",
  words(
    "wann quand cuándo quando wanneer när hvornår når milloin kiedy kdy când когда коли πότε " +
      "ne_zaman khi_nào kapan متى کی कब מתי",
  ),
  words(
    "(?:welche[mnrs]?|quelle?|qué|que|quale|каком)_" +
      "(?:jahr|jahrhundert|tag|année|siècle|date|año|siglo|fecha|ano|século|data|anno|secolo|" +
      "году|годах|веке)",
  ),
  "何時|何时|什[么麼]时候|什麼時候|哪一?[年天]|いつ|何[年月日]|何世紀|언제|เมื่อ(?:ไหร่|ไร|ใด)|ปี(?:ใด|ไหน)",
];
const who = [
  "\\bwho(?:m|se)?\\b",
  words(
    "wer wen wem wessen qui quién quiénes chi quem vem hvem kuka kto kdo cine кто кого кому кем " +
      "хто ποιος ποια ποιοι kim kimin",
  ),
];
const where = [
  "\\bwhere\\b",
  "\\b(?:what|which) (?:country|city|state|place|region|continent|town|location)\\b",
];
const why = ["\\bwhy\\b", "\\bfor what reason\\b", "\\bwhat (?:caused|causes)\\b"];
const which_option = [
  "\\b(?:which|what) (?:[\\w-]+ ){0,3}(?:option|switch|flag)\\b",
  words("welche[mnrs]?_(?:option|schalter) quelle_option qué_opción quale_opzione qual_opção"),
];

/** What holds unless something else is set. */
const by_default = [
  "\\bdefaults?\\b",
  words(
    "standardmäßig standardwert standardeinstellung voreinstellung voreingestellt vorgabe " +
      "par_défaut por_defecto por_omisión predeterminad[oa]s? predefinit[oaie] padrão " +
      "standaard(?:waarde)? domyślnie по_умолчанию varsayılan προεπιλογή mặc_định",
  ),
  "默认|默認|預設|既定|デフォルト|기본값|डिफ़?ॉल्ट",
];
const any_default = [
  "\\bby default\\b|\\bthe default\\s*(?:[).,;]|$)|\\(default",
  "\\bdefaults?\\s*(?:[:=(]|to\\b|is\\b|are\\b|\\p{Nd})",
  "\\bdefault\\s+(?:[\\p{L}\\p{N}'’-]+\\s+){1,6}(?:is|are|of)\\b",
  "\\b(?:unless|if)\\s(?:[^.]{0,60}\\s)?(?:not|no|none|nothing|omitted|unspecified|otherwise)\\b",
  ...by_default.slice(1),
];

const any_date = [
  "(?<!\\p{Nd})\\p{Nd}{3,4}(?!\\p{Nd})",
  `\\b(?:${months}|${days})\\b`,
  "\\bcentur",
  "\\bdecade",
  "\\p{Nd}\\s*[年月日]",
];
const any_frequency = [
  number_pattern,
  words(
    "every each once twice daily nightly hourly weekly fortnightly monthly quarterly yearly " +
      "annual(?:ly)? " +
      "jede[mnrs]? einmal zweimal dreimal täglich stündlich wöchentlich monatlich jährlich " +
      "chaque tous_les toutes_les une_fois deux_fois " +
      "quotidien\\p{L}* mensuel\\p{L}* annuel\\p{L}* cada todos_los todas_las una_vez dos_veces " +
      "diari[oa]\\p{L}* semanal\\p{L}* mensual\\p{L}* anual\\p{L}* " +
      "ogni una_volta due_volte mensil\\p{L}* annual\\p{L}* uma_vez duas_vezes " +
      "mensal\\p{L}* elke? ieder dagelijks maandelijks varje hver co każd\\p{L}+ " +
      "кажд\\p{L}+ раз ежедневно еженедельно ежемесячно ежегодно кожн\\p{L}+ κάθε her",
  ),
];
/** A number near them is a price. */
const price_words = words(
  "prices? costs? fees? charges? totals? amounts? rates? preise? gebühr(?:en)? kostet kosten " +
    "betrag beträge summe prix coûtent? coût precios? cuestan? prezz[oi] costano? costa " +
    "preços? custam? tarif\\p{L}* цен\\p{L}+ стоит стоимост\\p{L}+",
);
const any_price = [
  "\\p{Sc}",
  `${price_words}[^.!?]{0,60}\\p{Nd}`,
  `\\p{Nd}[^.!?]{0,60}${price_words}`,
  words(
    "usd eur chf gbp dollars? euros? pounds? cents? francs? yen free_of_charge for_free gratis " +
      "kostenlos gratuit(?:e|s|es|o|a)? рубл(?:ь|я|ей) бесплатно",
  ),
];
const any_reason =
  /\b(?:because|due to|since|so that|in order|as a result|therefore|to avoid|caused by|reason)\b/i;
const any_option = /(?<![\p{L}\p{N}−–-])[−–-]{1,2}\p{L}/u;

interface AnswerType {
  readonly question: RegExp;
  readonly answer: RegExp;
}
const number_type: AnswerType = {
  question: anyOf(...how_many),
  answer: anyOf(number_pattern),
};
const frequency_type: AnswerType = {
  question: anyOf(...how_often),
  answer: anyOf(...any_frequency),
};
const default_type: AnswerType = {
  question: anyOf(...by_default),
  answer: anyOf(...any_default),
};
const price_type: AnswerType = { question: anyOf(...price), answer: anyOf(...any_price) };
const answer_types: readonly AnswerType[] = [
  price_type,
  default_type,
  frequency_type,
  number_type,
  { question: anyOf(...when), answer: anyOf(...any_date) },
  { question: anyOf(...who), answer: /(?<=\S\s)\p{Lu}\p{L}+/u },
  {
    question: new RegExp(where.join("|"), "i"),
    answer: /\b(?:in|at|near|from|to|of|on)\s+(?:the\s+)?\p{Lu}\p{L}+/u,
  },
  { question: new RegExp(why.join("|"), "i"), answer: any_reason },
  { question: anyOf(...which_option), answer: any_option },
];

/** Whether a number, a price or a frequency answers the question: how many, how often … */
export const asksForFigure = (question: string): boolean =>
  [price_type, frequency_type, number_type].some((type) => type.question.test(question));

/** The UTF-16 index of what is counted: of "pages" in "how many pages"; null when nothing is. */
export function countedAt(question: string): number | null {
  const match = counts.exec(question);
  if (match === null) return null;
  const at = match.index + match[0].length;
  return uncounted.test(question.slice(at)) ? null : at;
}

/** An option by name: `-n`, `--trace`, `\hbox`. */
const named_option = /(?<![\p{L}\p{N}\p{P}])[‘'"“`(]?((?:--?|\\)\p{L}[\p{L}\p{N}_-]*)/u;
/** Precedes an option that is being explained. */
const explanation_start = "^(?:[‣▶▪◦•●○■□*]\\s*)?[‘'\"“`(]?";

const explanationOf = (option: string): RegExp =>
  new RegExp(
    explanation_start +
      option.replace("\\", "\\\\").replace(/^--?/, "[-–−]{1,2}") +
      "(?![\\p{L}\\p{N}_-])",
    "u",
  );

/**
 * The pattern that a sentence must match to answer a question about who, when, where, how many or
 * why, or about an option; null for other questions.
 */
export function answerPattern(question: string): RegExp | null {
  const type = answer_types.find((type) => type.question.test(question));
  const option = named_option.exec(question)?.[1];
  const explanation = option === undefined ? null : explanationOf(option);
  // The default of an option is often given in its explanation, in other words.
  if (type === default_type && explanation !== null)
    return new RegExp(`${type.answer.source}|${explanation.source}`, "iu");
  return type?.answer ?? explanation;
}
