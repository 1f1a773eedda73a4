/**
 * Reads `GET /events` of a user, resuming with `Last-Event-ID` after every break: each event must
 * arrive exactly once, whichever process sends it.
 */

export class StreamReader {
  readonly findings: string[] = [];
  /** The records of events. */
  readonly documents = new Set<string>();
  private readonly seen_ids = new Set<string>();
  events = 0;
  resumed = 0;
  private last_id: string | null = null;
  private readonly stopping = new AbortController();
  private readonly running: Promise<void>;

  constructor(
    private readonly url: string,
    private readonly key: string,
  ) {
    this.running = this.follow();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async follow(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        await this.read(signal);
      } catch {
        // Its process was killed, or none is running.
      }
      this.resumed += 1;
      if (!signal.aborted) await Bun.sleep(100);
    }
  }

  private async read(signal: AbortSignal): Promise<void> {
    const response = await fetch(`${this.url}/api/dev/v1/events`, {
      headers: {
        authorization: `Bearer ${this.key}`,
        accept: "text/event-stream",
        ...(this.last_id !== null && { "last-event-id": this.last_id }),
      },
      signal,
    });
    if (response.status !== 200) throw new Error(`${response.status}`);
    let text = "";
    const decoder = new TextDecoder();
    for await (const bytes of response.body!) {
      text += decoder.decode(bytes as Uint8Array, { stream: true });
      const blocks = text.split("\n\n");
      text = blocks.pop()!;
      for (const block of blocks) this.takeBlock(block);
    }
  }

  private takeBlock(block: string): void {
    const id = /^id: ?(.+)$/m.exec(block)?.[1];
    const type = /^event: ?(.+)$/m.exec(block)?.[1];
    if (id === undefined) return;
    this.last_id = id;
    if (type === "reset") this.findings.push("a stream was told that events are lost");
    if (type === undefined || type === "ready" || type === "reset" || type === "closed") return;
    if (this.seen_ids.has(id)) this.findings.push(`an event came twice: ${id}`);
    this.seen_ids.add(id);
    this.events += 1;
    const document_id = /"document_id":"([^"]+)"/.exec(block)?.[1];
    if (document_id !== undefined) this.documents.add(document_id);
  }
}
