/** What a worker and its client post to each other. */
import type { HttpError } from "../../core/worker-sdk";

/** The types of one kind of worker. */
export interface WorkerProtocol {
  /** Sent once, before the first request. */
  readonly setting: unknown;
  readonly request: unknown;
  /** Of a response that comes in parts; `never` for any other. */
  readonly part: unknown;
  readonly response: unknown;
}
export type ToWorker<P extends WorkerProtocol> =
  | { readonly setting: P["setting"]; readonly control: SharedArrayBuffer }
  | {
      readonly id: number;
      readonly owner: string;
      readonly background: boolean;
      readonly request: P["request"];
    }
  | { readonly cancel: number };
export type FromWorker<P extends WorkerProtocol> = { readonly id: number } & (
  | NumberedPart<P>
  // With its last part: a message costs more than what is in a small one.
  | { readonly response: P["response"]; readonly last: NumberedPart<P> | null }
  | { readonly error: WorkerError }
);
export interface NumberedPart<P extends WorkerProtocol> {
  readonly part: P["part"];
  readonly part_no: number;
}
/** What of an error reaches the other side. */
export interface WorkerError {
  readonly message: string;
  /** As a request is answered with it; not for a defect. */
  readonly answer?: Pick<HttpError, "status" | "code" | "headers">;
}
/** Places in `control`, which both sides see: the request in work (0: none), and its changes. */
export const in_work = 0,
  slices = 1,
  control_bytes = 2 * Int32Array.BYTES_PER_ELEMENT;

/** How long work gives way to others. */
export interface Pauses {
  /** The time of this turn is used up: `pause` soon. Costs next to nothing. */
  readonly due: boolean;
  /** Lets others go on. @throws Error when nobody waits for the result any more. */
  pause(): Promise<void>;
}
/** For work that nobody else waits for. */
export const no_pauses: Pauses = { due: false, pause: async () => undefined };
