/**
 * SentencePiece's unigram model: a text is normalised, then split into the pieces of the vocabulary
 * with the highest total score.
 */
import type { Vocabulary } from "./model-container";

/** Represents a space; every word begins with it. */
const space_mark = "\u2581";
/**
 * Longer texts are split in parts to bound memory; UTF-16 units. No piece spans the beginning of a
 * word, so a part ends at a space if there is one.
 */
const part_length = 8_192;
/** An unknown character scores this much less than the worst piece. */
const unknown_penalty = 10;
const plain_text = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/;
const utf8 = new TextEncoder();

/** Splits texts into pieces of a vocabulary. */
export class Tokenizer {
  /** Open addressing by `placeOf`: a piece's id plus one, or 0. */
  private readonly table: Int32Array;
  /** One bit per prefix of each piece: if no prefix fits, no longer piece does. */
  private readonly prefixes = new Uint8Array(2 ** 20);
  private readonly longest: number;
  private readonly unknown_score: number;
  /**
   * By byte of the part: the best total ending there, its last piece, and where that piece begins.
   */
  private best = new Float64Array(1_024);
  private piece = new Int32Array(1_024);
  private start = new Int32Array(1_024);

  constructor(private readonly vocabulary: Vocabulary) {
    const { pieces, offsets, scores, names } = vocabulary;
    this.table = new Int32Array(2 ** Math.ceil(Math.log2(pieces * 2)));
    let longest = 1;
    let worst = Infinity;
    for (let id = 0; id < pieces; id++) {
      worst = Math.min(worst, scores[id]!);
      const from = offsets[id]!;
      const to = offsets[id + 1]!;
      if (from === to) continue;
      longest = Math.max(longest, to - from);
      let hash = hash_start;
      for (let at = from; at < to; at++) {
        hash = hashed(hash, names[at]!);
        this.prefixes[prefixByte(hash)]! |= prefixBit(hash);
      }
      let place = this.placeOf(hash);
      while (this.table[place] !== 0) place = (place + 1) & (this.table.length - 1);
      this.table[place] = id + 1;
    }
    this.longest = longest;
    this.unknown_score = worst - unknown_penalty;
  }

  /** The token ids, without those of beginning and end. */
  encode(text: string): number[] {
    const normal = this.normalise(text);
    if (normal.length <= part_length) return this.split(utf8.encode(normal));
    const ids: number[] = [];
    for (let from = 0; from < normal.length;) {
      const to = partEnd(normal, from);
      for (const id of this.split(utf8.encode(normal.slice(from, to)))) ids.push(id);
      from = to;
    }
    return ids;
  }

  /**
   * Processes code point by code point and collapses spaces. Combining marks (e and an accent) are
   * composed first: the model was trained on composed letters.
   */
  private normalise(text: string): string {
    if (plain_text.test(text)) return space_mark + text.replaceAll(" ", space_mark);
    const { normalisation } = this.vocabulary;
    let normal = "";
    for (const character of text.toWellFormed().normalize("NFC"))
      normal += normalisation.get(character.codePointAt(0)!) ?? character;
    const single = normal.replace(/ {2,}/g, " ");
    return (single.startsWith(" ") ? single : ` ${single}`).replaceAll(" ", space_mark);
  }

  /** The best path through the bytes, which begin and end with whole characters. */
  private split(text: Uint8Array): number[] {
    const length = text.length;
    if (length >= this.best.length) {
      this.best = new Float64Array(length * 2);
      this.piece = new Int32Array(length * 2);
      this.start = new Int32Array(length * 2);
    }
    const { best, piece, start } = this;
    best.fill(-Infinity, 0, length + 1);
    best[0] = 0;
    for (let from = 0; from < length;) {
      this.extend(text, from);
      let next = from + 1;
      while (next < length && isInside(text[next]!)) next++;
      const score = Math.fround(best[from]! + this.unknown_score);
      if (score > best[next]!) {
        best[next] = score;
        piece[next] = this.vocabulary.unk;
        start[next] = from;
      }
      from = next;
    }
    const ids: number[] = [];
    for (let at = length; at > 0; at = start[at]!) ids.push(piece[at]!);
    return ids.reverse();
  }

  /** Every piece that begins at `from`. */
  private extend(text: Uint8Array, from: number): void {
    const { best, piece, start, prefixes } = this;
    const { scores, unk } = this.vocabulary;
    const score_before = best[from]!;
    const end = Math.min(text.length, from + this.longest);
    let hash = hash_start;
    for (let to = from; to < end;) {
      hash = hashed(hash, text[to++]!);
      if ((prefixes[prefixByte(hash)]! & prefixBit(hash)) === 0) return;
      if (to < text.length && isInside(text[to]!)) continue;
      const id = this.find(hash, text, from, to);
      if (id < 0 || id === unk) continue;
      // Rounded like the reference implementation; otherwise paths with nearly equal scores would
      // swap.
      const score = Math.fround(score_before + scores[id]!);
      if (score <= best[to]!) continue;
      best[to] = score;
      piece[to] = id;
      start[to] = from;
    }
  }

  private find(hash: number, text: Uint8Array, from: number, to: number): number {
    const { offsets, names } = this.vocabulary;
    for (let place = this.placeOf(hash); ; place = (place + 1) & (this.table.length - 1)) {
      const id = this.table[place]! - 1;
      if (id < 0) return -1;
      const name = offsets[id]!;
      if (offsets[id + 1]! - name !== to - from) continue;
      let matched = 0;
      while (matched < to - from && names[name + matched] === text[from + matched]) matched++;
      if (matched === to - from) return id;
    }
  }

  private placeOf(hash: number): number {
    return mixed(hash) & (this.table.length - 1);
  }
}

/** FNV-1a. */
const hash_start = 0x811c9dc5;
const hashed = (hash: number, byte: number): number => Math.imul(hash ^ byte, 0x01000193);
const mixed = (hash: number): number => hash ^ (hash >>> 15);
const prefixByte = (hash: number): number => (mixed(hash) >>> 3) & 0xfffff;
const prefixBit = (hash: number): number => 1 << (mixed(hash) & 7);
/** A UTF-8 continuation byte. */
const isInside = (byte: number): boolean => (byte & 0xc0) === 0x80;

/** Where a part of a long text ends: before a word, otherwise between two characters. */
function partEnd(text: string, from: number): number {
  const to = from + part_length;
  if (to >= text.length) return text.length;
  const word = text.lastIndexOf(space_mark, to);
  if (word > from) return word;
  const is_within = (text.charCodeAt(to) & 0xfc00) === 0xdc00;
  return is_within ? to - 1 : to;
}
