/** Whether a statement is negated, and whether it contradicts another one. */
import { contentWords } from "./function-words";
import { folded } from "./number-words";

/**
 * Not negations: idioms such as `not only` and `no later than`, and the answer `non`. UTF-16 length
 * is kept.
 */
const idioms = new RegExp(
  "(?<!\\p{L})(?:(?:no|not)(?: \\p{L}+){0,3} (?:more|less|fewer|later|longer|earlier|greater|" +
    "higher) than|" +
    "not (?:only|just|merely)|(?:does|do|must|may|can|should|shall|will)? ?not exceed(?:ing)?|" +
    "nothing but|whether or not|no\\.(?= ?\\d)|no matter|nicht nur|" +
    "nicht (?:mehr|länger|weniger) als|pas (?:plus|moins) de|pas seulement|non seulement|" +
    "^\\s*(?:non|não|нет)\\s*$|non(?=-)|ou non|" +
    "non (?:solo|soltanto|oltre|più di|meno di|più tardi)|" +
    "não (?:só|apenas|somente|mais d[eo]|menos d[eo])|" +
    "niet (?:alleen|(?:meer|minder|later|langer) dan)|" +
    "nie (?:tylko|(?:więcej|mniej|później|dłużej) niż)|" +
    "не (?:только|более|менее|больше|меньше|позднее|позже|раньше)|" +
    "no s[oó]lo|no (?:más|menos) de|ne [\\p{L}’']+ que|n['’]\\p{L}+ que)(?!\\p{L})",
  "giu",
);
const negations: ReadonlySet<string> = new Set(
  (
    "not no never none neither nor cannot nobody nothing nowhere " +
    "nicht nie niemals kein keine keinen keinem keiner keines ohne weder nichts niemand " +
    "nirgends " +
    "pas jamais aucun aucune sans rien personne ni " +
    "nunca jamas ningun ninguno ninguna sin nada nadie tampoco " +
    "non nessun nessuno nessuna niente neanche nemmeno nao nenhum nenhuma ninguem nem " +
    "niet nooit geen niets nergens nigdy zaden zadna zadne nikt " +
    "не нет никогда нельзя никто ничего ни"
  ).split(" "),
);
/** Prefixes of words that deny their subject. */
const denials = new RegExp(
  "^(?:forbid|forbade|prohibit|bann(?:ed|ing)|disallow|impossib|unable|refus|avoid|exclud|" +
    "lacks?$|lacking|verbot|untersag|unmoglich|vermeid|vermied|ausgeschlossen|interdi[ts]|evite|" +
    "exclu|prohib|imposib|vietat|proibi|verbod|verbied|zabron|zakaz|запрещ|запрет)",
);
/** These are counted separately; several of the others make one negation: `no … nunca`. */
const exceptions =
  "without ohne sans sin senza zonder bez без except excepting excluding ausser ausgenommen sauf " +
  "excepto salvo";
const separate: ReadonlySet<string> = new Set(exceptions.split(" "));

interface Negation {
  /** UTF-16 index. */
  readonly at: number;
  readonly denies: boolean;
  /** `without` */
  readonly adds: boolean;
}
const word = /[\p{L}\p{M}]+(?:[’'](?:t|re|s))?/gu;

function negationsIn(text: string): Negation[] {
  const plain = text.replace(idioms, (idiom) => " ".repeat(idiom.length));
  let negated = false;
  return [...plain.matchAll(word)].flatMap((match) => {
    const key = folded(match[0].replaceAll("’", "'"));
    const denies = denials.test(key);
    const adds = separate.has(key);
    if (denies || adds) return [{ at: match.index, denies, adds }];
    if (negated || (!negations.has(key) && !key.endsWith("n't"))) return [];
    negated = true;
    return [{ at: match.index, denies, adds }];
  });
}

/** Whether a clause is negated, and what of it. */
export interface Polarity {
  readonly is_negated: boolean;
  /** The negated words, as far as a clause shows them; otherwise the whole clause. */
  readonly reach: string;
}
/** Counts the negations of a clause. */
export function polarityOf(clause: string): Polarity {
  const negations = negationsIn(clause);
  const last = negations.at(-1);
  const after = last === undefined ? "" : clause.slice(last.at).replace(/^\S+\s*/, "");
  // `Smoking is forbidden`, `Smoking is not allowed`: the denied subject comes first.
  const is_before = last === undefined || last.denies || (!last.adds && hasOneWord(after));
  return {
    // `not without`: two negations cancel out.
    is_negated: negations.length % 2 === 1,
    reach: is_before || negations.length > 1 ? clause : after,
  };
}
const hasOneWord = (text: string): boolean => contentWords(text).length < 2;

const opposites: readonly (readonly [one: RegExp, other: RegExp])[] = [
  [/^(?:before|vor|bevor|avant|antes)$/, /^(?:after|nach|nachdem|apres|despues)$/],
  [
    /^(?:increas|raise|grow|rose|rise|erhoh|steig|augment|aument)/,
    /^(?:decreas|reduc|lower(?:s|ed|ing)$|fell|falls?$|senk|sink|diminu|disminu)/,
  ],
  [/^(?:above|over|oberhalb)$/, /^(?:below|under|unterhalb)$/],
  [
    /^(?:open(?:s|ed|ing)?|offne\w*|ouvr\w*|ouvert\w*|abr(?:e|ir|en))$/,
    /^(?:clos(?:e|es|ed|ing)|schliess\w*|ferm\w*|cierr\w*|cerr\w*)$/,
  ],
  [
    /^(?:left|links|linke\w*|gauche|izquierd\w*)$/,
    /^(?:right|rechts|rechte\w*|droite?|derech\w*)$/,
  ],
  [/^(?:hot|heiss\w*|chaud\w*|caliente\w*)$/, /^(?:cold|kalt\w*|froide?s?|fri[oa]s?)$/],
  [
    /^(?:dry|trocken\w*|seche?s?|sec|sec[oa]s?)$/,
    /^(?:wet|damp|nass\w*|feucht\w*|mouille\w*|humide\w*|mojad\w*)$/,
  ],
  [/^(?:north|northern|nord|nordlich\w*|norte)$/, /^(?:south|southern|sud|sudlich\w*|sur)$/],
  [/^(?:east|eastern|ost|ostlich\w*|est|este)$/, /^(?:west|western|westlich\w*|ouest|oeste)$/],
  [
    /^(?:maximum|maximal\w*|maximo|maxima|highest|hochste\w*)$/,
    /^(?:minimum|minimal\w*|minimo|minima|lowest|niedrigste\w*)$/,
  ],
  [
    /^(?:optional\w*|voluntary|freiwillig\w*|facultati\w*|opcional\w*)$/,
    /^(?:required|mandatory|compulsory|obligat\w+|pflicht|erforderlich\w*)$/,
  ],
  [
    /^(?:always|immer|toujours|siempre)$/,
    /^(?:never|nie|niemals|jamais|nunca|jamas|sometimes|manchmal|parfois)$/,
  ],
  [/^(?:win|wins|won|gewann\w*|gagne\w*|gano)$/, /^(?:lose|loses|lost|verlor\w*|perd\w*)$/],
  [/^(?:day|daytime)$/, /^(?:night|nighttime)$/],
  [/^(?:public\w*)$/, /^(?:private\w*)$/],
  [/^(?:safe|sicher\w*)$/, /^(?:unsafe|dangerous|unsicher\w*|gefahrlich\w*)$/],
  [/^(?:internal\w*|inside)$/, /^(?:external\w*|outside)$/],
  [/^(?:first|erste\w*|premiere?|primer[oa]?)$/, /^(?:last|letzte\w*|derniere?|ultim[oa])$/],
];
const wordsOf = (text: string): string[] => (text.match(/[\p{L}\p{M}]+/gu) ?? []).map(folded);

/** Whether `claim` has a word for which `source_text` has only the opposite. */
export function saysOpposite(claim: string, source_text: string): boolean {
  const claimed = wordsOf(claim);
  const source = wordsOf(source_text);
  const has = (words: readonly string[], pattern: RegExp) =>
    words.some((word) => pattern.test(word));
  return opposites.some(([one, other]) =>
    [
      [one, other],
      [other, one],
    ].some(
      ([stated, opposite]) =>
        has(claimed, stated!) &&
        !has(claimed, opposite!) &&
        has(source, opposite!) &&
        !has(source, stated!),
    ),
  );
}

/** `unsafe` as `not safe`, when one of the texts has the word without its prefix. */
export function spelledOut(text: string, other: string): string {
  const words = new Set([...wordsOf(text), ...wordsOf(other)]);
  return text.replace(/(?<!\p{L})(?:un|in|im|ir|il|non|dis)(\p{L}{4,})/giu, (whole, bare: string) =>
    words.has(folded(bare)) ? `not ${bare}` : whole,
  );
}
