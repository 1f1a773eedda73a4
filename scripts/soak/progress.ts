/** Says every minute how far a soak is, so that nobody takes a long check for a stop. */
const every_ms = 60_000;

/** Speaks until it is disposed of. */
export class Progress implements Disposable {
  /** What is being done. */
  doing = "working";
  private readonly begun_ms = performance.now();
  private readonly timer: Timer;

  /** `line`: the figures so far. */
  constructor(line: () => string) {
    this.timer = setInterval(() => {
      console.log(`${this.minutes.toFixed(0)} min, ${this.doing}: ${line()}`);
    }, every_ms);
  }

  /** Since the start. */
  get minutes(): number {
    return (performance.now() - this.begun_ms) / 60_000;
  }

  [Symbol.dispose](): void {
    clearInterval(this.timer);
  }
}
