/** The delay between two requests to one host, whoever they are for. */
import { sleep } from "../../core/lib/timeout";

const hosts_max = 1_000;

export class HostDelays {
  /** When each host may be asked again. */
  private readonly free_at = new Map<string, number>();

  constructor(private readonly now_ms: () => number = () => performance.now()) {}

  /**
   * Waits until the host may be asked, which nobody else may then for `delay_ms`.
   * @throws the reason of the signal
   */
  async wait(host: string, delay_ms: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const wait_ms = (this.free_at.get(host) ?? 0) - this.now_ms();
    this.forgetPast();
    this.start(host, Math.max(0, wait_ms) + delay_ms);
    if (wait_ms > 0) await sleep(wait_ms, signal);
  }

  /** A request has ended: the delay begins now. */
  start(host: string, delay_ms: number): void {
    if (delay_ms <= 0) return;
    const free_at = Math.max(this.free_at.get(host) ?? 0, this.now_ms() + delay_ms);
    this.free_at.set(host, free_at);
  }

  private forgetPast(): void {
    if (this.free_at.size <= hosts_max) return;
    for (const [host, at] of this.free_at) if (at <= this.now_ms()) this.free_at.delete(host);
  }
}
