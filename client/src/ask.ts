/** Asks a question and returns its answer, complete or as a stream. */
import { DossierError } from "./errors.js";
import { follow } from "./event-stream.js";
import type {
  Answer,
  Chat,
  Citation,
  MessageState,
  MessageStatus,
  PolledAnswer,
} from "./schema.gen.js";
import type { CallOptions, Transport } from "./transport.js";

export interface AskOptions extends CallOptions {
  /** The folders to answer from, including subfolders. Not with `sessionId`. */
  readonly folders?: readonly string[];
  /** Saved prompts to apply. Not with `sessionId`. */
  readonly prompts?: readonly string[];
  /** Continues this session, given by an earlier answer. Without it a new session is created. */
  readonly sessionId?: string;
  /** Makes the question idempotent: sent twice with the same id, it is answered once. A UUID. */
  readonly requestId?: string;
  /** `false`: the session created for this question is deleted after the answer. */
  readonly keep?: boolean;
}

export interface Asked extends Answer {
  /** To continue the session: `ask(question, { sessionId })`. */
  readonly sessionId: string;
  readonly requestId: string;
}

export type AskEvent =
  /** The question was accepted. */
  | { readonly type: "asked"; readonly sessionId: string; readonly requestId: string }
  | { readonly type: "status"; readonly status: MessageStatus }
  /** Another piece of the answer's text. */
  | { readonly type: "delta"; readonly text: string }
  | { readonly type: "citation"; readonly citation: Citation }
  | { readonly type: "done"; readonly answer: Asked };

interface Place {
  readonly sessionId: string;
  readonly requestId: string;
}

const wait_s = 25;

/** Asks, and waits for the complete answer. @throws DossierError */
export function ask(transport: Transport, question: string, options: AskOptions): Promise<Asked> {
  return answered(transport, question, options, (place) => waitFor(transport, place, options));
}

/**
 * Asks, and yields the answer as it is generated; the last event is `done`. @throws DossierError
 */
export async function* askStream(
  transport: Transport,
  question: string,
  options: AskOptions,
): AsyncGenerator<AskEvent, void, undefined> {
  const place = await begin(transport, question, options);
  let has_ended = false;
  try {
    yield { type: "asked", ...place };
    for await (const event of watch(transport, place, options)) {
      has_ended = event.type === "done";
      yield event;
    }
    has_ended = true;
  } catch (error) {
    has_ended = hasEnded(error);
    throw error;
  } finally {
    // Leaving the loop early cancels the answer.
    if (!has_ended) await cancel(transport, place);
    await leave(transport, place, options);
  }
}

async function answered(
  transport: Transport,
  question: string,
  options: AskOptions,
  wait: (place: Place) => Promise<Asked>,
): Promise<Asked> {
  const place = await begin(transport, question, options);
  try {
    return await wait(place);
  } catch (error) {
    if (!hasEnded(error)) await cancel(transport, place);
    throw error;
  } finally {
    await leave(transport, place, options);
  }
}

/** The server reported the end: there is nothing left to cancel. */
const hasEnded = (error: unknown): boolean => error instanceof DossierError && error.status !== 0;

async function begin(
  transport: Transport,
  text: string,
  { folders = [], prompts = [], sessionId, requestId, ...options }: AskOptions,
): Promise<Place> {
  const is_new = sessionId === undefined;
  const session =
    sessionId ??
    (
      await transport.json<Chat>(
        { method: "POST", path: "/chats", body: { usedFolders: folders, usedPrompts: prompts } },
        options,
      )
    ).id;
  const place = { sessionId: session, requestId: requestId ?? crypto.randomUUID() };
  try {
    // The client sets an id, so that the request can be retried: the server accepts it once.
    const sent = { method: "POST", body: { text, requestId: place.requestId }, isSafe: true };
    await transport.json<MessageState>({ ...sent, path: messagesOf(place) }, options);
  } catch (error) {
    if (!hasEnded(error)) await cancel(transport, place);
    if (is_new) await forget(transport, place);
    throw error;
  }
  return place;
}

const messagesOf = ({ sessionId }: Place): string =>
  `/chats/${encodeURIComponent(sessionId)}/messages`;
const messageOf = (place: Place): string =>
  `${messagesOf(place)}/${encodeURIComponent(place.requestId)}`;

async function waitFor(transport: Transport, place: Place, options: CallOptions): Promise<Asked> {
  const headers = { ...options.headers, prefer: `wait=${wait_s}` };
  for (;;) {
    const polled = await transport.json<PolledAnswer>(
      { method: "GET", path: messageOf(place) },
      { ...options, headers },
    );
    if (polled.status === "COMPLETED") return { ...polled.result, ...place };
  }
}

/** The events of a message that was already sent, from its beginning. @throws DossierError */
export async function* watch(
  transport: Transport,
  place: Place,
  options: CallOptions,
): AsyncGenerator<AskEvent, void, undefined> {
  try {
    for await (const { event, data } of follow(
      transport,
      { path: `${messageOf(place)}/stream` },
      options,
    )) {
      const answer_event = eventOf(event, parsed(data), place);
      if (answer_event) yield answer_event;
      if (answer_event?.type === "done") return;
    }
  } catch (error) {
    // Too many streams are open: fall back to waiting for the answer.
    const is_busy = error instanceof DossierError && (error.status === 429 || error.status === 503);
    if (!is_busy) throw error;
  }
  yield { type: "done", answer: await waitFor(transport, place, options) };
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch (cause) {
    throw new DossierError("An event of the answer is not JSON.", { code: "bad_answer", cause });
  }
}

/** Null for event types of later servers. @throws DossierError when it failed. */
function eventOf(event: string, data: unknown, place: Place): AskEvent | null {
  switch (event) {
    case "status":
      return { type: "status", status: (data as { status: MessageStatus }).status };
    case "delta":
      return { type: "delta", text: (data as { text: string }).text };
    case "citation":
      return { type: "citation", citation: data as Citation };
    case "done":
      return { type: "done", answer: { ...(data as Answer), ...place } };
    case "error": {
      const { code, message } = data as { code?: string; message?: string };
      throw new DossierError(message ?? "The answer failed.", {
        code: code ?? "answer_failed",
        status: 500,
      });
    }
    default:
      return null;
  }
}

/** Cancels an answer whose caller has left; it may have ended already. */
const cancel = (transport: Transport, place: Place): Promise<void> =>
  unanswered(transport, { method: "POST", path: `${messageOf(place)}/cancel` });

const forget = (transport: Transport, { sessionId }: Place): Promise<void> =>
  unanswered(transport, {
    method: "DELETE",
    path: `/chats/${encodeURIComponent(sessionId)}`,
    query: { permanent: true },
  });

async function leave(transport: Transport, place: Place, options: AskOptions): Promise<void> {
  if (options.keep === false && options.sessionId === undefined) await forget(transport, place);
}

async function unanswered(
  transport: Transport,
  call: { readonly method: string; readonly path: string; readonly query?: object },
): Promise<void> {
  await transport.json(call, { retries: 1, timeout: 10_000 }).catch(() => {});
}
