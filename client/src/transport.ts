/** One request: address and key, retries, and the parsing of the response. */
import { DossierError, errorOf, retryAfterOf } from "./errors.js";
import { Deadline, pause } from "./signals.js";

/** The part of `fetch` that the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface DossierOptions {
  /**
   * The address of the server: `http://127.0.0.1:4780`, including the path before `/api`, if any.
   */
  readonly baseUrl: string;
  /** An API key: `dsk_…`. */
  readonly key: string;
  /** A replacement for the platform's `fetch`. */
  readonly fetch?: Fetch;
  /** The number of retries, where they are safe. Default 3; 0 disables them. */
  readonly retries?: number;
  /** The longest wait before a retry, in milliseconds. Default 60,000. */
  readonly retryDelayMax?: number;
  /** Time limit for one attempt including the response body, in milliseconds. Default 120,000. */
  readonly timeout?: number;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The last parameter of every call. */
export interface CallOptions {
  /** Aborts the call; for `ask` it also cancels the answer on the server. */
  readonly signal?: AbortSignal;
  /** Such as `Prefer`, `Range`, `Last-Event-ID`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Overrides the client's own. */
  readonly timeout?: number;
  readonly retries?: number;
}

export interface Call {
  readonly method: string;
  /** Below `/api/dev/v1`. */
  readonly path: string;
  readonly query?: object | undefined;
  /**
   * An object is sent as JSON, or as a form if it contains files; forms and `Streamed` unchanged.
   */
  readonly body?: unknown;
  /** Whether it may be retried: it changes nothing, or is idempotent. Default: by method. */
  readonly isSafe?: boolean;
}

/** Creates the body for each attempt; null: it can be sent only once. */
export interface Streamed {
  readonly contentType: string;
  readonly open: () => ReadableStream<Uint8Array>;
  readonly isRepeatable: boolean;
}

const prefix = "/api/dev/v1";
const safe_methods: ReadonlySet<string> = new Set(["GET", "HEAD", "PUT", "DELETE"]);
/** The server did not start processing: it says when to retry. */
const not_begun: ReadonlySet<number> = new Set([429, 503]);
/** A proxy lost the connection to the server, which may have processed the request. */
const lost: ReadonlySet<number> = new Set([502, 503, 504, 429]);
const first_delay_ms = 250;

type Read<T> = (response: Response, deadline: Deadline) => Promise<T>;

export class Transport {
  private readonly base: string;
  private readonly fetch: Fetch;

  constructor(private readonly options: DossierOptions) {
    if (!URL.canParse(options.baseUrl))
      throw new TypeError(`baseUrl is not an address: ${String(options.baseUrl)}`);
    if (typeof options.key !== "string" || options.key === "")
      throw new TypeError("key is missing: an API key, dsk_…");
    this.base = options.baseUrl.replace(/\/+$/, "").replace(/\/api\/dev(\/v1)?$/, "");
    this.fetch = options.fetch ?? ((url, init) => fetch(url, init));
  }

  urlOf({ path, query = {} }: Pick<Call, "path" | "query">): string {
    const url = new URL(`${this.base}${prefix}${path}`);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined && value !== null) url.searchParams.set(name, String(value));
    return url.href;
  }

  /** @throws DossierError; the reason of the signal when it has fired. */
  async json<T>(call: Call, options: CallOptions = {}): Promise<T> {
    return this.tried(call, options, async (response, deadline) => {
      const value = (await parsed(response)) as T;
      deadline.end();
      return value;
    });
  }

  /** The raw response, to be read by the caller without a time limit. */
  async raw(call: Call, options: CallOptions = {}): Promise<Response> {
    return this.tried(call, options, async (response, deadline) => {
      deadline.stopClock();
      return response;
    });
  }

  headersOf(more: Readonly<Record<string, string>> = {}): Record<string, string> {
    const { key, headers } = this.options;
    return { ...headers, authorization: `Bearer ${key}`, ...more };
  }

  private async tried<T>(call: Call, options: CallOptions, read: Read<T>): Promise<T> {
    const retries = options.retries ?? this.options.retries ?? 3;
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.once(call, options, read);
      } catch (error) {
        if (attempt > 0 && call.method === "DELETE" && isGone(error)) return undefined as T;
        const delay = attempt < retries ? this.delayAfter(error, call, attempt) : null;
        if (delay === null) throw error;
        await pause(delay, options.signal);
      }
    }
  }

  private async once<T>(
    call: Call,
    { signal, headers, timeout = this.options.timeout ?? 120_000 }: CallOptions,
    read: Read<T>,
  ): Promise<T> {
    signal?.throwIfAborted();
    const deadline = new Deadline(signal, timeout);
    try {
      const { body, ...sent } = bodyOf(call.body);
      const response = await this.fetch(this.urlOf(call), {
        method: call.method,
        headers: this.headersOf({ ...sent.headers, ...headers }),
        signal: deadline.signal,
        ...(body !== undefined && { body }),
        ...(sent.is_stream && ({ duplex: "half" } as object)),
      });
      if (!response.ok && response.status !== 304) throw await errorOf(response);
      return await read(response, deadline);
    } catch (error) {
      deadline.end();
      if (error instanceof DossierError) throw error;
      signal?.throwIfAborted();
      if (deadline.isOver)
        throw new DossierError(`There was no answer within ${timeout} ms.`, {
          code: "timeout",
          cause: error,
        });
      const why = error instanceof Error ? error.message : String(error);
      throw new DossierError(`The server could not be reached: ${why}`, {
        code: "unreachable",
        cause: error,
      });
    }
  }

  /** In milliseconds; null if it must not be retried. */
  private delayAfter(
    error: unknown,
    { method, isSafe, body }: Call,
    attempt: number,
  ): number | null {
    if (!(error instanceof DossierError) || !isRepeatable(body)) return null;
    const { status, retryAfter, code } = error;
    const delay_max = this.options.retryDelayMax ?? 60_000;
    if (not_begun.has(status) && retryAfter !== null)
      return retryAfter <= delay_max ? retryAfter : null;
    if (!(isSafe ?? safe_methods.has(method))) return null;
    if (code !== "unreachable" && code !== "timeout" && !lost.has(status)) return null;
    // Randomised, so that clients cut off by the same restart don't all return at once.
    return Math.min(delay_max, first_delay_ms * 2 ** attempt) * (0.5 + Math.random() / 2);
  }
}

const isGone = (error: unknown): boolean => error instanceof DossierError && error.status === 404;

async function parsed(response: Response): Promise<unknown> {
  if (response.status === 204 || response.status === 304) return undefined;
  const type = response.headers.get("content-type") ?? "";
  const text = await response.text();
  if (!/\bjson\b/.test(type)) return text;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new DossierError("The answer is not the JSON that it says it is.", {
      code: "bad_answer",
      status: response.status,
      requestId: response.headers.get("x-request-id"),
      retryAfter: retryAfterOf(response.headers),
      cause,
    });
  }
}

interface SentBody {
  readonly body?: NonNullable<RequestInit["body"]>;
  readonly headers: Record<string, string>;
  readonly is_stream?: boolean;
}

function bodyOf(body: unknown): SentBody {
  if (body === undefined) return { headers: {} };
  if (isStreamed(body))
    return { body: body.open(), headers: { "content-type": body.contentType }, is_stream: true };
  if (body instanceof FormData) return { body, headers: {} };
  const form = formOf(body);
  if (form) return { body: form, headers: {} };
  return { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
}

const isStreamed = (body: unknown): body is Streamed =>
  typeof body === "object" && body !== null && "open" in body && "isRepeatable" in body;
const isRepeatable = (body: unknown): boolean => !isStreamed(body) || body.isRepeatable;

/** A form if one of the fields is a file, or a list of files. */
function formOf(body: unknown): FormData | null {
  const fields = Object.entries(body as object).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((item: unknown) => [name, item] as const),
  );
  if (!fields.some(([, value]) => value instanceof Blob)) return null;
  const form = new FormData();
  for (const [name, value] of fields)
    if (value instanceof Blob) form.append(name, value);
    else if (value !== undefined && value !== null) form.append(name, String(value));
  return form;
}
