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

const waiting = new Set<string>();
let gathering: ReturnType<typeof setTimeout> | undefined;

/** The id of the newest change seen: a tab that takes over the stream resumes after it. */
let last_id = "";

/**
 * Marks a kind of record as stale. Changes come in bursts, so everything is refetched once, a
 * moment later.
 */
export function refreshSoon(kind: string): void {
  for (const name of [kind, ...(related_kinds[kind] ?? [])]) waiting.add(name);
  gathering ??= setTimeout(() => {
    gathering = undefined;
    void refresh(...waiting);
    waiting.clear();
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

/** Holds the stream until `signal` fires. `say` receives its events, `state` whether it is open. */
function holdStream(
  say: (message: Message) => void,
  state: (streaming: boolean) => void,
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
      state(true);
    });
    source.addEventListener("ready", ({ lastEventId }: MessageEvent<string>) => {
      last_id = lastEventId;
    });
    source.addEventListener("change", ({ data, lastEventId }: MessageEvent<string>) =>
      say({ type: "change", change: JSON.parse(data) as Change, id: lastEventId }),
    );
    source.addEventListener("reset", ({ lastEventId }: MessageEvent<string>) => {
      last_id = lastEventId;
      say({ type: "refetch" });
    });
    source.addEventListener("closed", () => {
      source?.close();
      say({ type: "signed_out" });
    });
    source.addEventListener("error", () => {
      failures += 1;
      if (failures >= 2) state(false);
      if (source?.readyState !== EventSource.CLOSED) return;
      // The server refused the stream, and the browser does not reconnect by itself.
      state(false);
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
  const ending = new AbortController();
  const { signal } = ending;
  const channel = new BroadcastChannel("dossier.live");
  let streaming = true;
  let heard_at = Date.now();
  let leading = false;
  const say = (message: Message) => {
    channel.postMessage(message);
    receive(message);
  };
  channel.addEventListener("message", ({ data }: MessageEvent<Message>) => {
    heard_at = Date.now();
    if (data.type === "alive") streaming = data.streaming;
    else receive(data);
  });
  const lead = () => {
    leading = true;
    holdStream(
      say,
      (flows) => {
        streaming = flows;
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
  const beat = setInterval(() => {
    if (leading) channel.postMessage({ type: "alive", streaming } satisfies Message);
  }, alive_ms);
  const poll = setInterval(() => {
    const silent = !leading && Date.now() - heard_at > silence_max_ms;
    if (!document.hidden && (silent || !streaming)) refetchAll();
  }, poll_ms);
  return () => {
    clearInterval(beat);
    clearInterval(poll);
    ending.abort();
    channel.close();
  };
}
