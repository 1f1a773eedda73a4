/**
 * Keeps what is on screen up to date. One tab of the browser holds the event stream and tells the
 * others, because a browser opens only six connections to one server; when the stream is gone, the
 * visible tab polls every three seconds.
 */
import { api_base } from "../api/client";
import { changed_messages, queries, refresh } from "../api/queries";
import { setUser } from "./session";

/** A record of the user has changed. */
export interface Change {
  readonly kind: string;
  readonly id: string;
  readonly folder_id?: string | null;
  readonly action: "created" | "changed" | "deleted";
}

/** Kinds of records that become stale along with another kind. */
const related_kinds: Readonly<Record<string, readonly string[]>> = {
  document: ["folder"],
  message: ["chat"],
  delivery: ["webhook"],
  folder: ["document"],
  job: ["system"],
  session: ["account-session"],
};

const gather_ms = 600;
const poll_ms = 3_000;
const alive_ms = 5_000;
/** Browsers throttle the timers of a hidden tab to one a minute. */
const silence_max_ms = 75_000;

type Message =
  | { readonly type: "change"; readonly change: Change; readonly id: string }
  | { readonly type: "refetch" }
  | { readonly type: "signed_out" }
  | { readonly type: "alive"; readonly streaming: boolean };

const listeners = new Set<(change: Change) => void>();

/** Calls `listener` with every change. Returns a function that unsubscribes it. */
export function onChange(listener: (change: Change) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const stale_kinds = new Set<string>();
let refresh_timer: ReturnType<typeof setTimeout> | undefined;

/** The id of the newest change seen: a tab that takes over the stream resumes after it. */
let last_id = "";

/**
 * Marks a kind of record as stale. Changes come in bursts, so everything is refetched once, a
 * moment later.
 */
export function refreshSoon(kind: string): void {
  for (const name of [kind, ...(related_kinds[kind] ?? [])]) stale_kinds.add(name);
  refresh_timer ??= setTimeout(() => {
    refresh_timer = undefined;
    void refresh(...stale_kinds);
    stale_kinds.clear();
  }, gather_ms);
}

function refetchAll(): void {
  changed_messages.add("all");
  queries.removeQueries({ queryKey: ["message"], type: "inactive" });
  void queries.invalidateQueries({
    predicate: ({ queryKey }) => queryKey[0] !== "session" && queryKey[0] !== "plugin-page",
  });
}

function receive(message: Message): void {
  if (message.type === "refetch") return refetchAll();
  if (message.type === "signed_out") return setUser(null);
  if (message.type !== "change") return;
  last_id = message.id;
  if (message.change.kind === "message") changed_messages.add(message.change.id);
  refreshSoon(message.change.kind);
  for (const listener of listeners) listener(message.change);
}

/**
 * Keeps the stream open until `signal` fires. `broadcast` receives its events, `onStreaming` learns
 * whether it is open.
 */
function holdStream(
  broadcast: (message: Message) => void,
  onStreaming: (streaming: boolean) => void,
  signal: AbortSignal,
): void {
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let source: EventSource | undefined;
  const open = () => {
    source = new EventSource(
      `${api_base}/changes${last_id && `?last_event_id=${encodeURIComponent(last_id)}`}`,
    );
    source.addEventListener("open", () => {
      failures = 0;
      onStreaming(true);
    });
    source.addEventListener("ready", ({ lastEventId }: MessageEvent<string>) => {
      last_id = lastEventId;
    });
    source.addEventListener("change", ({ data, lastEventId }: MessageEvent<string>) =>
      broadcast({ type: "change", change: JSON.parse(data) as Change, id: lastEventId }),
    );
    source.addEventListener("reset", ({ lastEventId }: MessageEvent<string>) => {
      last_id = lastEventId;
      broadcast({ type: "refetch" });
    });
    source.addEventListener("closed", () => {
      source?.close();
      broadcast({ type: "signed_out" });
    });
    source.addEventListener("error", () => {
      failures += 1;
      if (failures >= 2) onStreaming(false);
      if (source?.readyState !== EventSource.CLOSED) return;
      // The server refused the stream, and the browser does not reconnect by itself.
      onStreaming(false);
      timer = setTimeout(open, Math.min(30_000, 1_000 * 2 ** failures));
    });
  };
  open();
  signal.addEventListener(
    "abort",
    () => {
      clearTimeout(timer);
      source?.close();
    },
    { once: true },
  );
}

/** Starts the updates. Returns a function that stops them, for sign-out. */
export function startLive(): () => void {
  const stopping = new AbortController();
  const { signal } = stopping;
  const channel = new BroadcastChannel("dossier.live");
  let streaming = true;
  let message_at = Date.now();
  let is_leader = false;
  const broadcast = (message: Message) => {
    channel.postMessage(message);
    receive(message);
  };
  channel.addEventListener("message", ({ data }: MessageEvent<Message>) => {
    message_at = Date.now();
    if (data.type === "alive") streaming = data.streaming;
    else receive(data);
  });
  const lead = () => {
    is_leader = true;
    holdStream(
      broadcast,
      (is_open) => {
        streaming = is_open;
        channel.postMessage({ type: "alive", streaming } satisfies Message);
      },
      signal,
    );
    return new Promise<void>((resolve) =>
      signal.addEventListener("abort", () => resolve(), { once: true }),
    );
  };
  // The lock API exists on HTTPS and localhost only; elsewhere every tab has its own stream.
  if (navigator.locks)
    navigator.locks.request("dossier.live", { signal }, lead).catch(() => undefined);
  else void lead();
  const alive_timer = setInterval(() => {
    if (is_leader) channel.postMessage({ type: "alive", streaming } satisfies Message);
  }, alive_ms);
  const poll_timer = setInterval(() => {
    const is_leader_silent = !is_leader && Date.now() - message_at > silence_max_ms;
    if (!document.hidden && (is_leader_silent || !streaming)) refetchAll();
  }, poll_ms);
  return () => {
    clearInterval(alive_timer);
    clearInterval(poll_timer);
    stopping.abort();
    channel.close();
  };
}
