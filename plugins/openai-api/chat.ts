/**
 * `/v1/chat/completions`: takes a conversation and answers its last question from the documents.
 */
import {
  badRequest,
  HttpError,
  pullStream,
  route,
  t,
  type Context,
  type HandlersOf,
} from "../../core/sdk";
import type { AnswerResult, DirectAnswer, DirectAnswers } from "../chats/contract";
import { epoch_s } from "../client/contract";
import { Maybe } from "./maybe";
import { CompletionChunks, completionOf, event } from "./completion";
import { conversationOf, Message, messages_max } from "./conversation";
import { folderOf } from "./models";
import { problemEvent } from "./problems";
import { keepAliveJson } from "./keep-alive-json";

/** Limit for the whole conversation. */
const body_bytes_max = 4 * 2 ** 20;
/** How often a silent stream sends a keep-alive. */
const heartbeat_ms = 15_000;

const Body = t.Object({
  model: t.String({ maxLength: 600, description: "A folder's id or name, or `dossier`." }),
  messages: t.Array(Message, { minItems: 1, maxItems: messages_max }),
  stream: Maybe(t.Boolean()),
  stream_options: Maybe(t.Object({ include_usage: Maybe(t.Boolean()) })),
  n: Maybe(t.Integer()),
  response_format: Maybe(t.Object({ type: t.String() })),
});

export const chatRoutes = {
  complete: route.post("/v1/chat/completions", {
    summary: "Answer a conversation",
    tag: "OpenAI",
    operation: "openAiCreateChatCompletion",
    surface: "openai",
    scope: "read",
    body: Body,
    body_bytes_max,
    answers: {
      200: {
        description: "The answer; with `stream`, its pieces as server-sent events.",
        schema: t.Object({ id: t.String() }, { additionalProperties: true }),
      },
    },
  }),
};

/** What the routes need besides `Context`. */
export interface ChatRoutesContext extends Pick<Context, "newId" | "now_ms" | "public_url"> {
  readonly direct: DirectAnswers;
}

export const chatHandlers = ({
  direct,
  newId,
  now_ms,
  public_url,
}: ChatRoutesContext): HandlersOf<typeof chatRoutes> => ({
  complete: async (call) => {
    const { body, caller, request, stopping } = call;
    refuseUnsupported(body);
    const { pointer, ...conversation } = conversationOf(body.messages);
    const folder = await folderOf(call, body.model);
    const left = new AbortController();
    const signal = AbortSignal.any([request.signal, stopping, left.signal]);
    const head = {
      id: newId("chatcmpl").replace("_", "-"),
      model: body.model,
      created: epoch_s(now_ms()),
      public_url: public_url(),
    };
    const pieces = new Pieces();
    const answer = await direct.begin(caller.owner_id, {
      ...conversation,
      folder_ids: folder && [folder.id],
      pointers: { text: pointer, folder_ids: "/model" },
      signal,
      ...(body.stream && { emit: (text: string) => pieces.add(text) }),
    });
    if (!body.stream)
      return keepAliveJson(
        answer.result.then((result) => completionOf(head, result), readable),
        () => left.abort(),
      );
    const include_usage = body.stream_options?.include_usage ?? false;
    return streamOf(answer, pieces, new CompletionChunks(head, { include_usage }), () =>
      left.abort(),
    );
  },
});

/** Refuses options that can't be honoured. @throws HttpError 400 */
function refuseUnsupported({
  n,
  response_format,
}: {
  readonly n?: number | null;
  readonly response_format?: { readonly type: string } | null;
}): void {
  if (n !== undefined && n !== null && n !== 1)
    throw badRequest(
      "Only one answer per question is supported: `n` must be 1.",
      "/n",
      "unsupported_value",
    );
  if (response_format && response_format.type !== "text")
    throw badRequest(
      "Only text answers are supported: `response_format.type` must be `text`.",
      "/response_format/type",
      "unsupported_value",
    );
}

/** An error during generation as a sentence; the reason of a signal is returned unchanged. */
function readable(error: unknown): never {
  if (error instanceof HttpError || !(error instanceof Error) || error.name === "AbortError")
    throw error;
  throw new HttpError(500, "answer_failed", error.message);
}

/** Buffers pieces of an answer until they are taken. */
class Pieces {
  private text = "";
  private onWake = () => {};

  add(text: string): void {
    this.text += text;
    this.wake();
  }

  flush(): string {
    const text = this.text;
    this.text = "";
    return text;
  }

  wake(): void {
    this.onWake();
  }

  /** Resolves with true when there is something to take, and with false after `ms`. */
  async wait(ms: number): Promise<boolean> {
    if (this.text !== "") return true;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.onWake = () => resolve(true);
    const timer = setTimeout(() => resolve(false), ms);
    return promise.finally(() => clearTimeout(timer));
  }
}

function streamOf(
  direct: DirectAnswer,
  pieces: Pieces,
  chunks: CompletionChunks,
  close: () => void,
): Response {
  let ending: string | undefined;
  let is_over = false;
  const end = (last: string): void => {
    ending = last;
    pieces.wake();
  };
  void direct.result.then(
    (result: AnswerResult) => end(chunks.end(result)),
    (error: unknown) => end(failure(error)),
  );
  const next = async (): Promise<string | null> => {
    for (;;) {
      if (is_over) return null;
      if (ending !== undefined) {
        is_over = true;
        return ending;
      }
      const text = chunks.text(pieces.flush());
      if (text !== "") return text;
      if (!(await pieces.wait(heartbeat_ms))) return ": still at work\n\n";
    }
  };
  return new Response(pullStream(next, close, chunks.first()), {
    headers: stream_headers,
  });
}

/** No proxy may store, change or buffer the stream. */
const stream_headers = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
};

function failure(error: unknown): string {
  try {
    return readable(error);
  } catch (caught) {
    const shown =
      caught instanceof HttpError
        ? caught
        : new HttpError(500, "internal_error", "The answer was cut off.");
    return event(problemEvent(shown));
  }
}
