/** What the engines in WebAssembly have in common: after an abort nothing in one can be trusted. */

/** The engine gave up on a file and was thrown away; the next file loads a new one. */
export class EngineFailure extends Error {
  override readonly name = "EngineFailure";
  constructor(
    readonly engine_bytes: number,
    cause: unknown,
  ) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** An engine that failed with this much memory, bytes, failed for want of more. */
const engine_bytes_max = 512 * 1024 * 1024;
export const wantedMemory = ({ engine_bytes }: EngineFailure): boolean =>
  engine_bytes > engine_bytes_max;
