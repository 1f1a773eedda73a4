/**
 * A worker that encodes: one passage at a time and, between the layers of that, one question. The
 * pool (pool.ts) sees to it that there is never more.
 */
import { Encoder } from "./encoder";
import { compiledKernel } from "./kernels";
import { readModel } from "./model-container";
import { problemOf } from "./model-files";
import type { FromEncoderWorker, Kind, OpenModel, ToEncoderWorker } from "./worker-protocol";

declare const self: Worker;

class Worked {
  private readonly desks;
  /** The text in work, by kind; 0: none. */
  private readonly in_work: Record<Kind, number> = { document: 0, query: 0 };
  /** Passages rest while there is one. */
  private question: Promise<void> = Promise.resolve();

  constructor(
    private readonly encoder: Encoder,
    private readonly prefixes: Readonly<Record<Kind, string>>,
  ) {
    this.desks = { document: encoder.openDesk(), query: encoder.openDesk() };
  }

  async encode(id: number, kind: Kind, text: string): Promise<void> {
    this.in_work[kind] = id;
    const working = this.embed(id, kind, text);
    if (kind === "query") this.question = working;
    await working;
  }

  cancel(id: number): void {
    for (const kind of ["document", "query"] as const)
      if (this.in_work[kind] === id) this.in_work[kind] = 0;
  }

  /** Answers always, also for what nobody waits for any more: the pool then sends the next. */
  private async embed(id: number, kind: Kind, text: string): Promise<void> {
    const pause = async (): Promise<void> => {
      await nextMessages();
      if (kind === "document") await this.question;
      if (this.in_work[kind] !== id) throw new Error("It was given up.");
    };
    try {
      const prefix = this.prefixes[kind],
        vector = await this.encoder.embed(text, { prefix, desk: this.desks[kind], pause });
      answer({ id, vector }, [vector.buffer]);
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
    opened = new Worked(encoder, { query: query_prefix, document: document_prefix });
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
