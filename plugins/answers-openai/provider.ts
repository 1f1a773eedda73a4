/**
 * Calls an OpenAI-compatible chat endpoint: sends the prompt, receives the text piece by piece, and
 * stops it at the limits.
 */
import OpenAI, { APIError } from "openai";
import { Stream } from "openai/streaming";
import { failureOfStatus, ProviderFailure } from "./failure";

/** A message of the conversation. */
export interface Message {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}
/** The tokens of a call. */
export interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
}
/** The result once the model has finished. */
export interface Reply {
  readonly usage: Usage | null;
  /** The model was cut off. */
  readonly cut: boolean;
}
/** Options of one call. */
export interface CallOptions {
  readonly signal: AbortSignal;
  /** The maximum length. Default: that of an answer. */
  readonly tokens_max?: number;
  readonly onText: (text: string) => void;
}
/** Lets the model write; its text is passed to `onText`. @throws ProviderFailure */
export type ChatCompletion = (messages: readonly Message[], options: CallOptions) => Promise<Reply>;

/** The endpoint and its limits. */
export interface ProviderOptions {
  readonly base_url: string;
  readonly api_key: string | undefined;
  readonly model: string;
  readonly answer_tokens: number;
  /** The longest pause between two pieces of an answer. */
  readonly silence_ms: number;
  /** The longest time until the first word, if words are streamed. */
  readonly first_word_ms: number;
}

const bytes_max = 4 * 1024 * 1024;
const characters_per_token_max = 12;
const temperature = 0.1;
/** After the last word a provider may still send the usage; it is not waited for any longer. */
const usage_wait_ms = 1_000;

/** Parameters that not every server supports, newest first: dropped when a server rejects them. */
const optional_parameters = ["stream_options", "temperature", "max_tokens", "stream"] as const;
type OptionalParameter = (typeof optional_parameters)[number];

/** Calls the model. */
export class Provider {
  private readonly client: OpenAI;
  private readonly characters_max: number;
  private readonly dropped = new Set<OptionalParameter>();

  constructor(private readonly options: ProviderOptions) {
    this.characters_max = options.answer_tokens * characters_per_token_max;
    this.client = new OpenAI({
      baseURL: options.base_url,
      apiKey: options.api_key ?? "none",
      adminAPIKey: null,
      organization: null,
      project: null,
      webhookSecret: null,
      maxRetries: 0,
      logLevel: "off",
      fetch: (url, init) => fetchDirectly(url, init, options.api_key),
    });
  }

  /** Retries without the parameters that the server rejects. @throws ProviderFailure */
  async complete(messages: readonly Message[], options: CallOptions): Promise<Reply> {
    for (;;) {
      const before = this.dropped.size;
      try {
        return await this.request(messages, options);
      } catch (error) {
        if (error instanceof RefusedParameters)
          for (const name of error.names) this.dropped.add(name);
        if (this.dropped.size === before) throw error;
      }
    }
  }

  private async request(
    messages: readonly Message[],
    { signal, onText, tokens_max }: CallOptions,
  ): Promise<Reply> {
    const { silence_ms, first_word_ms } = this.options;
    const streams = !this.dropped.has("stream");
    using silence = new SilenceLimit(signal, silence_ms, streams ? first_word_ms : null);
    try {
      const response = await this.client.chat.completions
        .create(this.body(messages, tokens_max), { signal: silence.controller.signal })
        .asResponse();
      if (/\bjson\b/i.test(response.headers.get("content-type") ?? ""))
        return await readWhole(response, this.characters_max, onText);
      const stream = Stream.fromSSEResponse<unknown>(response, silence.controller, this.client);
      return await readStream(stream, this.characters_max, silence, onText);
    } catch (error) {
      throw silence.reason() ?? failureOf(error);
    }
  }

  private body(
    messages: readonly Message[],
    tokens_max = this.options.answer_tokens,
  ): OpenAI.ChatCompletionCreateParams {
    const { model } = this.options;
    const has = (name: OptionalParameter) => !this.dropped.has(name);
    return {
      model,
      messages: [...messages],
      ...(has("temperature") && { temperature }),
      ...(has("max_tokens") ? { max_tokens: tokens_max } : { max_completion_tokens: tokens_max }),
      ...(has("stream") && {
        stream: true as const,
        ...(has("stream_options") && { stream_options: { include_usage: true } }),
      }),
    };
  }
}

/**
 * The request itself: no proxy of the environment, no redirect, no other headers, and a limited
 * response size.
 */
async function fetchDirectly(
  url: string | URL | Request,
  init: RequestInit | undefined,
  api_key: string | undefined,
): Promise<Response> {
  const response = await fetch(url, {
    ...init,
    redirect: "manual",
    proxy: false,
    headers: {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      ...(api_key !== undefined && { authorization: `Bearer ${api_key}` }),
    },
  } as RequestInit);
  return new Response(response.body?.pipeThrough(sizeLimit()) ?? null, {
    status: response.status < 200 ? 502 : response.status,
    headers: response.headers,
  });
}

function sizeLimit(): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes > bytes_max)
        controller.error(
          new ProviderFailure("unusable", `the provider sent more than ${bytes_max} bytes`, {
            retryable: false,
          }),
        );
      else controller.enqueue(chunk);
    },
  });
}

/**
 * Ends a call when the caller does, when no word arrives, or when the provider falls silent in the
 * middle of an answer. Dispose of it when the call is over.
 */
class SilenceLimit implements Disposable {
  readonly controller = new AbortController();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly caller: AbortSignal,
    private readonly silence_ms: number,
    first_word_ms: number | null,
  ) {
    if (first_word_ms !== null)
      this.timer = setTimeout(() => this.controller.abort(wordless(first_word_ms)), first_word_ms);
    if (caller.aborted) this.follow();
    else caller.addEventListener("abort", this.follow, { once: true });
  }

  /** A piece has arrived: the next one, or the end, has this much time. */
  restart(limit_ms = this.silence_ms): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.controller.abort(silent()), limit_ms);
  }

  /** Why the call was ended, if by this limit. */
  reason(): unknown {
    if (this.caller.aborted) return this.caller.reason;
    const { reason } = this.controller.signal;
    return reason instanceof ProviderFailure ? reason : undefined;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.timer);
    this.caller.removeEventListener("abort", this.follow);
    this.controller.abort();
  }

  private readonly follow = (): void => this.controller.abort(this.caller.reason);
}

const silent = (): ProviderFailure =>
  new ProviderFailure("unavailable", "the provider stopped sending in the middle of an answer", {
    retryable: true,
  });

const wordless = (first_word_ms: number): ProviderFailure =>
  new ProviderFailure(
    "slow",
    `the provider sent nothing within answers.first_word_timeout (${first_word_ms / 1_000} s)`,
    { retryable: false },
  );

async function readStream(
  stream: AsyncIterable<unknown>,
  characters_max: number,
  silence: SilenceLimit,
  onText: (text: string) => void,
): Promise<Reply> {
  let usage: Usage | null = null;
  let finish: string | null = null;
  let characters = 0;
  /** An empty first piece does not count: some servers send it before they read the question. */
  let begun = false;
  try {
    for await (const chunk of stream) {
      const choice = field(field(chunk, "choices"), 0);
      const delta = field(choice, "delta");
      const text = field(delta, "content");
      begun ||= finish === null && writesSomething(delta);
      if (begun || finish !== null) silence.restart(finish === null ? undefined : usage_wait_ms);
      usage = usageOf(chunk) ?? usage;
      if (typeof text === "string" && text !== "") {
        characters += text.length;
        if (characters > characters_max) return { usage, cut: true };
        onText(text);
      }
      const reason = field(choice, "finish_reason");
      if (typeof reason === "string" && finish === null) {
        finish = reason;
        silence.restart(usage_wait_ms);
      }
      if (finish !== null && usage !== null) break;
    }
  } catch (error) {
    if (finish === null) throw error;
  }
  if (finish === null)
    throw (
      silence.reason() ??
      new ProviderFailure(
        "unavailable",
        "the provider closed the connection in the middle of an answer",
        {
          retryable: true,
        },
      )
    );
  return { usage, cut: finish !== "stop" };
}

/** Text, or a thought that is sent separately. */
const writesSomething = (delta: unknown): boolean =>
  ["content", "reasoning_content", "reasoning"].some((name) => {
    const text = field(delta, name);
    return typeof text === "string" && text !== "";
  });

/** The response of a server that does not stream. */
async function readWhole(
  response: Response,
  characters_max: number,
  onText: (text: string) => void,
): Promise<Reply> {
  const body: unknown = await response.json();
  const choice = field(field(body, "choices"), 0);
  const text = field(field(choice, "message"), "content");
  if (typeof text !== "string")
    throw new ProviderFailure("unusable", "the provider's response contains no text", {
      retryable: true,
    });
  onText(text.slice(0, characters_max));
  return {
    usage: usageOf(body),
    cut: text.length > characters_max || field(choice, "finish_reason") === "length",
  };
}

const field = (value: unknown, key: string | number): unknown =>
  typeof value === "object" && value !== null
    ? (value as Record<string | number, unknown>)[key]
    : undefined;
function usageOf(body: unknown): Usage | null {
  const usage = field(body, "usage");
  const input = field(usage, "prompt_tokens");
  const output = field(usage, "completion_tokens");
  return isCount(input) && isCount(output) ? { input_tokens: input, output_tokens: output } : null;
}
const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0;

/** The server rejected the request: it is sent again without these parameters. */
class RefusedParameters extends ProviderFailure {
  constructor(
    failure: ProviderFailure,
    readonly names: readonly OptionalParameter[],
  ) {
    super(failure.kind, failure.message, failure.options);
  }
}

function failureOf(error: unknown): Error {
  if (error instanceof ProviderFailure) return error;
  if (error instanceof SyntaxError)
    return new ProviderFailure("unusable", "the provider's response can't be read", {
      retryable: true,
    });
  if (!(error instanceof APIError) || error.status === undefined)
    return new ProviderFailure(
      "unavailable",
      "the provider could not be reached, or closed the connection",
      {
        retryable: true,
      },
    );
  const status = error.status as number;
  const code =
    typeof error.code === "string" && /^[a-z_]{1,40}$/.test(error.code) ? error.code : undefined;
  const failure = failureOfStatus(status, code, error.headers as Headers | undefined);
  if (failure.kind !== "refused" || (status !== 400 && status !== 422)) return failure;
  const details = JSON.stringify(error.error ?? error.message);
  const named = optional_parameters.filter((name) => new RegExp(`\\b${name}\\b`).test(details));
  if (named.length === 0 && /\bcontext\b|\btokens?\b/i.test(details))
    return new ProviderFailure("too_long", failure.message, failure.options);
  return new RefusedParameters(failure, named.length > 0 ? named : optional_parameters);
}
