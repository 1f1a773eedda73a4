/**
 * Where log lines go: standard error, which may be slow, full or closed. Writing never blocks and
 * never fails; lines that could not be written are counted and reported later.
 */

/** Bytes of lines that a slow reader has not taken yet; beyond this, lines are dropped. */
const waiting_bytes_max = 2 ** 20;
/** After a failure, how long to wait before the next attempt. */
const retry_ms = 1_000;

/** Any stream that lines can be written to, such as standard error. */
export interface LogStream {
  /** Calls back when the text has been written, or with the error. */
  write(text: string, done: (error?: Error | null) => void): unknown;
}

/** Writes lines to a stream. Keeps at most a mebibyte that the stream hasn't taken. */
export class LogOutput {
  private waiting_bytes = 0;
  private lost_lines = 0;
  private failing = false;

  /** `lostLine` makes the line that reports how many lines were lost. */
  constructor(
    private readonly stream: LogStream,
    private readonly lostLine: (lines: number) => string,
  ) {}

  /** `line` contains no line break. */
  write(line: string): void {
    if (this.failing || this.waiting_bytes > waiting_bytes_max) this.lost_lines += 1;
    else this.send(`${line}\n`, 1);
  }

  /** Resolves when everything is written, or after `limit_ms`. */
  async flush(limit_ms: number): Promise<void> {
    const until_ms = performance.now() + limit_ms;
    while (this.waiting_bytes > 0 && performance.now() < until_ms) await Bun.sleep(5);
  }

  /** `lines`: how many are lost when it fails. */
  private send(text: string, lines: number): void {
    this.waiting_bytes += text.length;
    this.stream.write(text, (error) => {
      this.waiting_bytes -= text.length;
      if (error) this.noteFailure(lines);
      else {
        this.failing = false;
        if (this.lost_lines > 0) this.writeLostLine("");
      }
    });
  }

  private noteFailure(lines: number): void {
    this.lost_lines += lines;
    if (this.failing) return;
    this.failing = true;
    const timer = setInterval(() => {
      if (!this.failing) clearInterval(timer);
      // The previous line may have been cut off in the middle.
      else if (this.waiting_bytes === 0) this.writeLostLine("\n");
    }, retry_ms);
    timer.unref();
  }

  private writeLostLine(before: string): void {
    const lost_lines = this.lost_lines;
    this.lost_lines = 0;
    this.send(`${before}${this.lostLine(lost_lines)}\n`, lost_lines);
  }
}
