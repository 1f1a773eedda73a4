/** Negations in a text, in many languages. */
import { folded } from "./folded";

/** A negation in a text. */
export interface Negation {
  /** UTF-16 index. */
  readonly at: number;
  /** What it denies may come before it: `Smoking is forbidden`. */
  readonly denies: boolean;
  /** `without` */
  readonly adds: boolean;
}

/**
 * Not negations: idioms such as `not only` and `no later than`, and the answer `non`. UTF-16 length
 * is kept.
 */
const idioms = new RegExp(
  "(?<!\\p{L})(?:(?:no|not)(?: \\p{L}+){0,3} (?:more|less|fewer|later|longer|earlier|greater|" +
    "higher) than|" +
    "not (?:only|just|merely)|(?:does|do|must|may|can|should|shall|will)? ?not exceed(?:ing)?|" +
    "nothing but|whether or not|(?:or not|oder nicht|ou pas|o no|или нет)(?=\\s*(?:[?.!]|$))|" +
    "no\\.(?= ?\\d)|no matter|nicht nur|" +
    "nicht (?:mehr|länger|weniger) als|pas (?:plus|moins) de|pas seulement|non seulement|" +
    "^\\s*(?:non|não|нет)\\s*$|non(?=-)|ou non|" +
    "non (?:solo|soltanto|oltre|più di|meno di|più tardi)|" +
    "não (?:só|apenas|somente|mais d[eo]|menos d[eo])|" +
    "niet (?:alleen|(?:meer|minder|later|langer) dan)|" +
    "nie (?:tylko|(?:więcej|mniej|później|dłużej) niż)|" +
    "не (?:только|более|менее|больше|меньше|позднее|позже|раньше)|" +
    "yalnız(?:ca)? değil|sadece değil|" +
    "no s[oó]lo|no (?:más|menos) de|ne [\\p{L}’']+ que|n['’]\\p{L}+ que)(?!\\p{L})",
  "giu",
);
const words: ReadonlySet<string> = new Set(
  (
    "not no never none neither nor cannot nobody nothing nowhere " +
    "nicht nie niemals kein keine keinen keinem keiner keines ohne weder nichts niemand " +
    "nirgends " +
    "pas jamais aucun aucune sans rien personne ni " +
    "nunca jamás ningún ninguno ninguna sin nada nadie tampoco " +
    "non nessun nessuno nessuna niente neanche nemmeno não nenhum nenhuma ninguém nem " +
    "niet nooit geen niets nergens nigdy żaden żadna żadne nikt " +
    "не нет никогда нельзя никто ничего ни " +
    "inte aldrig ingen inga inget ikke aldri ei nikdy nikdo " +
    "δεν μην όχι ούτε नहीं मत không chưa chẳng đừng tidak bukan jangan " +
    "لا ليس ليست لن لم"
  )
    .split(" ")
    .map(folded),
);
/** Beginnings of words that deny their subject. */
const denials = new RegExp(
  "^(?:forbid|forbade|prohibit|bann(?:ed|ing)|disallow|impossib|unable|refus|avoid|exclud|" +
    "lacks?$|lacking|verbot|untersag|unmoglich|vermeid|vermied|ausgeschlossen|interdi[ts]|evite|" +
    "exclu|prohib|imposib|vietat|proibi|verbod|verbied|zabron|zakaz|запрещ|запрет|forbjud|forbud|" +
    "απαγορευ|yasak|degil|yok(?:tur)?$|cam$|dilarang|ممنوع|محظور)",
);
/**
 * In Turkish an ending negates a verb: `çalıştırmayın`, `olmaz`, `karşılanmadı`. Only those that
 * hardly end a word of another language.
 */
const negated_verb = new RegExp(
  "\\p{L}(?:m[ae]y[ıi]n(?:[ıi]z)?|m[ıiuü]yor\\p{L}{0,3}|m[ae]m[ae]l[ıi]\\p{L}{0,3}|" +
    "m[ae]y[ae]c[ae][kğ]\\p{L}{0,3}|m[ae]m[ae]s[ıi]\\p{L}{0,3}|m[ae]zs[ae]|m[ae]zl[ae]r|" +
    "[aelnrtkçş]m[ae]z|[lnrtkçş]m[ae]d[ıi](?:l[ae]r)?|m[ae]m[ıi]ş\\p{L}{0,3}|" +
    "[lnrtkçş]m[ae]y[ae]n)$",
  "u",
);
const other_words: ReadonlySet<string> = new Set(["namaz"]);
/** These are counted separately; several of the others make one negation: `no … nunca`. */
const exceptions: ReadonlySet<string> = new Set(
  (
    "without ohne sans sin senza zonder bez без except excepting excluding ausser ausgenommen " +
    "sauf excepto salvo utan uden uten χωρίς बिना tanpa بدون دون"
  )
    .split(" ")
    .map(folded),
);
const word = /[\p{L}\p{M}]+(?:[’'](?:t|re|s))?/gu;

/** `能不能` asks whether; the length is kept. */
const alternatives = /(\p{Script=Han})[不没沒]\1/gu;
const in_chinese =
  "不(?!仅|僅|但|只|管|论|論|断|斷|过|過|同|久|错|錯|[低高多少小大晚早超]?(?:于|於|过|過))|" +
  "[没沒](?!收)|[无無](?!论|論|线|線|数|數|料|事)|未(?!来|來|必|知|经|經)|禁止|[严嚴]禁|勿|[谢謝][绝絕]";
/** Each of two that make a duty is found: `なければ … ません`. */
const in_japanese =
  "(?<!だけではあり|かもしれ)ません|(?<!し)かない|(?<!かもし)れない|(?<!間違|もった)いない|" +
  "(?<!つま|くだ)らない|[けさしたてばまりわ]ない|[がはもく]ない(?!か)|ないで(?:くだ|下)|" +
  "ないと(?=[いだな])|なければ|なくては|(?<![必先ま])ずに|不可|厳禁";
const in_korean_and_thai = "지\\s?(?:않|마|못)|없[다는습으]|금지|ไม่|ห้าม|อย่า";
/** In languages that write no spaces between words, or negate by endings. */
const unspaced = new RegExp([in_chinese, in_japanese, in_korean_and_thai].join("|"), "gu");

/** In order. */
export function negationsIn(text: string): Negation[] {
  const plain = text
    .replace(idioms, (idiom) => " ".repeat(idiom.length))
    .replace(alternatives, (question) => " ".repeat(question.length));
  let negated = false;
  const found = [...plain.matchAll(word)].flatMap((match): Negation[] => {
    const written = match[0].replaceAll("’", "'");
    const key = folded(written);
    const denies = denials.test(key) || isNegatedVerb(written);
    const adds = exceptions.has(key);
    if (denies || adds) return [{ at: match.index, denies, adds }];
    if (negated || (!words.has(key) && !key.endsWith("n't"))) return [];
    negated = true;
    return [{ at: match.index, denies, adds }];
  });
  for (const { index } of plain.matchAll(unspaced))
    found.push({ at: index, denies: true, adds: false });
  return found.toSorted((a, b) => a.at - b.at);
}
function isNegatedVerb(written: string): boolean {
  const lower = written.toLowerCase().normalize("NFC");
  return negated_verb.test(lower) && !other_words.has(lower);
}
