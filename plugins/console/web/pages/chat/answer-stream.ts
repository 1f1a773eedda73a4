/**
 * Follows an answer while it is generated: by its event stream, or by polling if streams don't get
 * through.
 */
import { useEffect, useState } from "preact/hooks";
import { api, ApiProblem, apiUrl } from "../../api/client";
import { refresh } from "../../api/queries";
import type { Citation, MessageResult, MessageStatus } from "../../api/chats";

/** What has arrived of an answer. */
export interface PartialAnswer {
  readonly status: MessageStatus;
  readonly text: string;
  readonly citations: readonly Citation[];
  /** The complete answer, once it exists. */
  readonly result: MessageResult | null;
}
type Poll = { readonly status: MessageStatus; readonly result?: MessageResult };

const initial: PartialAnswer = { status: "PENDING", text: "", citations: [], result: null };
/** After this many broken connections in a row it falls back to polling. */
const breaks_max = 3;
const poll_wait_s = 20;
const poll_pause_ms = 2_000;

/** The answer so far. The messages of the chat are refetched when it has ended. */
export function useAnswerStream(chat_id: string, request_id: string): PartialAnswer {
  const [partial, setPartial] = useState(initial);
  useEffect(() => watch(chat_id, request_id, setPartial), [chat_id, request_id]);
  return partial;
}

function watch(
  chat_id: string,
  request_id: string,
  onPartial: (partial: PartialAnswer) => void,
): () => void {
  const path = `/chats/${chat_id}/messages/${request_id}`;
  const ended = new AbortController();
  let current = initial;
  let frame = 0;
  let breaks = 0;
  const change = (change: Partial<PartialAnswer>) => {
    current = { ...current, ...change };
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      onPartial(current);
    });
  };
  const end = () => {
    ended.abort();
    void refresh("message", "chat");
  };
  const stream = new EventSource(apiUrl(`${path}/stream`));
  const onEvent = <T>(event: string, handle: (data: T) => void) =>
    stream.addEventListener(event, (message) => {
      breaks = 0;
      handle(JSON.parse((message as MessageEvent<string>).data) as T);
    });
  onEvent<{ status: MessageStatus }>("status", ({ status }) =>
    change({ status, text: "", citations: [] }),
  );
  onEvent<{ text: string }>("delta", ({ text }) => change({ text: current.text + text }));
  onEvent<Citation>("citation", (citation) =>
    change({ citations: [...current.citations, citation] }),
  );
  onEvent<MessageResult>("done", (result) => {
    change({ status: "COMPLETED", result });
    end();
  });
  stream.addEventListener("error", (event) => {
    // The server's own `error` event has data, that of a broken connection has none.
    if (event instanceof MessageEvent) return end();
    if (stream.readyState !== EventSource.CLOSED && ++breaks < breaks_max) return;
    stream.close();
    void poll(path, change, ended.signal).then((has_ended) => {
      if (has_ended) end();
    });
  });
  ended.signal.addEventListener("abort", () => stream.close());
  return () => {
    ended.abort();
    cancelAnimationFrame(frame);
  };
}

/** Polls until the answer has ended and returns true; false when `signal` fired before. */
async function poll(
  path: string,
  change: (change: Partial<PartialAnswer>) => void,
  signal: AbortSignal,
): Promise<boolean> {
  while (!signal.aborted) {
    try {
      const { status, result } = await api<Poll>(path, {
        headers: { prefer: `wait=${poll_wait_s}` },
        signal,
      });
      change({
        status,
        ...(result && { result, text: result.answer, citations: result.citations }),
      });
      if (result) return true;
    } catch (error) {
      if (signal.aborted) return false;
      if (
        error instanceof ApiProblem &&
        error.status !== 0 &&
        error.status !== 429 &&
        error.status < 502
      )
        return true;
      await new Promise((resolve) => setTimeout(resolve, poll_pause_ms));
    }
  }
  return false;
}
