/** Sends long texts to a client, reading and encoding them on the way. */
import { nextTurn } from "../../../core/lib/chunked-work";
import { pullStream } from "../../../core/sdk";

/** The bytes of a text that is its own original: UTF-8, with the interface of a `Blob`. */
export class TextBytes {
  /** `open` starts reading it. */
  constructor(private readonly open: () => AsyncGenerator<string>) {}

  /** The bytes from `start` to `end`, end exclusive; those before are read and skipped. */
  slice(start: number, end: number): ReadableStream<Uint8Array> {
    const parts = this.open();
    const encoder = new TextEncoder();
    let at = 0;
    const next = async (): Promise<Uint8Array | null> => {
      while (at < end) {
        const part = await parts.next();
        if (part.done) break;
        const bytes = encoder.encode(part.value);
        const from = at;
        at += bytes.length;
        if (at > start) return bytes.subarray(Math.max(0, start - from), end - from);
        await nextTurn();
      }
      return null;
    };
    return pullStream(next, () => void parts.return(undefined));
  }
}

/** A record as JSON with a long text as its last field, `content`. */
export const withContent = (record: object, parts: AsyncGenerator<string>): Response =>
  sentJson(
    // Up to the quotation mark that begins the text.
    JSON.stringify({ ...record, content: "" }).slice(0, -2),
    parts,
    (part) => JSON.stringify(part).slice(1, -1),
    '"}',
  );

/** JSON whose parts are read when the client is ready for them, between a beginning and an end. */
export function sentJson<P>(
  beginning: string,
  parts: AsyncGenerator<P>,
  jsonOf: (part: P) => string,
  end: string,
): Response {
  let ended = false;
  const next = async (): Promise<string | null> => {
    const part = await parts.next();
    if (!part.done) return jsonOf(part.value);
    if (ended) return null;
    ended = true;
    return end;
  };
  return new Response(
    pullStream(next, () => void parts.return(undefined), beginning),
    { headers: { "content-type": "application/json;charset=utf-8" } },
  );
}
