/**
 * Worker: chunks and encodes documents, so that no request waits for it. Each segment is a part of
 * the response; the response itself is the language of the text.
 */
import { analyzer } from "./analyzer";
import { encodeInSteps, type EncodedSegment, type EncoderInput } from "./encoder";
import { languageOf } from "./languages";
import { serveWorker } from "./worker-server";

export interface EncoderProtocol {
  readonly setting: null;
  readonly request: EncoderInput;
  readonly part: EncodedSegment;
  readonly response: string | null;
}

serveWorker<EncoderProtocol>(() => async (input, run) => {
  for (const segment of encodeInSteps(input, analyzer)) {
    if (segment !== null) run.sendPart(segment, [segment.data.buffer as ArrayBuffer]);
    if (run.due) await run.pause();
  }
  return languageOf(input.text);
});
