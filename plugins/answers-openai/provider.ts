/**
 * One call of an OpenAI-compatible chat endpoint: what goes out, what comes back piece by piece,
 * and where it is cut.
 */
import OpenAI, { APIError } from "openai";
import { Stream } from "openai/streaming";
import { failureOfStatus, ProviderFailure } from "./failure";

export interface Message {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}
export interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
}
/** What the model wrote. `cut`: it had more to say. */
export interface Reply {
  readonly usage: Usage | null;
  readonly cut: boolean;
}
export interface CallOptions {
  readonly signal: AbortSignal;
  readonly onText: (text: string) => void;
}
export type Call = (messages: readonly Message[], options: CallOptions) => Promise<Reply>;

export interface ProviderParts {
  readonly base_url: string;
  readonly api_key: string | undefined;
  readonly model: string;
  readonly answer_tokens: number;
  /** The longest pause between two pieces of an answer. */
  readonly silence_ms: number;
}

const bytes_max = 4 * 1024 * 1024,
  characters_per_token_max = 12,
  temperature = 0.1;
/** After its last word a provider may still tell what was used; nobody waits long for that. */
const farewell_ms = 1_000;

/**
 * What not every server understands, the newest first; given up one by one when a server refuses a
 * request for it.
 */
const optional = ["stream_options", "temperature", "max_tokens", "stream"] as const;
type Optional = (typeof optional)[number];

export function createProvider(parts: ProviderParts): Call {
  const client = new OpenAI({
    baseURL: parts.base_url,
    apiKey: parts.api_key ?? "none",
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    logLevel: "off",
    fetch: fetching(parts.api_key),
  });
  const given_up = new Set<Optional>();

  function body(messages: readonly Message[]): OpenAI.ChatCompletionCreateParams {
    const { model, answer_tokens } = parts,
      has = (name: Optional) => !given_up.has(name);
    return {
      model,
      messages: [...messages],
      ...(has("temperature") && { temperature }),
      ...(has("max_tokens")
        ? { max_tokens: answer_tokens }
        : { max_completion_tokens: answer_tokens }),
      ...(has("stream") && {
        stream: true as const,
        ...(has("stream_options") && { stream_options: { include_usage: true } }),
      }),
    };
  }

  async function once(
    messages: readonly Message[],
    { signal, onText }: CallOptions,
  ): Promise<Reply> {
    const watch = watchOver(signal, parts.silence_ms);
    try {
      const response = await client.chat.completions
        .create(body(messages), { signal: watch.controller.signal })
        .asResponse();
      const characters_max = parts.answer_tokens * characters_per_token_max;
      if (/\bjson\b/i.test(response.headers.get("content-type") ?? ""))
        return await whole(response, characters_max, onText);
      return await pieces(
        Stream.fromSSEResponse<unknown>(response, watch.controller, client),
        characters_max,
        watch,
        onText,
      );
    } catch (error) {
      throw watch.reason() ?? failureOf(error);
    } finally {
      watch.end();
    }
  }

  return async function call(messages, options) {
    for (;;) {
      const before = given_up.size;
      try {
        return await once(messages, options);
      } catch (error) {
        if (error instanceof Refused) for (const name of error.names) given_up.add(name);
        if (given_up.size === before) throw error;
      }
    }
  };
}

/**
 * The request itself: no proxy of the environment, no redirect, no header but these, and an end to
 * every answer.
 */
const fetching =
  (api_key: string | undefined) =>
  async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
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
    let bytes = 0;
    const limited = response.body?.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          bytes += chunk.length;
          if (bytes > bytes_max)
            controller.error(
              new ProviderFailure("nonsense", `the provider sent more than ${bytes_max} bytes`, {
                again: false,
              }),
            );
          else controller.enqueue(chunk);
        },
      }),
    );
    return new Response(limited ?? null, {
      status: response.status < 200 ? 502 : response.status,
      headers: response.headers,
    });
  };

/**
 * Ends a call when its caller does, or when the provider falls silent in the middle of an answer.
 */
function watchOver(signal: AbortSignal, silence_ms: number) {
  const controller = new AbortController();
  const pass = () => controller.abort(signal.reason);
  let timer: ReturnType<typeof setTimeout> | undefined;
  if (signal.aborted) pass();
  else signal.addEventListener("abort", pass, { once: true });
  return {
    controller,
    /** A piece came: the next one, or the end, has so long. */
    heard(limit_ms = silence_ms) {
      clearTimeout(timer);
      timer = setTimeout(
        () =>
          controller.abort(
            new ProviderFailure(
              "unavailable",
              "the provider fell silent in the middle of an answer",
              { again: true },
            ),
          ),
        limit_ms,
      );
    },
    reason: (): unknown =>
      signal.aborted
        ? signal.reason
        : controller.signal.reason instanceof ProviderFailure
          ? controller.signal.reason
          : undefined,
    end() {
      clearTimeout(timer);
      signal.removeEventListener("abort", pass);
      controller.abort();
    },
  };
}
type Watch = ReturnType<typeof watchOver>;

async function pieces(
  stream: AsyncIterable<unknown>,
  characters_max: number,
  watch: Watch,
  onText: (text: string) => void,
): Promise<Reply> {
  let usage: Usage | null = null,
    finish: string | null = null,
    characters = 0;
  try {
    for await (const chunk of stream) {
      const choice = field(field(chunk, "choices"), 0),
        text = field(field(choice, "delta"), "content");
      watch.heard(finish === null ? undefined : farewell_ms);
      usage = usageOf(chunk) ?? usage;
      if (typeof text === "string" && text !== "") {
        characters += text.length;
        if (characters > characters_max) return { usage, cut: true };
        onText(text);
      }
      const reason = field(choice, "finish_reason");
      if (typeof reason === "string" && finish === null) {
        finish = reason;
        watch.heard(farewell_ms);
      }
      if (finish !== null && usage !== null) break;
    }
  } catch (error) {
    if (finish === null) throw error;
  }
  if (finish === null)
    throw (
      watch.reason() ??
      new ProviderFailure("unavailable", "the provider broke off in the middle of an answer", {
        again: true,
      })
    );
  return { usage, cut: finish !== "stop" };
}

/** The answer of a server that does not stream. */
async function whole(
  response: Response,
  characters_max: number,
  onText: (text: string) => void,
): Promise<Reply> {
  const body: unknown = await response.json(),
    choice = field(field(body, "choices"), 0),
    text = field(field(choice, "message"), "content");
  if (typeof text !== "string")
    throw new ProviderFailure("nonsense", "the provider's answer holds no text", { again: true });
  onText(text.slice(0, characters_max));
  return {
    usage: usageOf(body),
    cut: text.length > characters_max || field(choice, "finish_reason") === "length",
  };
}

const field = (of: unknown, key: string | number): unknown =>
  typeof of === "object" && of !== null ? (of as Record<string | number, unknown>)[key] : undefined;
function usageOf(body: unknown): Usage | null {
  const usage = field(body, "usage"),
    input = field(usage, "prompt_tokens"),
    output = field(usage, "completion_tokens");
  return isCount(input) && isCount(output) ? { input_tokens: input, output_tokens: output } : null;
}
const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0;

/** A request that the server finds wrong: it is sent again without what it may not know. */
class Refused extends ProviderFailure {
  constructor(
    failure: ProviderFailure,
    readonly names: readonly Optional[],
  ) {
    super(failure.kind, failure.message, failure.options);
  }
}

function failureOf(error: unknown): Error {
  if (error instanceof ProviderFailure) return error;
  if (error instanceof SyntaxError)
    return new ProviderFailure("nonsense", "the provider's answer can't be read", { again: true });
  if (!(error instanceof APIError) || error.status === undefined)
    return new ProviderFailure("unavailable", "the provider could not be reached, or broke off", {
      again: true,
    });
  const status = error.status as number,
    code =
      typeof error.code === "string" && /^[a-z_]{1,40}$/.test(error.code) ? error.code : undefined;
  const failure = failureOfStatus(status, code, error.headers as Headers | undefined);
  if (failure.kind !== "refused" || (status !== 400 && status !== 422)) return failure;
  const said = JSON.stringify(error.error ?? error.message),
    named = optional.filter((name) => new RegExp(`\\b${name}\\b`).test(said));
  if (named.length === 0 && /\bcontext\b|\btokens?\b/i.test(said))
    return new ProviderFailure("too_long", failure.message, failure.options);
  return new Refused(failure, named.length > 0 ? named : optional);
}
