/** The worker thread that parses large bodies, one at a time; see json-thread.ts. */
import { HttpError } from "../base/errors";
import { parseJson } from "./json";
import { parseAround } from "./long-field";

declare const self: Worker;

/** A body to parse. */
export interface LargeBody {
  readonly bytes: Uint8Array;
  /** The field of an object that may contain a long text. */
  readonly long_field: string | undefined;
  /** A higher limit for the number of values. */
  readonly values_max?: number | undefined;
}
/** A parsed body. */
export interface LargeValue {
  readonly value: unknown;
  /** The UTF-8 text of that field when it is long; the field is empty then. */
  readonly long_text?: Uint8Array;
}
/** The message from the worker. */
export type Parsed =
  | LargeValue
  | { readonly problem: Pick<HttpError, "status" | "code" | "detail" | "errors"> };

const reply = (parsed: Parsed, transfer: ArrayBuffer[] = []): void =>
  self.postMessage(parsed, transfer);

const parse = ({ bytes, long_field, values_max }: LargeBody): LargeValue =>
  (long_field === undefined ? null : parseAround(bytes, long_field)) ?? {
    value: parseJson(bytes, values_max),
  };

self.addEventListener("message", ({ data }: MessageEvent<LargeBody>) => {
  try {
    const parsed = parse(data);
    reply(parsed, parsed.long_text ? [parsed.long_text.buffer as ArrayBuffer] : []);
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    const { status, code, detail, errors } = error;
    reply({ problem: { status, code, detail, errors } });
  } finally {
    // Frees the memory at once rather than at garbage collection: one body may take 80 MB.
    (data.bytes.buffer as ArrayBuffer).transfer(0);
  }
});
