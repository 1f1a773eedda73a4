/** Strings of the queue on the system page. */

const jobs = (count: number) => `${count} ${count === 1 ? "job" : "jobs"}`;

export const queue_strings = {
  title: "Queue",
  pause: "Pause intake",
  resume: "Resume intake",
  paused_title: "Intake is paused",
  paused_text:
    "Documents, imports and recordings are accepted and wait. What ran already goes on to its end.",
  paused_now: "Intake is paused.",
  open_now: "Intake is open again.",
  banner: "Intake is paused: new documents wait to be read.",
  pause_title: "Pause intake?",
  pause_confirm_text:
    "What people bring is still accepted, and waits. Questions and searches go on. It stays so, " +
    "over restarts too, until somebody resumes it.",
  kinds_label: "Jobs by kind",
  kind: "Kind",
  waiting: "Waiting",
  running: "Running",
  failed: "Failed",
  actions: "Actions",
  menu: (kind: string) => `Actions for ${kind}`,
  reason_menu: (reason: string) => `Actions for jobs that failed: ${reason}`,
  retry_all: "Run all that failed again",
  drop_failed: "Drop all that failed",
  drop_waiting: "Drop all that wait",
  retry_reason: "Run these again",
  drop_reason: "Drop these",
  times: (count: number) => `${count} ×`,
  retried: (count: number) => `${jobs(count)} ${count === 1 ? "runs" : "run"} again.`,
  retried_some: (count: number, left: number) =>
    `${jobs(count)} run again; ${left} can’t, what they were for says how.`,
  dropped: (count: number) => `${jobs(count)} dropped.`,
  drop_title: (kind: string) => `Drop jobs: ${kind}?`,
  drop: "Drop",
  drop_texts: {
    failed: (count: number) =>
      `${jobs(count)} that failed are forgotten, and can’t be run again from here.`,
    ready: (count: number) =>
      `${jobs(count)} that wait end as if they had failed: their documents are not read. There ` +
      "is no way back.",
  },
  none: "Nothing waits, runs or has failed",
  none_text: "Jobs of all kinds are done.",
  folders_title: "Folders that are read now",
  folders_label: "Folders that are read now",
  folder: "Folder",
  owner: "Whose",
  speed: "Speed",
  per_minute: (count: number) => `${count} a minute`,
  left: "Time left",
  unknown: "–",
  jobs_title: "Jobs",
  vectors: {
    title: "Vectors",
    states: {
      none: "Nothing makes vectors: search goes by words alone.",
      ready: "Every document has its vectors.",
      pending: "Vectors are being made. Until a document has them, words find it.",
      paused: "No vectors are made. Words find the documents that wait.",
      failing: "No vectors are made at the moment.",
    },
    waiting: (documents: number, passages: number) =>
      `${documents} ${documents === 1 ? "document waits" : "documents wait"}, with about ` +
      `${passages} ${passages === 1 ? "passage" : "passages"}`,
    per_second: (count: number) => `${count} passages a second`,
    left: (time: string) => `${time} left`,
    pause: "Pause vectors",
    resume: "Resume vectors",
    paused_now: "No vectors are made from now on.",
    open_now: "Vectors are made again.",
  },
} as const;
