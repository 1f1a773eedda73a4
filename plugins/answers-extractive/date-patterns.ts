/** Patterns of dates and times of day in a language; the names of months and days are ICU's. */
import { words } from "./word-patterns";

/** 7:30, 7.30 Uhr, 7h30, 7 o'clock, 7 am … */
const time_of_day = [
  "(?<![\\p{Nd}:])\\p{Nd}{1,2}\\s?[:hч]\\s?\\p{Nd}{2}(?!\\p{Nd})",
  "\\p{Nd}\\s*(?:uhr|o['’]clock|[ap]\\.?\\s?m\\.?|heures?|hrs?|h|ore|horas?|godz|hodin|" +
    "час\\p{L}*|годин\\p{L}*|π\\.?μ|μ\\.?μ|giờ|बजे)(?![\\p{L}\\p{M}])",
  `${words("kl at um alle às? à las om o saat в στις الساعة")}\\.?\\s+` +
    "\\p{Nd}{1,2}(?![\\p{L}\\p{Nd}])",
  "\\p{Nd}\\s*[点點時时시]|[一二三四五六七八九十两兩]\\s*[点點時时]",
  words("noon midnight mittags? mitternacht midi minuit mediodía mezzogiorno mezzanotte"),
];
export const any_time_of_day = time_of_day.join("|");

const numeric_date =
  "(?<!\\p{Nd})(?:\\p{Nd}{3,4}|\\p{Nd}{1,2}[./-]\\p{Nd}{1,2}[./-]\\p{Nd}{2,4})(?!\\p{Nd})|" +
  "\\p{Nd}\\s*[年月日]|[一二三四五六七八九十]\\s*[月日]";
const year = 2024;
const months = Array.from({ length: 12 }, (_, month) => new Date(Date.UTC(year, month, 15)));
/** From Monday. */
const days = Array.from({ length: 7 }, (_, day) => new Date(Date.UTC(year, 0, 1 + day)));
const name = /^\p{L}[\p{L}\p{M}]{2,}$/u;

const names_of = new Map<string, readonly string[]>();
/** In the forms that they have in dates, too: января. */
function calendarNames(language: string): readonly string[] {
  const known = names_of.get(language);
  if (known) return known;
  const found = new Set<string>();
  for (const [part, dates, options] of [
    ["month", months, { month: "long" }],
    ["month", months, { month: "long", day: "numeric" }],
    ["weekday", days, { weekday: "long" }],
  ] as const) {
    const format = new Intl.DateTimeFormat(language, { ...options, timeZone: "UTC" });
    for (const date of dates)
      for (const { type, value } of format.formatToParts(date))
        if (type === part && name.test(value)) found.add(value);
  }
  names_of.set(language, [...found]);
  return [...found];
}

/** Any date, weekday or time of day, in these languages (ISO 639-1). */
export function anyDate(languages: readonly string[]): string {
  const names = languages.flatMap(calendarNames);
  return [
    numeric_date,
    "\\bcentur",
    "\\bdecade",
    any_time_of_day,
    words([...new Set(names)].join(" ")),
  ].join("|");
}

/** Questions for an end, and what tells one. */
export const until_when = [
  "\\b(?:until|till|by) (?:when|what (?:date|day|time))\\b",
  words(
    "bis_wann bis_zu_welchem jusqu['’]à_(?:quand|quelle) avant_quelle_date hasta_(?:cuándo|qué) " +
      "fino_a_(?:quando|che) entro_(?:quando|che) até_(?:quando|que) tot_(?:wanneer|hoe_laat) " +
      "do_kiedy до_(?:какого|какой|какому|когда|скольки) (?:μέχρι|έως)_(?:πότε|τι) " +
      "ne_zamana_kadar kaça_kadar đến_(?:khi_nào|bao_giờ|mấy_giờ) कब_तक حتى_متى",
  ),
  "到(?:什么时候|什麼時候|[几幾何][点點时時])|(?:いつ|何時|何日)まで|언제까지",
];
export const until = [
  words(
    "until till by ends? ended ending expires? expiry latest deadline due within through " +
      "bis endet enden spätestens innerhalb binnen jusqu['’]\\p{L}+ fin finit termine expire " +
      "échéance au_plus_tard sous hasta termina vence finaliza a_más_tardar fino entro scade " +
      "até tot eindigt uiterlijk do kończy до не_позднее заканчива\\p{L}+ истекает " +
      "μέχρι έως λήγει kadar biter đến trước तक حتى قبل ينتهي",
  ),
  "[至到前内內]|まで|以内|까지",
];
/** Questions for a beginning, and what tells one. */
export const since_when = [
  "\\b(?:since|from|as of) (?:when|what (?:date|day|time))\\b",
  words(
    "(?:seit|ab)_wann depuis_quand à_partir_de_(?:quand|quelle) desde_(?:cuándo|qué) " +
      "da_quando desde_quando sinds_wanneer vanaf_wanneer od_kiedy " +
      "(?:с|со)_(?:какого|какой|каких|когда|скольки) από_πότε ne_zamandan từ_(?:khi_nào|bao_giờ) " +
      "कब_से منذ_متى",
  ),
  "从(?:什么时候|[几何][点时])|從(?:什麼時候|[幾何][點時])|(?:いつ|何時)から|언제부터",
];
export const since = [
  words(
    "since from begins? began starts? started as_of seit ab beginn\\p{L}* depuis dès partir " +
      "commenc\\p{L}* début\\p{L}* desde empieza comienza inicia da dal dall['’]\\p{L}+ " +
      "inizi\\p{L}+ sinds vanaf od с со начин\\p{L}+ από ξεκιν\\p{L}+ itibaren beri " +
      "başla\\p{L}+ từ से منذ من",
  ),
  "[从從自由]|から|부터",
];
