/**
 * The thread that notices when the event loop is blocked; see watchdog.ts. It writes its messages
 * itself, because the main thread can't.
 */
import { writeSync } from "node:fs";
import { writeLastExit } from "./last-exit";
import {
  beat_place,
  first_label_place,
  now_place,
  type CodeLabel,
  type WatchdogMessage,
} from "./running-code";

declare const self: Worker;

const standard_error = 2;
const labels_shown_max = 10;

let shared: Int32Array = new Int32Array();
const labels: CodeLabel[] = [];

self.addEventListener("message", ({ data }: MessageEvent<WatchdogMessage>) => {
  if (data.kind === "label") {
    labels.push(data.label);
    return;
  }
  shared = data.shared;
  labels.push(...data.labels);
  watch(data.limit_ms, data.look_ms, data.data);
});

/**
 * Counts its own checks instead of time: when a machine sleeps, or the process is stopped, this
 * thread stands still, too.
 */
function watch(limit_ms: number, look_ms: number, data: string): void {
  let last_beat = -1;
  let checks = 0;
  let is_reported = false;
  setInterval(() => {
    const beat = Atomics.load(shared, beat_place);
    if (beat !== last_beat) {
      [last_beat, checks, is_reported] = [beat, 0, false];
      return;
    }
    checks++;
    if (checks * look_ms < limit_ms || is_reported) return;
    is_reported = true;
    reportBlocked(limit_ms, data);
  }, look_ms);
}

function reportBlocked(limit_ms: number, data: string): void {
  const now = labels[Atomics.load(shared, now_place) - 1];
  const begun = labels.filter((_, i) => Atomics.load(shared, first_label_place + i + 1) > 0);
  const blocked = `the event loop has been blocked for ${limit_ms / 1_000} s`;
  const [culprit] = now ? [now] : begun;
  if (!culprit) return writeLine("error", `${blocked}, and no plugin is known to be the cause`, {});
  const other_plugins = begun.filter(({ plugin }) => plugin !== culprit.plugin);
  const { plugin, what } = culprit;
  const how = `it blocked the server for ${limit_ms / 1_000} s, in ${what}`;
  const at = new Date().toISOString();
  writeLastExit(data, { plugin, what, how, at });
  writeLine("error", `${blocked} by the code of the plugin ${plugin}; the server exits`, {
    plugin,
    what,
    certain: now !== undefined || other_plugins.length === 0,
    in_work: begun.slice(0, labels_shown_max).map((label) => `${label.plugin}: ${label.what}`),
  });
  // A thread can't end the process with an exit code, and nothing else would run any more.
  process.kill(process.pid, "SIGKILL");
}

function writeLine(level: string, message: string, fields: object): void {
  const line = JSON.stringify({ time: new Date().toISOString(), level, message, ...fields });
  try {
    writeSync(standard_error, `${line}\n`);
  } catch {
    // Standard error is closed or blocked: the next start reports it.
  }
}
