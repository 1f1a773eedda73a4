/**
 * Progress of long work: one line that is overwritten on a terminal, otherwise a line now and then.
 */
import { counted } from "../../lib/counted";
import { mebibytes } from "../../lib/byte-sizes";

const redraw_every_ms = 200;
const line_every_ms = 10_000;
const bar_width = 24;

/** A stream that may be a terminal: standard error. */
export interface Terminal {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

/** One step of the work, and its size. */
export interface Step {
  /** `moving rows` */
  readonly name: string;
  readonly rows: number;
  readonly bytes: number;
}

/** Prints how far the current step is, how fast it is, and how long it will take. */
export class Progress {
  private step: Step = { name: "", rows: 0, bytes: 0 };
  private rows = 0;
  private bytes = 0;
  /** The part done by an earlier run: it doesn't count for the speed. */
  private moved_before = { rows: 0, bytes: 0 };
  private started_ms = 0;
  private printed_ms = 0;
  private is_drawn = false;

  constructor(
    private readonly print: (line: string) => void,
    private readonly terminal: Terminal,
  ) {}

  /** Begins a step; the line of the one before is removed. */
  begin(step: Step): void {
    this.clear();
    this.step = step;
    this.rows = 0;
    this.bytes = 0;
    this.moved_before = { rows: 0, bytes: 0 };
    this.started_ms = performance.now();
    this.printed_ms = this.started_ms;
  }

  /** `was_there`: an earlier run has done it. */
  add({ rows, bytes }: { rows: number; bytes: number }, was_there = false): void {
    this.rows += rows;
    this.bytes += bytes;
    if (was_there)
      this.moved_before = {
        rows: this.moved_before.rows + rows,
        bytes: this.moved_before.bytes + bytes,
      };
    const now_ms = performance.now();
    if (now_ms - this.printed_ms < (this.terminal.isTTY ? redraw_every_ms : line_every_ms)) return;
    this.printed_ms = now_ms;
    if (this.terminal.isTTY) this.draw(this.line(now_ms, true));
    else this.print(this.line(now_ms, false));
  }

  /** Ends the step with a sentence. */
  end(words: string): void {
    this.clear();
    this.print(words);
  }

  private line(now_ms: number, with_bar: boolean): string {
    const share = Math.min(1, this.step.bytes === 0 ? 1 : this.bytes / this.step.bytes);
    const took_s = Math.max(0.001, (now_ms - this.started_ms) / 1_000);
    const moved_now = this.bytes - this.moved_before.bytes;
    const left_s = moved_now > 0 ? ((this.step.bytes - this.bytes) / moved_now) * took_s : 0;
    const filled = Math.round(share * bar_width);
    const bar = `[${"#".repeat(filled)}${"-".repeat(bar_width - filled)}] `;
    return (
      `${this.step.name}: ${with_bar ? bar : ""}${Math.floor(share * 100)} %, ` +
      `${this.rows} of ${counted(this.step.rows, "row")}, ${mebibytes(this.bytes)}, ` +
      `${Math.round((this.rows - this.moved_before.rows) / took_s)} rows/s, ${clock(left_s)} left`
    );
  }

  private draw(line: string): void {
    this.terminal.write(`\r${line.slice(0, (this.terminal.columns ?? 80) - 1)}\u001B[K`);
    this.is_drawn = true;
  }

  private clear(): void {
    if (this.is_drawn) this.terminal.write("\r\u001B[K");
    this.is_drawn = false;
  }
}

/** `1:05`, `2:00:10` */
function clock(seconds: number): string {
  const total_s = Math.max(0, Math.round(seconds));
  const h = Math.floor(total_s / 3_600);
  const m = Math.floor(total_s / 60) % 60;
  const s = total_s % 60;
  const twoDigits = (n: number): string => String(n).padStart(2, "0");
  return h > 0 ? `${h}:${twoDigits(m)}:${twoDigits(s)}` : `${m}:${twoDigits(s)}`;
}
