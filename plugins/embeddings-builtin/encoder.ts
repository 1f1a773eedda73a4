/**
 * Runs the encoder in WebAssembly: takes texts and returns vectors of length 1. Each workspace
 * handles one text at a time and yields between layers.
 */
import {
  dimensions,
  InvalidModel,
  matrices,
  norms,
  tokens_max,
  type Model,
} from "./model-container";
import { Tokenizer } from "./tokenizer";
import { windowsOf } from "./windows";

const number_bytes = Float32Array.BYTES_PER_ELEMENT;
const page_bytes = 65_536;
const alignment = 16;
/** The most tokens of a passage or query; the rest of a longer text is ignored. */
const windows_max = 16;

/** The vectors of a text. */
export interface EncodedText {
  /** One, or one per window if the text is too long for the model. */
  readonly vectors: Float32Array<ArrayBuffer>[];
  /** The vectors of the tokens of its first window, one after another, not of length 1. */
  readonly tokens: Float32Array<ArrayBuffer>;
}

interface Kernel {
  readonly memory: WebAssembly.Memory;
  heapBase(): number;
  repack(from: number, rows: number, width: number, weights: number, scales: number): void;
  embed(
    words: number,
    word_bytes: number,
    positions: number,
    type: number,
    weight: number,
    bias: number,
    x: number,
    tokens: number,
  ): void;
  layer(at: number, x: number, tokens: number, lengths: number, texts: number): void;
  means(x: number, lengths: number, texts: number, to: number): void;
}

/** Working memory of a text: as many texts can be in progress at once as there are workspaces. */
interface Workspace {
  readonly words: number;
  readonly x: number;
  readonly length: number;
  readonly mean: number;
}

/** One model in WebAssembly, with a few workspaces. */
export class Encoder {
  private readonly kernel: Kernel;
  private readonly tokenizer: Tokenizer;
  private readonly layers: readonly number[];
  private readonly positions: number;
  private readonly type: number;
  private readonly norm_weight: number;
  private readonly norm_bias: number;
  private top: number;

  /**
   * `module`: the compiled kernel. What is copied into its memory is read from `copied`, another
   * view of the same model, which is not kept.
   */
  constructor(
    private readonly model: Model,
    module: WebAssembly.Module,
    copied = model,
  ) {
    this.kernel = new WebAssembly.Instance(module).exports as unknown as Kernel;
    this.tokenizer = new Tokenizer(model.vocabulary);
    this.top = this.kernel.heapBase();
    this.positions = this.put(
      copied.tensor("emb.pos").subarray(0, tokens_max * dimensions * number_bytes),
    );
    this.type = this.put(copied.tensor("emb.type").subarray(0, dimensions * number_bytes));
    this.norm_weight = this.put(copied.tensor("emb.ln.w"));
    this.norm_bias = this.put(copied.tensor("emb.ln.b"));
    this.layers = this.putLayers(copied);
  }

  /** Memory for one more text in progress. */
  openWorkspace(): Workspace {
    return {
      words: this.allocate(tokens_max * this.model.word_bytes),
      x: this.allocate(tokens_max * dimensions * number_bytes),
      length: this.allocate(number_bytes),
      mean: this.allocate(dimensions * number_bytes),
    };
  }

  /** The token ids of a text. */
  tokenize(text: string): number[] {
    return this.tokenizer.encode(text);
  }

  /**
   * `pause` is called after each layer; meanwhile another text may be encoded in another workspace.
   */
  async embed(
    text: string,
    {
      prefix,
      workspace,
      pause,
    }: { prefix: string; workspace: Workspace; pause: () => Promise<void> | void },
  ): Promise<EncodedText> {
    const { bos, eos } = this.model.vocabulary;
    const prefix_ids = prefix === "" ? [] : this.tokenize(prefix.trimEnd());
    const windows = windowsOf(this.tokenize(text), { prefix: prefix_ids, bos, eos });
    const vectors: Float32Array<ArrayBuffer>[] = [];
    let tokens = new Float32Array();
    for (const ids of windows.slice(0, windows_max)) {
      vectors.push(normalised(await this.embedWindow(ids, workspace, pause)));
      // Between the prefix and the end.
      if (vectors.length === 1)
        tokens = this.tokensOf(workspace, 1 + prefix_ids.length, ids.length - 1);
    }
    return { vectors, tokens };
  }

  private async embedWindow(
    ids: readonly number[],
    { words, x, length, mean }: Workspace,
    pause: () => Promise<void> | void,
  ): Promise<Float32Array> {
    const { kernel, model } = this;
    const { word_bytes } = model;
    const tokens = ids.length;
    const memory = new Uint8Array(kernel.memory.buffer);
    ids.forEach((id, at) =>
      memory.set(
        model.words.subarray(id * word_bytes, (id + 1) * word_bytes),
        words + at * word_bytes,
      ),
    );
    new Int32Array(kernel.memory.buffer, length, 1)[0] = tokens;
    const { positions, type, norm_weight, norm_bias } = this;
    kernel.embed(words, word_bytes, positions, type, norm_weight, norm_bias, x, tokens);
    for (const layer of this.layers) {
      kernel.layer(layer, x, tokens, length, 1);
      await pause();
    }
    kernel.means(x, length, 1, mean);
    return new Float32Array(kernel.memory.buffer, mean, dimensions);
  }

  private tokensOf({ x }: Workspace, from: number, to: number): Float32Array<ArrayBuffer> {
    const at = x + from * dimensions * number_bytes;
    return new Float32Array(
      this.kernel.memory.buffer as ArrayBuffer,
      at,
      (to - from) * dimensions,
    ).slice();
  }

  /** Allocates kernel memory, which is never freed. */
  private allocate(bytes: number): number {
    const at = Math.ceil(this.top / alignment) * alignment;
    this.top = at + bytes;
    const { memory } = this.kernel;
    const missing = this.top - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / page_bytes));
    return at;
  }

  private put(bytes: Uint8Array): number {
    const at = this.allocate(bytes.length);
    new Uint8Array(this.kernel.memory.buffer, at).set(bytes);
    return at;
  }

  /** The matrices of each layer in the kernel's layout, and a table of their addresses. */
  private putLayers(model: Model): number[] {
    const { kernel } = this;
    const largest = model.tensor("l0.fi.w").length;
    const staged = this.allocate(largest);
    return Array.from({ length: model.layers }, (_, layer) => {
      const places: number[] = [];
      for (const [name, rows, columns] of matrices) {
        const weights = this.allocate(rows * columns);
        const scales = this.allocate(rows * number_bytes);
        new Uint8Array(kernel.memory.buffer, staged).set(model.tensor(`l${layer}.${name}.w`));
        kernel.repack(staged, rows, columns, weights, scales);
        places.push(weights, scales, this.put(model.tensor(`l${layer}.${name}.b`)));
      }
      for (const norm of norms)
        for (const part of ["w", "b"])
          places.push(this.put(model.tensor(`l${layer}.${norm}.${part}`)));
      return this.put(new Uint8Array(Uint32Array.from(places).buffer));
    });
  }
}

function normalised(vector: Float32Array): Float32Array<ArrayBuffer> {
  let squares = 0;
  for (const number of vector) squares += number * number;
  const length = Math.sqrt(squares);
  if (!Number.isFinite(length) || length === 0)
    throw new InvalidModel("it gives no vector for a text: some of its weights are no numbers");
  return Float32Array.from(vector, (number) => number / length);
}
