/** The rate at which texts become vectors, and why or how long there has been no progress. */

/** The rate is that of the latest calls that together took this long. */
const measured_ms = 60_000;

/** Measured in this process. */
export class EmbeddingProgress {
  /** Since the server started. */
  made = 0;
  /** The latest error; null since a call has succeeded. */
  failure: string | null = null;
  private readonly calls: { readonly texts: number; readonly took_ms: number }[] = [];
  private measured = { texts: 0, took_ms: 0 };
  private last_ms = performance.now();

  /** There is work from now on. */
  begin(): void {
    this.last_ms = performance.now();
  }

  /** A call has succeeded. */
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

  /** Texts per second of work; null before there were any. */
  perSecond(): number | null {
    const { texts, took_ms } = this.measured;
    return texts === 0 || took_ms <= 0 ? null : (texts * 1_000) / took_ms;
  }

  /** Since a call has succeeded, or there was no work. */
  idleMs(): number {
    return performance.now() - this.last_ms;
  }

  private count(texts: number, took_ms: number): void {
    this.measured.texts += texts;
    this.measured.took_ms += took_ms;
  }
}
