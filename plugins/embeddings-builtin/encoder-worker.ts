/**
 * An encoder worker: works on one passage at a time and, whenever it yields, on one query. The pool
 * (pool.ts) never sends more.
 */
import { messageOf } from "../../core/lib/error-message";
import { Encoder } from "./encoder";
import { compiledKernel } from "./kernels";
import { readModel, type Model } from "./model-container";
import { problemOf } from "./model-files";
import {
  laneOf,
  priorities,
  priorityOf,
  type FromEncoderWorker,
  type Kind,
  type OpenModel,
  type Priority,
  type ToEncoderWorker,
} from "./worker-protocol";

declare const self: Worker;

class OpenedEncoder {
  private readonly workspaces;
  /** The text being encoded, by priority; 0: none. */
  private readonly in_work: Record<Priority, number> = { urgent: 0, background: 0 };
  /** Background work pauses while urgent work is pending. */
  private urgent: Promise<void> = Promise.resolve();

  constructor(
    private readonly encoder: Encoder,
    private readonly prefixes: Readonly<Record<Kind, string>>,
  ) {
    this.workspaces = { urgent: encoder.openWorkspace(), background: encoder.openWorkspace() };
  }

  async encode(id: number, kind: Kind, text: string): Promise<void> {
    const priority = priorityOf(laneOf({ kind, text }));
    this.in_work[priority] = id;
    const working = this.embed(id, kind, { text, priority });
    if (priority === "urgent") this.urgent = working;
    await working;
  }

  cancel(id: number): void {
    for (const priority of priorities)
      if (this.in_work[priority] === id) this.in_work[priority] = 0;
  }

  /** Always replies, even if nobody waits any more, because the pool then sends the next text. */
  private async embed(
    id: number,
    kind: Kind,
    { text, priority }: { readonly text: string; readonly priority: Priority },
  ): Promise<void> {
    const pause = async (): Promise<void> => {
      await nextMessages();
      if (priority === "background") await this.urgent;
      if (this.in_work[priority] !== id) throw new Error("It was given up.");
    };
    try {
      const prefix = this.prefixes[kind];
      const encoded = await this.encoder.embed(text, {
        prefix,
        workspace: this.workspaces[priority],
        pause,
      });
      const { vectors } = encoded;
      const tokens = kind === "document" ? undefined : encoded.tokens;
      answer(
        { id, vectors, tokens },
        [...vectors, ...(tokens ? [tokens] : [])].map(({ buffer }) => buffer),
      );
    } catch (error) {
      answer({ id, error: messageOf(error) });
    }
  }
}

/** Yields, so that messages can arrive. */
const nextMessages = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });
const answer = (message: FromEncoderWorker, transfer: ArrayBuffer[] = []): void =>
  self.postMessage(message, transfer);

/** Undefined if the file can't be used as it is; a reply was sent then. */
async function open(model: OpenModel): Promise<OpenedEncoder | undefined> {
  const problem = model.shared === null ? problemOf(model, model) : null;
  if (problem !== null) {
    answer({ problem });
    return undefined;
  }
  const { shared } = model;
  const read = (): Model =>
    readModel(shared === null ? Bun.mmap(model.path) : new Uint8Array(shared));
  // The pages read from the second mapping count as memory of the process until it is collected.
  const encoder = new Encoder(read(), await compiledKernel(), read());
  setImmediate(() => Bun.gc(true));
  const { query_prefix, document_prefix } = model;
  const opened_encoder = new OpenedEncoder(encoder, {
    query: query_prefix,
    sentence: document_prefix,
    document: document_prefix,
  });
  answer({ opened: true });
  return opened_encoder;
}

let opened: OpenedEncoder | undefined;
self.addEventListener("message", async ({ data }: MessageEvent<ToEncoderWorker>) => {
  if ("open" in data) {
    try {
      opened = await open(data.open);
    } catch (error) {
      answer({ failed: messageOf(error) });
    }
  } else if ("cancel" in data) opened?.cancel(data.cancel);
  else await opened?.encode(data.id, data.kind, data.text);
});
