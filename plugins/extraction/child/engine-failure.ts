/** Runs in the child: failures of the WebAssembly engines (PDFium, Tesseract). */
import { messageOf } from "../../../core/lib/error-message";

/** The engine aborted on a file and was discarded: the next file loads a new one. */
export class EngineFailure extends Error {
  override readonly name = "EngineFailure";
  constructor(
    /** The size of its memory. */
    readonly engine_bytes: number,
    cause: unknown,
  ) {
    super(messageOf(cause), { cause });
  }
}

/** An engine that failed with more memory than this ran out of it. */
const engine_bytes_max = 512 * 1024 * 1024;
/** Whether the engine needed more memory than it may have. */
export const ranOutOfMemory = ({ engine_bytes }: EngineFailure): boolean =>
  engine_bytes > engine_bytes_max;
