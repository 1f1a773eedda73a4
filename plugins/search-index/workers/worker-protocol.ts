/** The messages between a worker and its client. */
import type { HttpError } from "../../../core/worker-sdk";

/** The types of one kind of worker. */
export interface WorkerProtocol {
  /** Sent once, before the first request. */
  readonly setting: unknown;
  readonly request: unknown;
  /** For a response that comes in parts; otherwise `never`. */
  readonly part: unknown;
  readonly response: unknown;
}
/** What the client sends. */
export type ToWorker<P extends WorkerProtocol> =
  | { readonly setting: P["setting"]; readonly control: SharedArrayBuffer }
  | {
      readonly id: number;
      readonly owner: string;
      readonly background: boolean;
      readonly request: P["request"];
    }
  | { readonly cancel: number }
  // The number of parts of its response taken so far.
  | { readonly taken: number; readonly parts: number };
/** What the worker sends. */
export type FromWorker<P extends WorkerProtocol> = { readonly id: number } & (
  | NumberedPart<P>
  // With its last part: a message costs more than the content of a small one.
  | { readonly response: P["response"]; readonly last: NumberedPart<P> | null }
  | { readonly error: WorkerError }
);
/** A part of a response; parts are numbered in order. */
export interface NumberedPart<P extends WorkerProtocol> {
  readonly part: P["part"];
  readonly part_no: number;
}
/** The part of an error that reaches the other side. */
export interface WorkerError {
  readonly message: string;
  /** How to answer a request with it; absent for a defect. */
  readonly answer?: Pick<HttpError, "status" | "code" | "headers">;
  /** What caused `answer`, by which a job tells that it is not at fault. */
  readonly cause?: Readonly<{ message: string; code: unknown; errno: unknown }>;
}
/**
 * Indices into `control`, which both sides share: the running request (0: none), how often it
 * changed, and how many requests were sent.
 */
export const in_work = 0;
export const slices = 1;
export const sent = 2;
/** The size of the shared control words. */
export const control_bytes = 3 * Int32Array.BYTES_PER_ELEMENT;

/** How long work yields to others. */
export interface Pauses {
  /** The time of this turn is up: `pause` soon. Costs next to nothing. */
  readonly due: boolean;
  /** Lets others continue. @throws Error when nobody waits for the result any more. */
  pause(): Promise<void>;
}
/** For work that runs alone. */
export const no_pauses: Pauses = { due: false, pause: async () => undefined };
