/** Which of many quotes occur in a text, in one pass over it. Pure. */

/** So few quotes are searched one after the other: the engine searches one text very fast. */
const few = 16;
/** Quotes that begin alike are told apart by comparing them. */
const compared_units: { readonly min: number; readonly max: number } = { min: 8, max: 32 };
/** Positions, or quotes that were compared, after which others are let in. */
const step = { positions: 16_384, quotes: 1_024 } as const;
const factor = 0x01000193;
const slots = 2 ** 16;

const slotOf = (hash: number): number => (hash ^ (hash >>> 16)) & (slots - 1);

/**
 * Takes a text in parts. Many quotes cost as much as a few: each position is looked at once, and
 * the hash of the units that follow says which quotes may begin there.
 */
export class QuoteFinder {
  readonly found = new Set<string>();
  /** By the hash of their beginning. */
  private readonly wanted = new Map<number, string[]>();
  /** Whether a beginning may have that hash. */
  private readonly filter = new Uint8Array(slots);
  /** Few, or too short to be looked up. */
  private readonly searched: string[] = [];
  private readonly longest: number;
  /** The units that are hashed at each position, and the factor of the one that leaves. */
  private readonly units: number;
  private readonly last_factor: number;
  /** The end of the parts before, where a quote may begin. */
  private before = "";
  /** Of the units at the current position. */
  private hash = 0;

  constructor(quotes: Iterable<string>) {
    const all = [...new Set(quotes)];
    const long = all.filter(({ length }) => length >= compared_units.min);
    this.units = long.reduce((least, { length }) => Math.min(least, length), compared_units.max);
    let last_factor = 1;
    for (let unit = 0; unit < this.units; unit++) last_factor = Math.imul(last_factor, factor);
    this.last_factor = last_factor;
    this.longest = all.reduce((most, { length }) => Math.max(most, length), 0);
    for (const quote of all)
      if (quote === "") this.found.add(quote);
      else if (all.length <= few || quote.length < compared_units.min) this.searched.push(quote);
      else this.want(quote);
  }

  /** Whether every quote was found. */
  get is_complete(): boolean {
    return this.wanted.size === 0 && this.searched.every((quote) => this.found.has(quote));
  }

  /** Searches the next part of the text. Yields where its caller may pause. */
  *take(part: string): Generator<void, void> {
    const text = this.before + part;
    for (const quote of this.searched) if (text.includes(quote)) this.found.add(quote);
    yield* this.lookUp(text);
    this.before = this.longest > 1 ? text.slice(1 - this.longest) : "";
  }

  private *lookUp(text: string): Generator<void, void> {
    const end = text.length - this.units + 1;
    this.hash = this.hashOf(text);
    for (let at = 0; at < end && this.wanted.size > 0; yield)
      at = this.lookUpFrom(text, at, Math.min(end, at + step.positions));
  }

  /** Returns where to go on. A plain loop, which is compiled to faster code than a generator. */
  private lookUpFrom(text: string, from: number, until: number): number {
    const { units, last_factor, filter } = this;
    let { hash } = this;
    let compared = 0;
    let at = from;
    for (; at < until && compared < step.quotes; at++) {
      if (filter[slotOf(hash)] === 1) compared += this.compare(hash, text, at);
      const left = Math.imul(text.charCodeAt(at), last_factor);
      hash = (Math.imul(hash, factor) + text.charCodeAt(at + units) - left) | 0;
    }
    this.hash = hash;
    return at;
  }

  /** Returns the number of quotes that were compared. */
  private compare(hash: number, text: string, at: number): number {
    const candidates = this.wanted.get(hash);
    if (!candidates) return 0;
    const left = candidates.filter((quote) => !text.startsWith(quote, at));
    if (left.length === candidates.length) return left.length;
    for (const quote of candidates) if (!left.includes(quote)) this.found.add(quote);
    if (left.length === 0) this.wanted.delete(hash);
    else this.wanted.set(hash, left);
    return candidates.length;
  }

  private want(quote: string): void {
    const hash = this.hashOf(quote);
    const same = this.wanted.get(hash);
    if (same) same.push(quote);
    else this.wanted.set(hash, [quote]);
    this.filter[slotOf(hash)] = 1;
  }

  /** Of the first units. */
  private hashOf(text: string): number {
    let hash = 0;
    for (let at = 0; at < this.units; at++)
      hash = (Math.imul(hash, factor) + text.charCodeAt(at)) | 0;
    return hash;
  }
}
