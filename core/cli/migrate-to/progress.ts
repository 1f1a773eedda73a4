/**
 * Progress of long work: one line that is overwritten on a terminal, otherwise a line now and then.
 */
import { counted } from "../../lib/counted";
import { mebibytes } from "../../lib/byte-sizes";

const every_ms = 200;
const line_every_ms = 10_000;
const bar_width = 24;

export interface Terminal {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

export interface Step {
  /** `moving rows` */
  readonly name: string;
  readonly rows: number;
  readonly bytes: number;
}

export class Progress {
  private step: Step = { name: "", rows: 0, bytes: 0 };
  private rows = 0;
  private bytes = 0;
  /** The part done by an earlier run: it doesn't count for the speed. */
  private found = { rows: 0, bytes: 0 };
  private begun_ms = 0;
  private printed_ms = 0;
  private is_drawn = false;

  constructor(
    private readonly print: (line: string) => void,
    private readonly terminal: Terminal,
  ) {}

  begin(step: Step): void {
    this.clear();
    this.step = step;
    this.rows = 0;
    this.bytes = 0;
    this.found = { rows: 0, bytes: 0 };
    this.begun_ms = performance.now();
    this.printed_ms = this.begun_ms;
  }

  /** `was_there`: an earlier run has done it. */
  add({ rows, bytes }: { rows: number; bytes: number }, was_there = false): void {
    this.rows += rows;
    this.bytes += bytes;
    if (was_there) this.found = { rows: this.found.rows + rows, bytes: this.found.bytes + bytes };
    const now_ms = performance.now();
    if (now_ms - this.printed_ms < (this.terminal.isTTY ? every_ms : line_every_ms)) return;
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
    const took_s = Math.max(0.001, (now_ms - this.begun_ms) / 1_000);
    const moved = this.bytes - this.found.bytes;
    const left_s = moved > 0 ? ((this.step.bytes - this.bytes) / moved) * took_s : 0;
    const filled = Math.round(share * bar_width);
    const bar = `[${"#".repeat(filled)}${"-".repeat(bar_width - filled)}] `;
    return (
      `${this.step.name}: ${with_bar ? bar : ""}${Math.floor(share * 100)} %, ` +
      `${this.rows} of ${counted(this.step.rows, "row")}, ${mebibytes(this.bytes)}, ` +
      `${Math.round((this.rows - this.found.rows) / took_s)} rows/s, ${clock(left_s)} left`
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
  const all = Math.max(0, Math.round(seconds));
  const h = Math.floor(all / 3_600);
  const m = Math.floor(all / 60) % 60;
  const s = all % 60;
  const two = (n: number): string => String(n).padStart(2, "0");
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}
