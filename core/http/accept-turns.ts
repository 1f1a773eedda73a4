/**
 * Bounds how long the runtime accepts connections before the event loop continues. By itself it
 * accepts until none is waiting, and reads and handles the request of each at once: clients that
 * hang up and come back meanwhile would keep it from everything else, and from noticing that they
 * have gone.
 */
import type { AcceptSwitch, TcpSocket } from "./tcp-sockets";

/**
 * How long requests of new connections are handled in one iteration of the event loop: half of it,
 * as far as one can tell by the previous one.
 */
const turn_ms = { min: 4, max: 16 };

/** Watches the requests of one listening socket. */
export class AcceptTurns {
  private accepting: AcceptSwitch | null = null;
  /** When the first request of this iteration arrived; undefined before it. */
  private began_ms: number | undefined;
  private is_paused = false;
  private turn_ms = turn_ms.min;

  /** Called with the socket of the port, where it can be found. */
  open(listener: TcpSocket | undefined): void {
    this.accepting = listener?.acceptSwitch() ?? null;
  }

  /** Must be called before the socket is closed, which would go on listening otherwise. */
  close(): void {
    this.accepting?.release();
    this.accepting = null;
  }

  /** Called when a request arrives: the runtime may be accepting connections. */
  noteRequest(): void {
    if (this.accepting === null) return;
    const now_ms = performance.now();
    if (this.began_ms === undefined) {
      this.began_ms = now_ms;
      setImmediate(() => this.endTurn());
    } else if (!this.is_paused && now_ms - this.began_ms >= this.turn_ms) {
      this.is_paused = true;
      this.accepting.pause();
    }
  }

  private endTurn(): void {
    const took_ms = performance.now() - this.began_ms!;
    this.turn_ms = Math.min(turn_ms.max, Math.max(turn_ms.min, took_ms / 2));
    this.began_ms = undefined;
    if (this.is_paused) this.accepting?.resume();
    this.is_paused = false;
  }
}
