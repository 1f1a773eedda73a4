/** Runs in the child: how the engines in WebAssembly (PDFium, Tesseract) fail. */

/** The engine aborted on a file and was discarded: the next file loads a new one. */
export class EngineFailure extends Error {
  override readonly name = "EngineFailure";
  constructor(
    /** How much memory it had. */
    readonly engine_bytes: number,
    cause: unknown,
  ) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** An engine that failed with more memory than this failed for lack of it. */
const engine_bytes_max = 512 * 1024 * 1024;
export const ranOutOfMemory = ({ engine_bytes }: EngineFailure): boolean =>
  engine_bytes > engine_bytes_max;
