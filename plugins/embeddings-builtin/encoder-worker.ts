/**
 * A worker that encodes: one passage at a time and, between the layers of that, one question. The
 * pool (pool.ts) sees to it that there is never more.
 */
import { Encoder } from "./encoder";
import { compiledKernel } from "./kernels";
import { readModel } from "./model-container";
import { problemOf } from "./model-files";
import {
  deskOf,
  desks,
  type DeskName,
  type FromEncoderWorker,
  type Kind,
  type OpenModel,
  type ToEncoderWorker,
} from "./worker-protocol";

declare const self: Worker;

class Worked {
  private readonly desks;
  /** The text in work, by desk; 0: none. */
  private readonly in_work: Record<DeskName, number> = { urgent: 0, background: 0 };
  /** The background rests while there is something urgent. */
  private urgent: Promise<void> = Promise.resolve();

  constructor(
    private readonly encoder: Encoder,
    private readonly prefixes: Readonly<Record<Kind, string>>,
  ) {
    this.desks = { urgent: encoder.openDesk(), background: encoder.openDesk() };
  }

  async encode(id: number, kind: Kind, text: string): Promise<void> {
    const desk = deskOf(kind);
    this.in_work[desk] = id;
    const working = this.embed(id, kind, text);
    if (desk === "urgent") this.urgent = working;
    await working;
  }

  cancel(id: number): void {
    for (const desk of desks) if (this.in_work[desk] === id) this.in_work[desk] = 0;
  }

  /** Answers always, also for what nobody waits for any more: the pool then sends the next. */
  private async embed(id: number, kind: Kind, text: string): Promise<void> {
    const desk = deskOf(kind);
    const pause = async (): Promise<void> => {
      await nextMessages();
      if (desk === "background") await this.urgent;
      if (this.in_work[desk] !== id) throw new Error("It was given up.");
    };
    try {
      const prefix = this.prefixes[kind],
        vectors = await this.encoder.embed(text, { prefix, desk: this.desks[desk], pause });
      answer(
        { id, vectors },
        vectors.map(({ buffer }) => buffer),
      );
    } catch (error) {
      answer({ id, error: messageOf(error) });
    }
  }
}

/** Lets messages in that have come meanwhile. */
const nextMessages = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
const answer = (message: FromEncoderWorker, transfer: ArrayBuffer[] = []): void =>
  self.postMessage(message, transfer);

/** Undefined when the file can't be used as it is, which was answered. */
async function open(model: OpenModel): Promise<Worked | undefined> {
  const problem = model.shared === null ? problemOf(model, model) : null;
  if (problem !== null) {
    answer({ problem });
    return undefined;
  }
  const data = model.shared === null ? Bun.mmap(model.path) : new Uint8Array(model.shared),
    encoder = new Encoder(readModel(data), await compiledKernel()),
    { query_prefix, document_prefix } = model,
    opened = new Worked(encoder, {
      query: query_prefix,
      sentence: document_prefix,
      document: document_prefix,
    });
  answer({ opened: true });
  return opened;
}

let worked: Worked | undefined;
self.addEventListener("message", async ({ data }: MessageEvent<ToEncoderWorker>) => {
  if ("open" in data) {
    try {
      worked = await open(data.open);
    } catch (error) {
      answer({ failed: messageOf(error) });
    }
  } else if ("cancel" in data) worked?.cancel(data.cancel);
  else await worked?.encode(data.id, data.kind, data.text);
});
