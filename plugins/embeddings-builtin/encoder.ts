/**
 * Runs the encoder in WebAssembly: takes texts and returns vectors of length 1. Each workspace
 * handles one text at a time and yields every few milliseconds.
 */
import {
  dimensions,
  heads,
  InvalidModel,
  matrices,
  norms,
  tokens_max,
  type Model,
} from "./model-container";
import { Tokenizer } from "./tokenizer";
import { windowsOf } from "./windows";

const number_bytes = Float32Array.BYTES_PER_ELEMENT;
const row_bytes = dimensions * number_bytes;
const page_bytes = 65_536;
const alignment = 16;
/** The tokens of a step of the kernel. */
const step_tokens = 32;
/** How long a text is worked on before it yields: a step may take as long again. */
const slice_ms = 1;
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
  project(at: number, x: number, q: number, k: number, v: number, tokens: number): void;
  attend(q: number, k: number, v: number, tokens: number, head: number): void;
  finish(at: number, x: number, attended: number, tokens: number): void;
  mean(x: number, tokens: number, to: number): void;
}

/** Working memory of a text: as many texts can be in progress at once as there are workspaces. */
interface Workspace {
  readonly words: number;
  /** A row for each token, as of `q`, `k` and `v`. */
  readonly x: number;
  readonly q: number;
  readonly k: number;
  readonly v: number;
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
    this.positions = this.put(copied.tensor("emb.pos").subarray(0, tokens_max * row_bytes));
    this.type = this.put(copied.tensor("emb.type").subarray(0, row_bytes));
    this.norm_weight = this.put(copied.tensor("emb.ln.w"));
    this.norm_bias = this.put(copied.tensor("emb.ln.b"));
    this.layers = this.putLayers(copied);
  }

  /** Memory for one more text in progress. */
  openWorkspace(): Workspace {
    const rows = () => this.allocate(tokens_max * row_bytes);
    return {
      words: this.allocate(tokens_max * this.model.word_bytes),
      x: rows(),
      q: rows(),
      k: rows(),
      v: rows(),
      mean: this.allocate(row_bytes),
    };
  }

  /** The token ids of a text. */
  tokenize(text: string): number[] {
    return this.tokenizer.encode(text);
  }

  /**
   * `pause` is called every few milliseconds; meanwhile another text may be encoded in another
   * workspace.
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
    workspace: Workspace,
    pause: () => Promise<void> | void,
  ): Promise<Float32Array> {
    const { kernel, model } = this;
    const { word_bytes } = model;
    const { words, x, mean } = workspace;
    const tokens = ids.length;
    const memory = new Uint8Array(kernel.memory.buffer);
    ids.forEach((id, at) =>
      memory.set(
        model.words.subarray(id * word_bytes, (id + 1) * word_bytes),
        words + at * word_bytes,
      ),
    );
    const { positions, type, norm_weight, norm_bias } = this;
    kernel.embed(words, word_bytes, positions, type, norm_weight, norm_bias, x, tokens);
    let slice_began_ms = performance.now();
    for (const _ of this.steps(workspace, tokens)) {
      if (performance.now() - slice_began_ms < slice_ms) continue;
      await pause();
      slice_began_ms = performance.now();
    }
    kernel.mean(x, tokens, mean);
    return new Float32Array(kernel.memory.buffer, mean, dimensions);
  }

  /** Computes the layers. */
  private *steps({ x, q, k, v }: Workspace, tokens: number): Generator<void, void> {
    const { kernel, layers } = this;
    for (const layer of layers) {
      for (let from = 0; from < tokens; from += step_tokens) {
        const at = from * row_bytes;
        const count = Math.min(step_tokens, tokens - from);
        yield kernel.project(layer, x + at, q + at, k + at, v + at, count);
      }
      for (let head = 0; head < heads; head++) yield kernel.attend(q, k, v, tokens, head);
      for (let from = 0; from < tokens; from += step_tokens) {
        const at = from * row_bytes;
        yield kernel.finish(layer, x + at, q + at, Math.min(step_tokens, tokens - from));
      }
    }
  }

  private tokensOf({ x }: Workspace, from: number, to: number): Float32Array<ArrayBuffer> {
    const at = x + from * row_bytes;
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
