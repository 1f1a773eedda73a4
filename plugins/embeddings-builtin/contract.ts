/** The built-in encoder, for the plugin that chooses an embedder. */
import { service } from "../../core/sdk";
import type { Embedder } from "../search-index/contract";

/** The metadata of a model, apart from its weights. */
export interface ModelDescription {
  readonly name: string;
  readonly bytes: number;
  /** SHA-256 of the file, hexadecimal. */
  readonly sha256: string;
  /** Prefixes for a query and for a passage, as the model was trained. */
  readonly query_prefix: string;
  readonly document_prefix: string;
}
/** Makes embedders of the models on this machine. */
export interface BuiltinEncoder {
  /**
   * The model of this name: the bundled one, or one that `dossier model add` has put into the data
   * directory. Undefined if there is none. Starts no worker yet.
   */
  embedder(options: { readonly model: string; readonly threads: number }): Embedder | undefined;
}
export const BuiltinEncoder = service<BuiltinEncoder>("embeddings-builtin");
/** The bundled model. */
export const builtin_model = "multilingual-e5-small";
