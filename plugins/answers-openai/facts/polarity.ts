/** Whether a statement is negated, and whether it contradicts another one. */
import { contentWords } from "./function-words";
import { folded } from "../../../core/lib/folded";
import { negationsIn } from "../../../core/lib/negations";

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
