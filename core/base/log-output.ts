/**
 * Where log lines go: to standard error, which may be slow, full, or closed. Writing never waits
 * and never fails; lines that could not be written are counted, and said later.
 */

/** Lines that a slow reader has not taken yet: beyond this they are lost, bytes. */
const waiting_bytes_max = 2 ** 20;
/** After a failure the next line is tried no sooner. */
const retry_ms = 1_000;

export interface LogStream {
  /** Calls back when the text was written, or with why it was not. */
  write(text: string, done: (error?: Error | null) => void): unknown;
}

export class LogOutput {
  #waiting_bytes = 0;
  #lost = 0;
  #failing = false;

  /** `lostLine`: the line that says how many lines were lost. */
  constructor(
    private readonly stream: LogStream,
    private readonly lostLine: (lines: number) => string,
  ) {}

  /** `line` has no line break. */
  write(line: string): void {
    if (this.#failing || this.#waiting_bytes > waiting_bytes_max) this.#lost += 1;
    else this.#send(`${line}\n`, 1);
  }

  /** Resolves when everything is written, or after `limit_ms`. */
  async flush(limit_ms: number): Promise<void> {
    const until_ms = performance.now() + limit_ms;
    while (this.#waiting_bytes > 0 && performance.now() < until_ms) await Bun.sleep(5);
  }

  /** `lines`: how many are lost when it fails. */
  #send(text: string, lines: number): void {
    this.#waiting_bytes += text.length;
    this.stream.write(text, (error) => {
      this.#waiting_bytes -= text.length;
      if (error) this.#noteFailure(lines);
      else {
        this.#failing = false;
        if (this.#lost > 0) this.#sayLost("");
      }
    });
  }

  #noteFailure(lines: number): void {
    this.#lost += lines;
    if (this.#failing) return;
    this.#failing = true;
    const timer = setInterval(() => {
      if (!this.#failing) clearInterval(timer);
      // A line may have been cut off in the middle.
      else if (this.#waiting_bytes === 0) this.#sayLost("\n");
    }, retry_ms);
    timer.unref();
  }

  #sayLost(before: string): void {
    const lost = this.#lost;
    this.#lost = 0;
    this.#send(`${before}${this.lostLine(lost)}\n`, lost);
  }
}
