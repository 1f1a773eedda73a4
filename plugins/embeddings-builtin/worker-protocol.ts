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
/** A worker has one text of each in work at a time. */
export const priorities = ["urgent", "background"] as const;
export type Priority = (typeof priorities)[number];
export const priorityOf = (kind: Kind): Priority => (kind === "document" ? "background" : "urgent");
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
