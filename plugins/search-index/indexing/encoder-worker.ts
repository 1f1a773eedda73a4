/**
 * Worker: chunks and encodes documents, so that no request waits for it. Each segment is a part of
 * the response; the response itself is the language of the text.
 */
import { constants, setPriority } from "node:os";
import type { ReadableText } from "../../../core/lib/text-window";
import type { ReadConnectionSpec } from "../../../core/sdk";
import { analyzer } from "../analysis/analyzer";
import { encodeInSteps, inputWithText, type EncodedSegment, type EncoderRequest } from "./encoder";
import { placed, type PlacedSegment } from "../index-versions";
import { languageOf } from "../analysis/languages";
import { serveWorker } from "../workers/worker-server";

/** The messages of the worker. */
export interface EncoderProtocol {
  readonly setting: { readonly read_connection: ReadConnectionSpec };
  readonly request: EncoderRequest;
  /** With positions if the text is stored, to leave as little work as possible to the server. */
  readonly part: EncodedSegment | PlacedSegment;
  readonly response: string | null;
}

// Requests come first where all cores are busy. On Linux this applies to the calling thread only.
if (process.platform === "linux") setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL);

serveWorker<EncoderProtocol>(({ read_connection }) => {
  // Most texts come with the request: the reader for others is loaded with the first of them.
  let texts: Promise<{ open(stored: EncoderRequest["stored"]): Promise<ReadableText> }>;
  const textOf = async ({ text, stored }: EncoderRequest): Promise<ReadableText> => {
    if (text !== null) return text;
    texts ??= import("../chunks/text-source").then(
      ({ TextSource }) => new TextSource(read_connection),
    );
    return (await texts).open(stored);
  };
  return async (request, run) => {
    const text = await textOf(request);
    const language = languageOf(text);
    const { stored } = request;
    for (const segment of encodeInSteps(inputWithText(request, text), analyzer)) {
      if (segment !== null && stored === undefined)
        run.sendPart(segment, [segment.data.buffer as ArrayBuffer]);
      else if (segment !== null) {
        const part = placed(segment);
        run.sendPart(part, [part.data.buffer, part.places.buffer]);
      }
      if (run.due) await run.pause();
    }
    return language;
  };
});
