/** How fast texts become vectors, and for how long none has. */

/** The speed is that of the last calls, as far as they took so long together. */
const measured_ms = 60_000;

export class EmbeddingProgress {
  /** Since the server started. */
  made = 0;
  private readonly calls: { readonly texts: number; readonly took_ms: number }[] = [];
  private measured = { texts: 0, took_ms: 0 };
  private last_ms = performance.now();

  /** There is something to do from now on. */
  begin(): void {
    this.last_ms = performance.now();
  }

  /** A call has ended well. */
  add(texts: number, took_ms: number): void {
    this.last_ms = performance.now();
    this.made += texts;
    this.calls.push({ texts, took_ms });
    this.count(texts, took_ms);
    for (let first = this.calls[0]!; this.measured.took_ms - first.took_ms > measured_ms;) {
      this.calls.shift();
      this.count(-first.texts, -first.took_ms);
      first = this.calls[0]!;
    }
  }

  /** Texts in a second of work; null before there were any. */
  perSecond(): number | null {
    const { texts, took_ms } = this.measured;
    return texts === 0 || took_ms <= 0 ? null : (texts * 1_000) / took_ms;
  }

  /** Since a call has ended well, or there was nothing to do. */
  idleMs(): number {
    return performance.now() - this.last_ms;
  }

  private count(texts: number, took_ms: number): void {
    this.measured.texts += texts;
    this.measured.took_ms += took_ms;
  }
}
