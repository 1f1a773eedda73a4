/**
 * Numbers words of ASCII letters and digits, ignoring case. A look-up compares letters in place and
 * allocates no string.
 */

/** The lower case of an ASCII letter or digit, 0 for any other unit. */
export const ascii_word = lowerOfAscii();
function lowerOfAscii(): Uint8Array {
  const lower = new Uint8Array(65_536);
  for (let unit = 48; unit < 123; unit++)
    if (/[0-9a-z]/i.test(String.fromCharCode(unit)))
      lower[unit] = String.fromCharCode(unit).toLowerCase().charCodeAt(0);
  return lower;
}

/** FNV-1a of a word in lower case, unit by unit: the hash before the first unit. */
export const hash_of_nothing = 0x811c9dc5;
/** The hash after another letter, which is given in lower case. */
export const hashWith = (hash: number, lower: number): number =>
  Math.imul(hash ^ lower, 0x01000193);

/** Gives each word the next number when it first occurs. */
export class AsciiWords {
  /** Word numbers by hash; open addressing, at most half full. */
  private readonly slots: Int32Array;
  private readonly hashes: Int32Array;
  /** Where the letters of each word begin; those of the next one end them. */
  private readonly begins: Int32Array;
  private letters = new Uint8Array(4_096);
  size = 0;

  /** `words_max`: the maximum number of words. */
  constructor(readonly words_max: number) {
    this.slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * words_max)));
    this.hashes = new Int32Array(words_max + 1);
    this.begins = new Int32Array(words_max + 2);
  }

  /** The number of the word between `start` and `end`, starting at 1; 0 when it was not added. */
  find(text: string, start: number, end: number, hash: number): number {
    const { slots, hashes } = this;
    const mask = slots.length - 1;
    for (let slot = firstSlot(hash) & mask; ; slot = (slot + 1) & mask) {
      const number = slots[slot]!;
      if (number === 0 || (hashes[number] === hash && this.matches(number, text, start, end)))
        return number;
    }
  }

  /** Adds a new word. Numbers ascend by one. */
  add(text: string, start: number, end: number, hash: number): number {
    const { slots } = this;
    const mask = slots.length - 1;
    const added = ++this.size;
    let slot = firstSlot(hash) & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = added;
    this.hashes[added] = hash;
    const begin = this.begins[added]!;
    const length = end - start;
    if (begin + length > this.letters.length) this.grow(begin + length);
    for (let i = 0; i < length; i++)
      this.letters[begin + i] = ascii_word[text.charCodeAt(start + i)]!;
    this.begins[added + 1] = begin + length;
    return added;
  }

  /** Forgets all words. */
  clear(): void {
    this.slots.fill(0);
    this.size = 0;
  }

  private matches(number: number, text: string, start: number, end: number): boolean {
    const { begins, letters } = this;
    const begin = begins[number]!;
    if (begins[number + 1]! - begin !== end - start) return false;
    for (let at = begin, i = start; i < end; at++, i++)
      if (letters[at] !== ascii_word[text.charCodeAt(i)]) return false;
    return true;
  }

  private grow(length_min: number): void {
    const grown = new Uint8Array(Math.max(length_min, 2 * this.letters.length));
    grown.set(this.letters);
    this.letters = grown;
  }
}

const firstSlot = (hash: number): number => hash ^ (hash >>> 15);
