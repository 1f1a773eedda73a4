/**
 * Reads the container that a model is in. Little endian throughout:
 *
 *     "E5S1", version (1: words of 4 bits, 2: of 2 bits)
 *     i32 × 7   width 384, layers, heads 12, inner width 1536, words, positions, types
 *     f32, i32  epsilon of the norms, numbers of a block: 32
 *     i32 × 5   pieces of the tokenizer; ids of <s>, </s>, <pad>, <unk>
 *     u64       bytes of the pieces' names
 *     u32 × (pieces + 1) where each name begins, f32 × pieces their scores, the names in UTF-8
 *     i32, u32  entries and bytes of the normalisation; each: i32 code point, u8 count, i32 × count
 *     i32       tensors; each: u16 bytes of the name, the name, u8 type, u32 count,
 *               u64 where it begins in the file, u64 its bytes
 *
 * A matrix has blocks of 32 weights: a scale of half precision, then byte j with weight j below and
 * weight j + 16 above, minus 8. A word of 2 bits has one scale, then twelve blocks of 8 bytes: bits
 * 2 i and 2 i + 1 of byte j are number j + 8 i: -3, -1, 1 or 3. All other tensors have four bytes
 * per number. Nothing is copied: a model consists of views of its file, which may be mapped.
 */

/** Dimensions of a vector. */
export const dimensions = 384;
const inner_width = 1_536;
/** The most tokens that the model reads at once. */
export const tokens_max = 512;
/** Heads of the attention. */
export const heads = 12;
const block = 32;
const block_bytes = 18;
const layers_max = 48;
const pieces_max = 1_000_000;
const piece_bytes_max = 256;
const normalised_max = 64;
const tensors_max = 4_096;
const word_bytes_by_version: Readonly<Record<number, number>> = {
  1: (dimensions / block) * block_bytes,
  2: 98,
};

/** The file is not a model that the encoder can run. The message says why. */
export class InvalidModel extends Error {
  override readonly name = "InvalidModel";
}

/** The pieces of the tokenizer. */
export interface Vocabulary {
  readonly pieces: number;
  readonly bos: number;
  readonly eos: number;
  readonly unk: number;
  /** The start of each piece in `names`, and the end of the last one. */
  readonly offsets: Uint32Array;
  readonly scores: Float32Array;
  readonly names: Uint8Array;
  /** Replacements by code point. */
  readonly normalisation: ReadonlyMap<number, string>;
}
/** The parts of an opened container. */
export interface Model {
  readonly layers: number;
  readonly vocabulary: Vocabulary;
  /** Bytes of a row in `words`. */
  readonly word_bytes: number;
  readonly words: Uint8Array;
  readonly tensor: (name: string) => Uint8Array;
}

/** The matrices of a layer with their rows and columns, in kernel order. */
export const matrices = [
  ["q", dimensions, dimensions],
  ["k", dimensions, dimensions],
  ["v", dimensions, dimensions],
  ["ao", dimensions, dimensions],
  ["fi", inner_width, dimensions],
  ["fo", dimensions, inner_width],
] as const;
export const norms = ["aln", "oln"] as const;

/** The model in these bytes. @throws InvalidModel when they are not a model that can be run. */
export function readModel(bytes: Uint8Array): Model {
  const reader = new Reader(bytes);
  if (reader.text(4) !== "E5S1") throw new InvalidModel("it does not begin with E5S1");
  const version = reader.u32();
  const word_bytes = word_bytes_by_version[version];
  if (word_bytes === undefined)
    throw new InvalidModel(`its version is ${version}; 1 and 2 can be read`);
  const { layers, words } = readShape(reader);
  const vocabulary = readVocabulary(reader);
  if (words < vocabulary.pieces)
    throw new InvalidModel(`it has ${words} words for ${vocabulary.pieces} pieces`);
  const tensors = readTensors(reader);
  const tensor = (name: string): Uint8Array => {
    const bytes_of_tensor = tensors.get(name);
    if (bytes_of_tensor === undefined) throw new InvalidModel(`it lacks the tensor ${name}`);
    return bytes_of_tensor;
  };
  for (const [name, size] of tensorSizes(layers, words * word_bytes)) {
    const is = tensor(name).length;
    if (is !== size && !(may_be_longer.has(name) && is > size))
      throw new InvalidModel(`its tensor ${name} has ${is} bytes, not ${size}`);
  }
  return { layers, vocabulary, word_bytes, words: tensor("emb.word"), tensor };
}

/** The file may have more rows than the encoder uses. */
const may_be_longer: ReadonlySet<string> = new Set(["emb.pos", "emb.type"]);
/** Every tensor and its bytes. */
function* tensorSizes(layers: number, words_bytes: number): Generator<[string, number]> {
  const numbers = (count: number): number => count * Float32Array.BYTES_PER_ELEMENT;
  yield ["emb.word", words_bytes];
  yield ["emb.pos", numbers(tokens_max * dimensions)];
  yield ["emb.type", numbers(dimensions)];
  for (const part of ["w", "b"]) yield [`emb.ln.${part}`, numbers(dimensions)];
  for (let layer = 0; layer < layers; layer++) {
    for (const [name, rows, columns] of matrices) {
      yield [`l${layer}.${name}.w`, ((rows * columns) / block) * block_bytes];
      yield [`l${layer}.${name}.b`, numbers(rows)];
    }
    for (const norm of norms)
      for (const part of ["w", "b"]) yield [`l${layer}.${norm}.${part}`, numbers(dimensions)];
  }
}

function readShape(reader: Reader): { layers: number; words: number } {
  const required = (field: string, value: number, expected: number): void => {
    if (value !== expected)
      throw new InvalidModel(`its ${field} is ${value}; the encoder is made for ${expected}`);
  };
  required("width", reader.i32(), dimensions);
  const layers = reader.count("number of layers", 1, layers_max);
  required("number of heads", reader.i32(), heads);
  required("inner width", reader.i32(), inner_width);
  const words = reader.count("number of words", 1, pieces_max);
  reader.count("number of positions", tokens_max, 2 ** 16);
  reader.count("number of types", 1, 2 ** 10);
  // The kernel has the epsilon of this kind of model built in, 1e-12.
  reader.u32();
  required("block", reader.i32(), block);
  return { layers, words };
}

function readVocabulary(reader: Reader): Vocabulary {
  const pieces = reader.count("number of pieces", 5, pieces_max);
  const id = (name: string): number => reader.count(`id of ${name}`, 0, pieces - 1);
  const bos = id("<s>");
  const eos = id("</s>");
  id("<pad>");
  const unk = id("<unk>");
  const names_bytes = reader.u64();
  const offsets = new Uint32Array(reader.aligned((pieces + 1) * 4), 0);
  const scores = new Float32Array(reader.aligned(pieces * 4), 0);
  const names = reader.readBytes(names_bytes);
  for (let i = 0; i < pieces; i++) {
    const length = offsets[i + 1]! - offsets[i]!;
    if (length < 0 || length > piece_bytes_max || offsets[i + 1]! > names_bytes)
      throw new InvalidModel(`its piece ${i} lies outside of the names, or is too long`);
    if (!Number.isFinite(scores[i]))
      throw new InvalidModel(`the score of its piece ${i} is no number`);
  }
  return { pieces, bos, eos, unk, offsets, scores, names, normalisation: readMap(reader) };
}

function readMap(reader: Reader): Map<number, string> {
  const entries = reader.count("number of normalised code points", 0, 0x110000);
  const bytes = reader.u32();
  const inner = new Reader(reader.readBytes(bytes));
  const map = new Map<number, string>();
  const point = (): number => inner.count("code point", 0, 0x10ffff);
  for (let i = 0; i < entries; i++) {
    const from = point();
    const count = inner.u8();
    if (count > normalised_max)
      throw new InvalidModel(`its normalisation puts ${count} code points for one`);
    map.set(from, String.fromCodePoint(...Array.from({ length: count }, point)).toWellFormed());
  }
  return map;
}

function readTensors(reader: Reader): Map<string, Uint8Array> {
  const count = reader.count("number of tensors", 1, tensors_max);
  const tensors = new Map<string, Uint8Array>();
  for (let i = 0; i < count; i++) {
    const name = reader.text(reader.u16());
    reader.readBytes(5);
    const start = reader.u64();
    const size = reader.u64();
    if (start + size > reader.bytes.length)
      throw new InvalidModel(`its tensor ${name} ends after the file`);
    tensors.set(name, reader.bytes.subarray(start, start + size));
  }
  return tensors;
}

/** Reads sequentially, never beyond the end. */
class Reader {
  private at = 0;
  private readonly view: DataView;
  constructor(readonly bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  readBytes(size: number): Uint8Array {
    const { at } = this;
    if (at + size > this.bytes.length)
      throw new InvalidModel(`it ends after ${this.bytes.length} bytes, in the middle`);
    this.at += size;
    return this.bytes.subarray(at, at + size);
  }
  /** A copy that is aligned for numbers of four bytes. */
  aligned(size: number): ArrayBuffer {
    return new Uint8Array(this.readBytes(size)).buffer;
  }
  text(size: number): string {
    return new TextDecoder().decode(new Uint8Array(this.readBytes(size)));
  }
  u8(): number {
    return this.readBytes(1)[0]!;
  }
  u16(): number {
    return this.view.getUint16(this.skip(2), true);
  }
  u32(): number {
    return this.view.getUint32(this.skip(4), true);
  }
  i32(): number {
    return this.view.getInt32(this.skip(4), true);
  }
  u64(): number {
    const value = this.view.getBigUint64(this.skip(8), true);
    if (value > BigInt(Number.MAX_SAFE_INTEGER))
      throw new InvalidModel(`a place of ${value} bytes is named in it`);
    return Number(value);
  }
  count(field: string, min: number, max: number): number {
    const value = this.i32();
    if (value < min || value > max)
      throw new InvalidModel(`its ${field} is ${value}, not ${min} to ${max}`);
    return value;
  }
  private skip(size: number): number {
    const { at } = this;
    this.readBytes(size);
    return at;
  }
}
