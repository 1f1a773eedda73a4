/**
 * The uploads of this tab: at most three at a time, each with its progress. They continue while
 * other pages are viewed.
 */
import { signal } from "@preact/signals";
import { ApiProblem, problemOf } from "../../api/client";
import type { Document } from "../../api/types";
import { upload } from "../../api/upload";
import { refreshSoon } from "../../app/live-updates";

/** One file, waiting, being sent, sent or failed. */
export interface Upload {
  readonly id: number;
  readonly folder_id: string;
  /** Where it was started: the id of a folder, or `all_folders`. */
  readonly shown_in: string;
  readonly file: File;
  /** The name of the new document. */
  name: string;
  state: "waiting" | "sending" | "sent" | "clash" | "failed";
  /** Share of bytes sent, from 0 to 1; at 1 the server is still saving. */
  share: number;
  /** The server asked to wait. */
  is_throttled: boolean;
  problem: ApiProblem | null;
  /**
   * What to do if the name is taken: ask, replace the existing document, or use the next free name.
   */
  readonly on_clash: "ask" | "replace" | "rename";
}

/** The page of all folders. */
export const all_folders = "folders";

const concurrent_max = 3;
const tries_max = 40;
const copies_max = 200;
/** The server is unreachable, or asks to wait: the upload is retried. */
const transient_statuses: readonly number[] = [0, 429, 502, 503, 504];

let uploads: readonly Upload[] = [];
/** Null until it waits. */
let first_waiting = 0;
const cancelling = new Map<number, AbortController>();
let last_id = 0;
let running = 0;

/** Incremented when anything changed; at most once per frame. */
const revision = signal(0);
let is_announced = false;
function announce(): void {
  if (is_announced) return;
  is_announced = true;
  requestAnimationFrame(() => {
    is_announced = false;
    revision.value += 1;
  });
}

/**
 * Those started on this page, in the order they were chosen. A component that calls it re-renders
 * on changes.
 */
export function uploadsOf(page: string): readonly Upload[] {
  void revision.value;
  return uploads.filter((entry) => entry.shown_in === page);
}

/** Adds files to the queue, and starts sending if there is capacity. */
export function addUploads(
  page: string,
  files: readonly Pick<Upload, "file" | "folder_id" | "name">[],
): void {
  uploads = [
    ...uploads,
    ...files.map((file): Upload => ({
      ...file,
      id: ++last_id,
      shown_in: page,
      state: "waiting",
      share: 0,
      is_throttled: false,
      problem: null,
      on_clash: "ask",
    })),
  ];
  start();
}

/** Removes finished and abandoned ones from the list. */
export function removeUploads(ids: readonly number[]): void {
  const removed_ids = new Set(ids);
  for (const id of ids) cancelling.get(id)?.abort();
  uploads = uploads.filter(({ id }) => !removed_ids.has(id));
  first_waiting = 0;
  announce();
}

/** Sends the file once more. */
export const retryUpload = (entry: Upload): void => restart(entry, {});
/** The file replaces the document of the same name, which keeps its id. */
export const replaceUpload = (entry: Upload): void => restart(entry, { on_clash: "replace" });

/** Uploads it under the next free name, such as `report (2).pdf`. */
export function keepBoth(entry: Upload): void {
  restart(entry, { name: renamed(entry.name), on_clash: "rename" });
}

function restart(entry: Upload, change: Partial<Upload>): void {
  uploads = uploads.map((upload_entry) =>
    upload_entry.id === entry.id
      ? { ...upload_entry, state: "waiting", share: 0, problem: null, ...change }
      : upload_entry,
  );
  first_waiting = 0;
  start();
}

/** `report.pdf` → `report (2).pdf` → `report (3).pdf`. */
function renamed(name: string): string {
  const [, stem, count, extension] = /^(.*?)(?: \((\d+)\))?(\.[^./]*)?$/s.exec(name)!;
  return `${stem} (${Number(count ?? 1) + 1})${extension ?? ""}`;
}

function start(): void {
  announce();
  while (running < concurrent_max) {
    while (uploads[first_waiting] && uploads[first_waiting]!.state !== "waiting")
      first_waiting += 1;
    const next = uploads[first_waiting];
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
        query: {
          folder_id: entry.folder_id,
          overwrite: entry.on_clash === "replace" || null,
          name: entry.name === entry.file.name ? null : entry.name,
        },
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
        entry.name = renamed(entry.name);
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
  entry.is_throttled = true;
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
  entry.is_throttled = false;
}

// Closing the tab would lose unsent files.
addEventListener("beforeunload", (event) => {
  if (uploads.some(({ state }) => state === "sending" || state === "waiting"))
    event.preventDefault();
});
