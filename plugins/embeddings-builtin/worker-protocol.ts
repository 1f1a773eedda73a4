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
/** What a text is, which determines its prefix. Sentences belong to passages somebody waits for. */
export type Kind = "query" | "sentence" | "document";
/** Texts by whose turn it is, the first ones first. */
export const lanes = ["query", "sentence", "long", "document"] as const;
/** Where a text waits. */
export type Lane = (typeof lanes)[number];
/**
 * A longer question or sentence pauses while a short one is encoded, as passages do; UTF-16 units.
 * It may take as long as a hundred short ones.
 */
export const short_length_max = 1_000;
/** The lane of a text. */
export const laneOf = ({ kind, text }: { readonly kind: Kind; readonly text: string }): Lane =>
  kind !== "document" && text.length > short_length_max ? "long" : kind;
/** A worker has at most one text of each in progress. */
export const priorities = ["urgent", "background"] as const;
/** Urgent texts go before those in the background. */
export type Priority = (typeof priorities)[number];
/** That of the texts of a lane. */
export const priorityOf = (lane: Lane): Priority =>
  lane === "query" || lane === "sentence" ? "urgent" : "background";
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
      /** Not of passages: they are much larger than the others. */
      readonly tokens?: Float32Array<ArrayBuffer> | undefined;
    }
  | { readonly id: number; readonly error: string };
