/**
 * The uploads of this tab: at most three at a time, each with its progress. They go on while other
 * pages are looked at.
 */
import { signal } from "@preact/signals";
import { ApiProblem, problemOf } from "../../api/client";
import type { Document } from "../../api/types";
import { upload } from "../../api/upload";
import { refreshSoon } from "../../app/live-updates";

export interface Upload {
  readonly id: number;
  readonly folder_id: string;
  file: File;
  state: "waiting" | "sending" | "sent" | "clash" | "failed";
  /** Of the bytes, from 0 to 1; at 1 the server is still saving. */
  share: number;
  /** The server asked to wait. */
  slowed: boolean;
  problem: ApiProblem | null;
  /** What to do when the name is taken: ask, replace the namesake, or take the next free name. */
  readonly on_clash: "ask" | "replace" | "rename";
}

const concurrent_max = 3;
const tries_max = 40;
const copies_max = 200;
/** The server is away, or asks to wait: the upload is tried again. */
const transient_statuses: readonly number[] = [0, 429, 502, 503, 504];

let uploads: readonly Upload[] = [];
const cancelling = new Map<number, AbortController>();
let last_id = 0;
let running = 0;

/** Counts up when anything changed; at most once for each frame. */
const revision = signal(0);
let announced = false;
function announce(): void {
  if (announced) return;
  announced = true;
  requestAnimationFrame(() => {
    announced = false;
    revision.value += 1;
  });
}

/**
 * Those into this folder, in the order they were chosen. A component that calls it follows what
 * changes.
 */
export function uploadsOf(folder_id: string): readonly Upload[] {
  void revision.value;
  return uploads.filter((entry) => entry.folder_id === folder_id);
}

export function addUploads(folder_id: string, files: readonly File[]): void {
  uploads = [
    ...uploads,
    ...files.map((file): Upload => ({
      id: ++last_id,
      folder_id,
      file,
      state: "waiting",
      share: 0,
      slowed: false,
      problem: null,
      on_clash: "ask",
    })),
  ];
  start();
}

/** Takes finished ones off the list, and those that were given up. */
export function removeUploads(ids: readonly number[]): void {
  const gone = new Set(ids);
  for (const id of ids) cancelling.get(id)?.abort();
  uploads = uploads.filter(({ id }) => !gone.has(id));
  announce();
}

export const retryUpload = (entry: Upload): void => restart(entry, {});
/** The file takes the place of its namesake, which keeps its id. */
export const replaceUpload = (entry: Upload): void => restart(entry, { on_clash: "replace" });

/** Sends it under the next free name, such as `report (2).pdf`. */
export function keepBoth(entry: Upload): void {
  restart(entry, { file: renamed(entry.file), on_clash: "rename" });
}

function restart(entry: Upload, change: Partial<Upload>): void {
  uploads = uploads.map((other) =>
    other.id === entry.id
      ? { ...other, state: "waiting", share: 0, problem: null, ...change }
      : other,
  );
  start();
}

/** `report.pdf` → `report (2).pdf` → `report (3).pdf`. */
function renamed(file: File): File {
  const [, stem, count, extension] = /^(.*?)(?: \((\d+)\))?(\.[^.]*)?$/s.exec(file.name)!;
  return new File([file], `${stem} (${Number(count ?? 1) + 1})${extension ?? ""}`, {
    type: file.type,
    lastModified: file.lastModified,
  });
}

function start(): void {
  announce();
  while (running < concurrent_max) {
    const next = uploads.find(({ state }) => state === "waiting");
    if (!next) return;
    running += 1;
    next.state = "sending";
    void send(next).finally(() => {
      running -= 1;
      start();
    });
  }
}

async function send(entry: Upload): Promise<void> {
  const cancel = new AbortController();
  cancelling.set(entry.id, cancel);
  let copies = 0;
  for (let tries = 1; ; tries++) {
    try {
      await upload<Document>("/documents/file", entry.file, {
        query: { folder_id: entry.folder_id, overwrite: entry.on_clash === "replace" || null },
        signal: cancel.signal,
        onProgress: (share) => {
          entry.share = share;
          announce();
        },
      });
      entry.state = "sent";
      break;
    } catch (error) {
      if (cancel.signal.aborted) break;
      const problem = problemOf(error);
      if (transient_statuses.includes(problem.status) && tries < tries_max) {
        await pause(entry, problem.retry_after_s ?? 5, cancel.signal);
      } else if (problem.status === 409 && entry.on_clash === "rename" && ++copies < copies_max) {
        entry.file = renamed(entry.file);
      } else {
        entry.problem = problem;
        entry.state = problem.status === 409 ? "clash" : "failed";
        break;
      }
    }
  }
  cancelling.delete(entry.id);
  refreshSoon("document");
  announce();
}

/** Waits as long as the server asked for. */
async function pause(entry: Upload, seconds: number, cancelled: AbortSignal): Promise<void> {
  entry.slowed = true;
  entry.share = 0;
  announce();
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, seconds * 1000);
    cancelled.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
  entry.slowed = false;
}

// Closing the tab would lose what was not sent yet.
addEventListener("beforeunload", (event) => {
  if (uploads.some(({ state }) => state === "sending" || state === "waiting"))
    event.preventDefault();
});
