/** What an encoder worker and its pool post to each other. */
import type { ModelFile } from "./model-files";

/** The model of a pool. */
export interface PooledModel extends ModelFile {
  readonly query_prefix: string;
  readonly document_prefix: string;
}
export interface OpenModel extends PooledModel {
  /** Compares the file with its hash. */
  readonly with_hash: boolean;
  /** The model, when there is no file that could be mapped. */
  readonly shared: SharedArrayBuffer | null;
}
/** What comes first goes first. A sentence is a part of a passage that somebody waits for. */
export const kinds = ["query", "sentence", "document"] as const;
export type Kind = (typeof kinds)[number];
/** Where a worker has a text: one of each at a time. */
export const desks = ["urgent", "background"] as const;
export type DeskName = (typeof desks)[number];
export const deskOf = (kind: Kind): DeskName => (kind === "document" ? "background" : "urgent");
export type ToEncoderWorker =
  | { readonly open: OpenModel }
  | { readonly id: number; readonly kind: Kind; readonly text: string }
  | { readonly cancel: number };
export type FromEncoderWorker =
  | { readonly opened: true }
  /** What is wrong with the file, to follow its name. */
  | { readonly problem: string }
  /** The model can't be used at all. */
  | { readonly failed: string }
  | { readonly id: number; readonly vectors: readonly Float32Array<ArrayBuffer>[] }
  | { readonly id: number; readonly error: string };
