/** Strings of the queue on the system page. */
import { counted } from "../ui/format";

const jobs = (count: number) => counted(count, "job");

export const queue_strings = {
  title: "Queue",
  pause: "Pause intake",
  resume: "Resume intake",
  paused_title: "Intake is paused",
  paused_text:
    "New documents, imports and recordings are accepted, and wait. Jobs that are already " +
    "running will finish.",
  paused_now: "Intake paused.",
  open_now: "Intake resumed.",
  banner: "Intake is paused: new documents wait to be indexed.",
  pause_title: "Pause intake?",
  pause_confirm_text:
    "New documents, imports and recordings are accepted, and wait. Questions and " +
    "searches keep working. Intake stays paused until someone resumes it, even after a " +
    "restart.",
  kinds_label: "Jobs by kind",
  kind: "Kind",
  waiting: "Waiting",
  running: "Running",
  failed: "Failed",
  actions: "Actions",
  menu: (kind: string) => `Actions for ${kind}`,
  reason_menu: (reason: string) => `Actions for jobs that failed: ${reason}`,
  retry_all: "Run all failed jobs again",
  drop_failed: "Drop all failed jobs",
  drop_waiting: "Drop all waiting jobs",
  retry_reason: "Run these jobs again",
  drop_reason: "Drop these jobs",
  times: (count: number) => `${count} ×`,
  retried: (count: number) => `${jobs(count)} queued again.`,
  retried_some: (count: number, left: number) =>
    `${jobs(count)} queued again. ${left} can’t be run from here: retry them on the ` +
    "pages of their documents or runs.",
  dropped: (count: number) => `${jobs(count)} dropped.`,
  drop_title: (kind: string) => `Drop jobs: ${kind}?`,
  drop: "Drop",
  drop_texts: {
    failed: (count: number) =>
      `${jobs(count)} will be removed from the list and can’t be run again from here.`,
    ready: (count: number) =>
      `${jobs(count)} will end as failed, and their documents won’t be indexed. This ` +
      "can’t be undone.",
  },
  none: "No waiting, running or failed jobs",
  none_text: "All jobs are done.",
  folders_title: "Folders being indexed",
  folders_label: "Folders being indexed",
  owner: "Owner",
  speed: "Speed",
  per_minute: (count: number) => `${count} per minute`,
  left: "Time left",
  unknown: "–",
  vectors: {
    title: "Vectors",
    states: {
      none: "No embedder is set up: search matches words only.",
      ready: "All documents have vectors.",
      pending: "Vectors are being created. Documents without vectors are found by words only.",
      paused: "Vectors are paused. Waiting documents are found by words only.",
      failing: "Vectors can’t be created at the moment.",
    },
    waiting: (documents: number, passages: number) =>
      `${counted(documents, "document waits", "documents wait")}, with about ` +
      counted(passages, "passage"),
    per_second: (count: number) => `${count} passages per second`,
    left: (time: string) => `${time} left`,
    pause: "Pause vectors",
    resume: "Resume vectors",
    paused_now: "Vectors paused.",
    open_now: "Vectors resumed.",
  },
} as const;
