/**
 * Worker: chunks and encodes documents, so that no request waits for it. Each segment is a part of
 * the response; the response itself is the language of the text.
 */
import type { ReadConnectionSpec } from "../../core/sdk";
import { analyzer } from "./analyzer";
import { encodeInSteps, type EncodedSegment, type EncoderRequest } from "./encoder";
import { languageOf } from "./languages";
import { serveWorker } from "./worker-server";
import type { Pauses } from "./worker-protocol";

export interface EncoderProtocol {
  readonly setting: { readonly read_connection: ReadConnectionSpec };
  readonly request: EncoderRequest;
  readonly part: EncodedSegment;
  readonly response: string | null;
}

/** UTF-16 units. Of a text that is longer nothing waits in memory for the next collection. */
const large_units_min = 2 ** 22;

serveWorker<EncoderProtocol>(({ read_connection }) => {
  // Most texts come with the request: what reads others is loaded for the first of them.
  let texts: Promise<{ read(stored: EncoderRequest["stored"], pauses: Pauses): Promise<string> }>;
  const textOf = async ({ text, stored }: EncoderRequest, pauses: Pauses): Promise<string> => {
    if (text !== null) return text;
    texts ??= import("./text-source").then(({ TextSource }) => new TextSource(read_connection));
    return (await texts).read(stored, pauses);
  };
  return async (request, run) => {
    const text = await textOf(request, run);
    const is_large = text.length > large_units_min;
    // Its parts lie beside the text until they are collected.
    if (is_large) Bun.gc(true);
    for (const segment of encodeInSteps({ ...request, text }, analyzer)) {
      if (segment !== null) run.sendPart(segment, [segment.data.buffer as ArrayBuffer]);
      if (run.due) await run.pause();
    }
    // The text goes at once too: what follows the publication wants memory of its own.
    if (is_large) setTimeout(() => Bun.gc(true));
    return languageOf(text);
  };
});
