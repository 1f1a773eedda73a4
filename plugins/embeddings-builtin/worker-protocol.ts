/** The messages between an encoder worker and its pool. */
import type { ModelFile } from "./model-files";

/** The model of a pool. */
export interface PooledModel extends ModelFile {
  readonly query_prefix: string;
  readonly document_prefix: string;
}
/** The model that a worker opens. */
export interface OpenModel extends PooledModel {
  /** Check the file against its hash. */
  readonly with_hash: boolean;
  /** The model itself, if there is no file to map. */
  readonly shared: SharedArrayBuffer | null;
}
/** Highest priority first. Sentences belong to passages that somebody waits for. */
export const kinds = ["query", "sentence", "document"] as const;
/** What a text is, which determines its prefix and its priority. */
export type Kind = (typeof kinds)[number];
/** A worker has at most one text of each in progress. */
export const priorities = ["urgent", "background"] as const;
/** Urgent texts go before those in the background. */
export type Priority = (typeof priorities)[number];
export const priorityOf = (kind: Kind): Priority => (kind === "document" ? "background" : "urgent");
/** What the pool sends. */
export type ToEncoderWorker =
  | { readonly open: OpenModel }
  | { readonly id: number; readonly kind: Kind; readonly text: string }
  | { readonly cancel: number };
/** What the worker sends. */
export type FromEncoderWorker =
  | { readonly opened: true }
  /** The problem of the file, phrased to follow its name. */
  | { readonly problem: string }
  /** The model can't be used at all. */
  | { readonly failed: string }
  | {
      readonly id: number;
      readonly vectors: readonly Float32Array<ArrayBuffer>[];
      /** Of urgent texts only: they are much larger than the others. */
      readonly tokens?: Float32Array<ArrayBuffer> | undefined;
    }
  | { readonly id: number; readonly error: string };
