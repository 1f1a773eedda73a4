/**
 * The type of answer that a question asks for (a number, a date, a person …), as a pattern that
 * matches sentences with such an answer.
 */
import { negationsIn } from "../../core/lib/negations";
import { askedAbbreviation, spellsOut } from "./abbreviations";
import { any_time_of_day, anyDate, since, since_when, until, until_when } from "./date-patterns";
import { any_instruction, asks_how_to } from "./how-to";
import { number_pattern } from "./number-words";
import { any_price, asks_price } from "./prices";
import { askedQuantity } from "./quantity-questions";
import { dimensionOf, unitOf, type Dimension } from "./unit-names";
import { anyOf, words } from "./word-patterns";
import { asksYesOrNo, existenceAskedAt } from "./yes-or-no";

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
/**
 * What is counted follows: "how many pages". Not in Arabic, where one and several of something are
 * often different words.
 */
const counts = new RegExp(
  "(?<![\\p{L}\\p{M}])(?:how many|wie ?viele|hoeveel|hur många|hvor mange|" +
    "combien d(?:e |['’])|cuánt[oa]s|quant[oa]s|quant[ie]|сколько|скільки|ile|kolik|" +
    "πόσ(?:ος|οι|ες|α|ους|ων)|kaç(?: tane)?|bao nhiêu|mấy|कितन[ेी])\\s*(?=\\p{L})|" +
    "(?:多少|[几幾])(?:[个個位名只台件]|(?=\\p{L}))",
  "iu",
);
/** Not what is counted ("how many of the"), or a unit, which is often written in another way. */
const uncounted = new RegExp(
  "^" +
    words(
      "of do does did is are was were will can could should would has have had must may more " +
        "von der die das dos di dei è sono " +
        "times? time degrees? percent tiempo temps tempo [kmgt]?i?b(?:ytes?)? \\p{L}+bytes? " +
        "\\p{L}*(?:met(?:er|re)|lit(?:er|re)|gramm?(?:e)?)s?",
    ),
  "iu",
);
const what_time = [
  "\\b(?:what|which) (?:time|hour)\\b|\\bhow (?:early|late)\\b",
  words(
    "wie_?viel_uhr uhrzeit quelle_heure quelles_heures qué_hora qué_horas che_ora che_ore " +
      "que_horas? hoe_laat wat_tijd vilken_tid hvad_tid której_godzinie kolik_hodin " +
      "(?:в|во)_сколько (?:котором|какое|какого|какому)_(?:часу|часа|время|времени) " +
      "котрій_годині " +
      "τι_ώρα τι_ώρες saat_kaç(?:[dt]a)? kaçta mấy_giờ कितने_बजे الساعة_كم أي_ساعة jam_berapa",
  ),
  "[几幾何][点點時时]|몇\\s?시|กี่โมง",
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
  words(
    "where wo wohin wovon où dónde adónde dov['’]è dove_(?:si|sono|è|va) onde waar hvor gdzie " +
      "где πού",
  ),
  "\\b(?:what|which) (?:country|city|state|place|region|continent|town|location)\\b",
];
const prepositions = words(
  "in at near from to of on ans? am auf aus beim? hinter im ins nach neben unter vom von vor " +
    "zum zur? zwischen au aux chez dans de du en vers à al del dal? nel su sul em na nos? nas " +
    "bij naar op uit van fra från på till? ved vid do we? ze? ve? в во из на до от у " +
    "σε στ(?:α|η|ην|ις|ο|ον)",
);
const path = "[/\\\\][\\p{L}\\p{N}_.-]{2,}";
/** A preposition with a name: "in Paris", "im Norden"; or the path of a file. */
const any_place = new RegExp(
  `${prepositions}\\s+(?:\\p{Ll}{1,4}\\s+)?\\p{Lu}\\p{L}+|` +
    `(?<![\\p{L}\\p{N}/\\\\.])(?:~|\\p{Lu}:|%\\p{Lu}+%|\\$\\p{Lu}+)?${path}`,
  "u",
);
/** What has a number for a name. */
const which_number = [
  words(
    "(?:what|which)_(?:[\\p{L}\\p{N}-]+_){0,3}?(?:address(?:es)?|baud_rates?|channels?|" +
      "chapters?|(?:exit|return)_(?:status|values?)|(?:error|exit|return|status)_codes?|pages?|" +
      "pins?|ports?|registers?|releases?|revisions?|versions?) " +
      "welche[mnrs]?_(?:\\p{L}+_)?(?:kanal|kapitel|pin|port|register|seite|version) " +
      "quel(?:le)?_(?:canal|chapitre|page|port|version) qué_(?:canal|página|puerto|versión) " +
      "(?:che|quale)_(?:canale|pagina|porta|versione) qual_(?:a_versão|página|porta)",
  ),
];
const why = ["\\bwhy\\b", "\\bfor what reason\\b", "\\bwhat (?:caused|causes)\\b"];
const which_option = [
  "\\b(?:which|what) (?:[\\w-]+ ){0,3}(?:option|switch|flag)\\b",
  words("welche[mnrs]?_(?:option|schalter) quelle_option qué_opción quale_opzione qual_opção"),
];
const which_name = [
  "\\b(?:which|what) (?:[\\w-]+ ){0,3}(?:attribute|class|command|directive|file|function|keyword|" +
    "macro|method|module|parameter|primitive|program|property|setting|tool|utility|variable)\\b",
  words(
    "welche[mnrs]?_(?:anweisung|attribut|befehl|datei|eigenschaft|einstellung|funktion|klasse|" +
      "kommando|makro|methode|modul|parameter|programm|umgebungsvariable|variable|werkzeug) " +
      "quelle_(?:commande|fonction|variable) quel_(?:fichier|paramètre|programme) " +
      "qué_(?:comando|función|variable|archivo|parámetro|programa)",
  ),
];
/** A name as in programs: `log_level`, `LogLevel`, `LOGS`, `print()`, `\\hbox`, `site.conf`. */
const any_program_name = new RegExp(
  "(?<![\\p{L}\\p{N}])(?:\\p{L}[\\p{L}\\p{N}]*_[\\p{L}\\p{N}_]+|" +
    "\\p{Lu}{3}[\\p{Lu}\\p{N}]*(?!\\p{L})|\\p{L}*\\p{Ll}\\p{Lu}\\p{L}*|\\p{L}[\\p{L}\\p{N}]*\\(|" +
    "\\p{L}[\\p{L}\\p{N}-]*\\.\\p{Ll}{1,5}(?!\\p{L}))|\\\\\\p{L}{2,}|[‘“`](?=\\S)",
  "u",
);

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
  "\\bdefaults?\\s*(?:[:=(]|to\\b|is\\b|are\\b|(?:of\\s+)?\\p{Nd})",
  "\\bdefault\\s+(?:[\\p{L}\\p{N}'’-]+\\s+){1,6}(?:is|are|of)\\b",
  "\\b(?:unless|if)\\s(?:[^.]{0,60}\\s)?(?:not|no|none|nothing|omitted|unspecified|otherwise)\\b",
  ...by_default.slice(1),
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
const any_reason = new RegExp(
  "\\b(?:because|due to|since|so that|in order|as a result|therefore|to avoid|caused by|" +
    "reasons?|otherwise)\\b",
  "i",
);
const any_option = /(?<![\p{L}\p{N}−–-])[−–-]{1,2}\p{L}/u;

/** Tells whether a text has it. */
export type TextTest = Pick<RegExp, "test">;

interface AnswerType {
  readonly question: TextTest;
  /** Given the languages of the texts (ISO 639-1). */
  readonly answer: TextTest | ((languages: readonly string[]) => TextTest);
}
const number_type: AnswerType = {
  question: anyOf(...how_many),
  answer: anyOf(number_pattern),
};
const frequency_type: AnswerType = {
  question: anyOf(...how_often),
  answer: anyOf(...any_frequency),
};
const default_answer = anyOf(...any_default);
const default_type: AnswerType = { question: anyOf(...by_default), answer: default_answer };
/** "HackRF One": the number is a part of the name. */
const one_in_name = /(?<=\p{Lu}[\p{L}\p{N}]*\s)One(?!\p{L})/gu;
const price = anyOf(...any_price);
const hasPrice: TextTest = { test: (text) => price.test(text.replace(one_in_name, " ")) };
const price_type: AnswerType = { question: anyOf(...asks_price), answer: hasPrice };
/** "How much is delivery?" asks for a sum, and never for a duration. */
const sum_type: AnswerType = {
  question: anyOf(
    "\\bhow much (?:is|are|was|were|will)\\b",
    words("wie_?viel_(?:ist|sind|macht|war) cuánto_(?:es|son) quant(?:o|i)_(?:è|sono|é|são)"),
  ),
  answer: (languages) => {
    const number = anyOf(number_pattern);
    const duration = durationIn(languages);
    return { test: (text) => hasPrice.test(text) || number.test(text.replace(duration, " ")) };
  },
};
const asks_option = anyOf(...which_option);
const asks_name = anyOf(...which_name);
/** What has a form of its own. */
const contact_types: readonly AnswerType[] = [
  {
    question: anyOf(
      words(
        "e-?mail_addresse?s? e-?mail-?adressen? adresses?_(?:e-?mail|électronique|mail) " +
          "courriels? correo(?:_electrónico)? indirizzo_(?:e-?mail|mail|di_posta_elettronica) " +
          "endereço_de_e-?mail e-?mailadres e-?posta_adresi адрес_электронной_почты",
      ),
      "邮箱地址|电子邮箱|メールアドレス|이메일\\s?주소",
    ),
    answer: /\S@\S/u,
  },
  {
    question: anyOf(
      words(
        "(?:tele)?phone_numbers? fax_numbers? telefon-?nummern? faxnummer rufnummer " +
          "numéros?_de_(?:téléphone|fax) (?:número_de_)?teléfono numero_di_telefono " +
          "número_de_telefone telefoonnummer telefonnummer numer_telefonu номер_телефона " +
          "номер_телефону τηλέφωνο telefon_numarası số_điện_thoại फ़ोन_नंबर फोन_नंबर رقم_الهاتف",
      ),
      "电话号码|電話號碼|電話番号|전화번호",
    ),
    answer: /\p{Nd}(?:[^\p{L}\n]{0,3}\p{Nd}){4}/u,
  },
];
const dateBeside =
  (near: RegExp) =>
  (languages: readonly string[]): TextTest => {
    const date = anyOf(anyDate(languages), number_pattern);
    return { test: (text) => near.test(text) && date.test(text) };
  };
const isNegated: TextTest = { test: (text) => negationsIn(text).length > 0 };
/** A sentence without it is no answer, however similar it is. */
const required_types: readonly AnswerType[] = [...contact_types, price_type];
const answer_types: readonly AnswerType[] = [
  // "Which option sets how many …?" asks for no number.
  { question: asks_option, answer: any_option },
  ...required_types,
  default_type,
  frequency_type,
  { question: anyOf(...until_when), answer: dateBeside(anyOf(...until)) },
  { question: anyOf(...since_when), answer: dateBeside(anyOf(...since)) },
  { question: anyOf(...what_time), answer: anyOf(any_time_of_day) },
  sum_type,
  number_type,
  { question: anyOf(...when), answer: (languages) => anyOf(anyDate(languages)) },
  { question: anyOf(...who), answer: /(?<=\S\s)\p{Lu}\p{L}+/u },
  { question: anyOf(...where), answer: any_place },
  { question: new RegExp(why.join("|"), "i"), answer: any_reason },
  { question: asks_how_to, answer: any_instruction },
  { question: anyOf(...which_number), answer: /\p{Nd}/u },
  { question: asks_name, answer: any_program_name },
  { question: isNegated, answer: isNegated },
];

/** Whether the name of an option, a command, a setting or the like answers the question. */
export const asksForName = (question: string): boolean =>
  asks_option.test(question) || asks_name.test(question);

/** Whether a number, a price or a frequency answers the question: how many, how often … */
export const asksForFigure = (question: string): boolean =>
  [price_type, frequency_type, number_type].some((type) => type.question.test(question));

/** Whether only a sentence of the type asked for answers: a price, a telephone number … */
export const requiresType = (question: string): boolean =>
  required_types.some((type) => type.question.test(question)) &&
  !(asksYesOrNo(question) && existenceAskedAt(question) === null);

/**
 * The UTF-16 index of what is counted: of "pages" in "how many pages"; null when nothing is.
 * `language`: of the question (ISO 639-1).
 */
export function countedAt(question: string, language: string): number | null {
  const at = unitAt(question);
  if (at === null) return null;
  const counted = question.slice(at);
  return uncounted.test(counted) || dimensionOf(counted, [language]) !== null ? null : at;
}
/** Where a unit, or what is counted, would be: behind "how many". */
function unitAt(question: string): number | null {
  const match = counts.exec(question);
  return match && match.index + match[0].length;
}
/** Of days in "how many days", or of a weight, unless its price or its default is asked for. */
function askedDimension(question: string, languages: readonly string[]): Dimension | null {
  const at = unitAt(question);
  const unit = at === null ? null : dimensionOf(question.slice(at), languages);
  const is_other = [...required_types, default_type, frequency_type].some((type) =>
    type.question.test(question),
  );
  return unit ?? (is_other ? null : askedQuantity(question));
}

const any_number = anyOf(number_pattern);
/** Such as "three to five working days". */
function durationIn(languages: readonly string[]): RegExp {
  const number = `(?:${number_pattern})[\\p{Nd}.,]*`;
  const range = `${number}(?:\\s*(?:[-–]|to|and|or|bis|und|oder|à|et|a|y|e)\\s*${number})?`;
  const unit = unitOf("time", languages).source;
  return new RegExp(`${range}[\\s-]*(?:\\p{L}+\\s+)?(?:${unit})`, "giu");
}
/** A number, and a unit of the dimension, which may be in the head of the column. */
function measureIn(dimension: Dimension, languages: readonly string[]): TextTest {
  const unit = unitOf(dimension, languages);
  return { test: (text) => any_number.test(text) && unit.test(text) };
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
 * why, or about an option or an abbreviation; null for other questions. `languages`: of the texts
 * (ISO 639-1).
 */
export function answerPattern(
  question: string,
  languages: readonly string[] = [],
): TextTest | null {
  const abbreviation = askedAbbreviation(question);
  if (abbreviation !== null) return { test: (text) => spellsOut(text, abbreviation) };
  const with_english = [...new Set([...languages, "en"])];
  const dimension = askedDimension(question, with_english);
  if (dimension !== null) return measureIn(dimension, with_english);
  const type = answer_types.find((type) => type.question.test(question));
  const answer = typeof type?.answer === "function" ? type.answer(with_english) : type?.answer;
  const option = named_option.exec(question)?.[1];
  const explanation = option === undefined ? null : explanationOf(option);
  // The default of an option is often given in its explanation, in other words.
  if (type === default_type && explanation !== null)
    return { test: (text) => default_answer.test(text) || explanation.test(text) };
  return answer ?? explanation;
}
