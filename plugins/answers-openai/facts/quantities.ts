/** The numbers in a text with their units, in digits or in words. */
import { folded } from "../../../core/lib/folded";
import { scaleOf, spelledNumbers } from "./number-words";
import { intervalOf, unitOf, type Unit } from "./units";

/** A number in a text. */
export interface Quantity {
  /** Several when the digits are ambiguous: `1,500`. */
  readonly values: readonly number[];
  readonly unit: Unit | null;
  /** `litres per minute` */
  readonly per: Unit | null;
  /** 1: at least, -1: at most, 0: neither. */
  readonly bound: -1 | 0 | 1;
  /** It may be an article (`a year`): it supports a claim, but states nothing. */
  readonly is_weak: boolean;
  /** UTF-16 indices. */
  readonly start: number;
  readonly end: number;
}

interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly is_digits: boolean;
}
const digits = String.raw`(?<![\p{L}\p{Nd}_])\p{Nd}+(?:[.,'’\u00a0\u202f]\p{Nd}+)*`;
const token = new RegExp(String.raw`(${digits})|°[CF]?|[%$€£¥]|\p{L}[\p{L}\p{M}]*`, "gu");

const zeros = [0x30, 0x660, 0x6f0, 0x966, 0x9e6, 0xe50, 0xff10];
const asciiDigit = (char: string): string => {
  const code = char.codePointAt(0)!;
  const zero = zeros.find((first) => code >= first && code < first + 10);
  return zero === undefined ? char : String(code - zero);
};

/** `1,234.50` and `1 234,50` are one number; `1,500` may be two. */
function valuesOf(written: string): number[] {
  const text = written.replace(/\p{Nd}/gu, asciiDigit).replace(/['’\u00a0\u202f]/g, "");
  const separators = text.match(/[.,]/g) ?? [];
  if (separators.length === 0) return [Number(text)];
  const last = text.lastIndexOf(separators.at(-1)!);
  const grouped = /^\d{1,3}(?:[.,]\d{3})+$/.test(text);
  const is_mixed = new Set(separators).size > 1;
  const integer = Number(text.replace(/[.,]/g, ""));
  const decimal = Number(`${text.slice(0, last).replace(/[.,]/g, "")}.${text.slice(last + 1)}`);
  if (separators.length === 1) return grouped ? [integer, decimal] : [decimal];
  // `3.2.1` is not a number, but equal to itself.
  return [is_mixed ? decimal : integer];
}

const currencies: ReadonlySet<string> = new Set(["$", "€", "£", "¥"]);
const one_letter_units = /^[a-z]$/i;

/** Without the number of a list entry at the beginning. */
export function quantitiesIn(text: string): Quantity[] {
  const from = /^\s*(?:[-*•>]\s*)?(?:\d+[.)]\s+)?/.exec(text)![0].length;
  const prepared = text
    .slice(from)
    // Keeps the length.
    .replace(/\b(?:per|pour) cent\b|\bpor ciento\b/gi, (words) => "%".padEnd(words.length));
  const tokens: Token[] = [...prepared.matchAll(token)].map((match) => ({
    text: match[0],
    start: from + match.index,
    end: from + match.index + match[0].length,
    is_digits: match[1] !== undefined,
  }));
  const quantities = [
    ...inDigits(text, tokens),
    ...inWords(text, tokens),
    ...intervals(text, tokens),
  ];
  return quantities.toSorted((a, b) => a.start - b.start);
}

function inDigits(text: string, tokens: readonly Token[]): Quantity[] {
  return tokens.flatMap((token, at) => {
    if (!token.is_digits) return [];
    const next = tokens[at + 1];
    const factor = next && !next.is_digits ? (scaleOf(next.text) ?? 1) : 1;
    const values = valuesOf(token.text).map((value) => value * factor);
    return [quantity(text, tokens, at, factor === 1 ? at + 1 : at + 2, values, false)];
  });
}

function inWords(text: string, tokens: readonly Token[]): Quantity[] {
  const words = tokens.map((token) => (token.is_digits ? "#" : token.text));
  // Within a number there are only spaces and hyphens.
  const parted = tokens.map(
    ({ start }, at) => at > 0 && !/^[\s-]*$/.test(text.slice(tokens[at - 1]!.end, start)),
  );
  const runs = [0, ...parted.flatMap((is_parted, at) => (is_parted ? [at] : [])), words.length];
  return runs.slice(1).flatMap((end, run) =>
    spelledNumbers(words.slice(runs[run]!, end)).flatMap((number) => {
      const from = runs[run]! + number.from;
      const to = runs[run]! + number.to;
      // A scale after digits belongs to them.
      if (tokens[from - 1]?.is_digits && scaleOf(words[from]!) !== undefined) return [];
      const spelled = quantity(text, tokens, from, to, [number.value], number.is_article);
      return number.is_article && spelled.unit === null ? [] : [spelled];
    }),
  );
}

/** `annually`, `every year`, `a year`, `half an hour`. */
function intervals(text: string, tokens: readonly Token[]): Quantity[] {
  return tokens.flatMap((token, at): Quantity[] => {
    const seconds = intervalOf(token.text);
    const { start, end } = token;
    const base = { bound: 0, per: null, start, end } as const;
    if (seconds !== undefined)
      return [
        { ...base, values: [seconds], unit: { dimension: "time", factor: 1 }, is_weak: false },
      ];
    const word = folded(token.text);
    const is_half = /^(?:half|halbe[nrs]?|demie?|medi[ao])$/.test(word);
    const is_each = /^(?:every|each|jede[nrs]?|chaque|cada)$/.test(word);
    const is_per = /^(?:a|an|per|pro|par|por|le|la|al)$/.test(word);
    if (!is_half && !is_each && !is_per) return [];
    const next = is_half && /^an?$/i.test(tokens[at + 1]?.text ?? "") ? at + 2 : at + 1;
    const unit =
      tokens[next] && !one_letter_units.test(tokens[next]!.text) && unitOf(tokens[next]!.text);
    if (!unit || unit.dimension !== "time") return [];
    return [{ ...base, values: [is_half ? 0.5 : 1], unit, is_weak: is_per }];
  });
}

/** The quantity of the tokens from `from` to `to`, with the adjacent unit. */
function quantity(
  text: string,
  tokens: readonly Token[],
  from: number,
  to: number,
  values: readonly number[],
  is_weak: boolean,
): Quantity {
  const { start } = tokens[from]!;
  const { end } = tokens[to - 1]!;
  const before = tokens[from - 1];
  const next = tokens[to];
  const after = tokens[to + 1];
  const is_near = (token: Token | undefined, at: number): token is Token =>
    token !== undefined && !token.is_digits && /^[\s-]{0,2}$/.test(text.slice(at, token.start));
  let unit: Unit | undefined;
  if (is_near(next, end) && !(one_letter_units.test(next.text) && !tokens[from]!.is_digits))
    unit = unitOf(next.text);
  if (unit?.dimension === "celsius" && after && /^(?:fahrenheit|f)$/i.test(after.text))
    unit = unitOf("fahrenheit");
  if (!unit && before && currencies.has(before.text) && start - before.end <= 1)
    unit = unitOf(before.text);
  const per = unit && next ? rateOf(text, tokens, to) : null;
  return { values, unit: unit ?? null, per, bound: boundOf(text, start, end), is_weak, start, end };
}

/** The rate after the unit: `per minute`, `a year`, `/h`. */
function rateOf(text: string, tokens: readonly Token[], at: number): Unit | null {
  const unit = tokens[at]!;
  const token = tokens[at + 1];
  const other = tokens[at + 2];
  const is_slash = token !== undefined && text.slice(unit.end, token.start) === "/";
  const is_word = /^(?:per|an?|pro|je|par|por|al?)$/i.test(token?.text ?? "");
  let named_unit: Unit | undefined;
  if (is_slash) named_unit = unitOf(token.text);
  else if (is_word && other) named_unit = unitOf(other.text);
  return named_unit?.dimension === "time" ? named_unit : null;
}

const at_least = new RegExp(
  "(?:at least|(?:no|not) (?:less|fewer|earlier) than|a minimum of|(?<!(?:no|not) )(?:more|" +
    "longer|greater|" +
    "higher) than|over|above|exceed(?:s|ing)?|mindestens|wenigstens|mehr als|länger als|über|" +
    "minimal|" +
    "au moins|plus de|minimum|al menos|por lo menos|como mínimo|más de)\\s*$",
  "i",
);
const at_most = new RegExp(
  "(?:at most|(?:no|not)(?: \\p{L}+){0,3} (?:more|longer|greater|higher|later) than|" +
    "not exceed(?:ing)?|a maximum of|up to|under|below|" +
    "(?<!(?:no|not) )(?:less|fewer|shorter|lower) than|höchstens|weniger als|bis zu|unter|" +
    "maximal|nicht (?:mehr|länger) als|au plus|moins de|pas plus de|jusqu.à|maximum|" +
    "como máximo|menos de|no más de|a lo sumo|hasta)\\s*$",
  "iu",
);
const or_more =
  /^\s*[\p{L}%°]*\s+(?:or (?:more|longer|above)|oder mehr|ou plus|o más|minimum|minimal)\b/iu;
const or_less =
  /^\s*[\p{L}%°]*\s+(?:or (?:less|fewer|below)|oder weniger|ou moins|o menos|maximum|maximal)\b/iu;
const words_before_chars = 40;

function boundOf(text: string, start: number, end: number): -1 | 0 | 1 {
  const before = text.slice(Math.max(0, start - words_before_chars), start);
  const after = text.slice(end, end + words_before_chars);
  if (at_most.test(before) || or_less.test(after)) return -1;
  return at_least.test(before) || or_more.test(after) ? 1 : 0;
}

const how_many = new RegExp(
  "(?<!\\p{L})(?:how many|how much|wie ?viele?n?|combien de|combien d['’]|cuánt[oa]s?|" +
    "quant[oaie]s?|hoeveel|ile|сколько)\\s*(\\p{L}[\\p{L}\\p{M}]*)",
  "iu",
);
/** The unit that a question names: `How many litres …`; null when there is none. */
export function askedUnit(question: string): Unit | null {
  const named = how_many.exec(question)?.[1];
  return (named !== undefined && !one_letter_units.test(named) && unitOf(named)) || null;
}

/** Units of one dimension are converted with round numbers: a month has 30 days, or 31. */
const conversion_error = 0.025;

/** Whether both are the same amount. Without a unit, only the number counts. */
export function isSameQuantity(a: Quantity, b: Quantity): boolean {
  if (a.bound * b.bound < 0) return false;
  if (a.unit && b.unit && a.unit.dimension !== b.unit.dimension) return false;
  if (a.per && b.per && a.per.factor !== b.per.factor) return false;
  const factors = a.unit && b.unit ? [a.unit.factor, b.unit.factor] : [1, 1];
  const error = factors[0] === factors[1] ? 1e-9 : conversion_error;
  return a.values.some((value) =>
    b.values.some((other) => {
      const left = value * factors[0]!;
      const right = other * factors[1]!;
      return Math.abs(left - right) <= error * Math.max(left, right);
    }),
  );
}

/** The text without its numbers and their units. */
export function withoutQuantities(text: string): string {
  let bare = "";
  let end = 0;
  for (const quantity of quantitiesIn(text)) {
    bare += text.slice(end, Math.max(end, quantity.start));
    end = Math.max(end, quantity.end);
    if (quantity.unit) end += /^[\s-]*[\p{L}%°€$£¥]+/u.exec(text.slice(end))?.[0].length ?? 0;
  }
  return bare + text.slice(end);
}
