/**
 * The icons: inline SVG on a grid of 24, stroke 1.75. Decorative: the text beside them, or the
 * label of their button, carries the meaning.
 */

const paths = {
  folder: "M3.5 7a2 2 0 0 1 2-2h3.6l2 2.5h7.4a2 2 0 0 1 2 2V17a2 2 0 0 1-2 2h-13a2 2 0 0 1-2-2z",
  "folder-plus":
    "M3.5 7a2 2 0 0 1 2-2h3.6l2 2.5h7.4a2 2 0 0 1 2 2V17a2 2 0 0 1-2 2h-13a2 2 0 0 1-2-2z M12 " +
    "10.5v5 M9.5 13h5",
  chat:
    "M4 6.5a1.5 1.5 0 0 1 1.5-1.5h13A1.5 1.5 0 0 1 20 6.5v9a1.5 1.5 0 0 1-1.5 1.5H10l-4.5 " +
    "3.5V17A1.5 1.5 0 0 1 4 15.5z",
  prompt: "M5 6h14 M5 10.5h14 M5 15h9 M5 19.5h6",
  import: "M12 4v10.5 M7.5 10.5 12 15l4.5-4.5 M5 19.5h14",
  transcription: "M4 10.5v3 M8 7.5v9 M12 4.5v15 M16 7.5v9 M20 10.5v3",
  key: "M8 18.5a4.5 4.5 0 1 1 0-9 4.5 4.5 0 0 1 0 9z M11.3 10.8 19.5 3.5 M16 6.6l3 3",
  webhook:
    "M12 9a3 3 0 1 0-2.6-1.5 M10.5 9.5 7 15.5 M6.5 14.5a3 3 0 1 0 3 3.5h7 M13.5 8.5l3.5 6 M16 " +
    "15a3 3 0 1 1-.5 5.4",
  book:
    "M5 5.5A1.5 1.5 0 0 1 6.5 4H19v16H6.5A1.5 1.5 0 0 1 5 18.5z M5 18.5A1.5 1.5 0 0 1 6.5 " +
    "17H19 M9 8h6",
  chart: "M5 20v-7 M12 20V5 M19 20v-10",
  users:
    "M9 11.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7z M2.5 19.5c.5-3.4 3-5 6.5-5s6 1.6 6.5 5 M15.5 " +
    "4.8a3.5 3.5 0 0 1 0 6.4 M17.5 14.8c2.3.6 3.7 2.2 4 4.7",
  user: "M12 11.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7z M5 19.5c.6-3.4 3.2-5 7-5s6.4 1.6 7 5",
  system:
    "M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6z M12 3v2.5 M12 18.5V21 M3 12h2.5 M18.5 12H21 M5.6 " +
    "5.6l1.8 1.8 M16.6 16.6l1.8 1.8 M18.4 5.6l-1.8 1.8 M7.4 16.6l-1.8 1.8",
  sun:
    "M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8z M12 2.5v2 M12 19.5v2 M2.5 12h2 M19.5 12h2 M5.3 5.3l1.4 " +
    "1.4 M17.3 17.3l1.4 1.4 M18.7 5.3l-1.4 1.4 M6.7 17.3l-1.4 1.4",
  moon: "M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10z",
  monitor: "M4 5h16v11H4z M9 20h6 M12 16v4",
  plus: "M12 5v14 M5 12h14",
  minus: "M5 12h14",
  upload: "M12 16V5 M7.5 9 12 4.5 16.5 9 M5 19.5h14",
  download: "M12 4v11 M7.5 10.5 12 15l4.5-4.5 M5 19.5h14",
  search: "M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13z M15.3 15.3 20 20",
  close: "M6 6l12 12 M18 6 6 18",
  more: "M5.5 12h.01 M12 12h.01 M18.5 12h.01",
  "chevron-right": "M9.5 6l6 6-6 6",
  "chevron-left": "M14.5 6l-6 6 6 6",
  "chevron-down": "M6 9.5l6 6 6-6",
  "chevron-up": "M6 14.5l6-6 6 6",
  check: "M5 12.5l4.5 4.5L19 7.5",
  alert: "M12 4 2.8 19.5h18.4z M12 10v4.5 M12 17h.01",
  info: "M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17z M12 11v5 M12 8h.01",
  file: "M6 3.5h7.5L18 8v12.5H6z M13.5 3.5V8H18",
  "file-text": "M6 3.5h7.5L18 8v12.5H6z M13.5 3.5V8H18 M9 12.5h6 M9 16h4",
  image: "M4 5h16v14H4z M4 16l4.5-4.5 3.5 3.5 3-3 5 5 M14.5 9h.01",
  trash: "M4.5 7h15 M9.5 7V4.5h5V7 M6.5 7l.8 13h9.4l.8-13 M10.5 11v5 M13.5 11v5",
  edit: "M4.5 19.5l.8-4L15.8 5a1.7 1.7 0 0 1 2.4 0l.8.8a1.7 1.7 0 0 1 0 2.4L8.5 18.7z M14 7l3 3",
  refresh: "M19.5 12a7.5 7.5 0 1 1-2.3-5.4 M19.5 4v4h-4",
  link:
    "M10 14l4-4 M8.5 11 6 13.5a3.5 3.5 0 0 0 5 5L13.5 16 M10.5 8 13 5.5a3.5 3.5 0 0 1 5 " +
    "5L15.5 13",
  remove: "M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17z M8 12h8",
  restore: "M4.5 12a7.5 7.5 0 1 0 2.3-5.4 M4.5 4v4h4",
  archive: "M4 5h16v4H4z M5.5 9v10.5h13V9 M10 13h4",
  copy: "M9 9h10.5v10.5H9z M5.5 15H4.5V4.5H15v1",
  menu: "M4 7h16 M4 12h16 M4 17h16",
  external: "M13.5 4.5h6v6 M19.5 4.5 11 13 M17.5 14v5.5h-13v-13H10",
  "log-out": "M10 4.5H5v15h5 M15 8l4 4-4 4 M19 12H9.5",
  play: "M7.5 5l11 7-11 7z",
  stop: "M6.5 6.5h11v11h-11z",
  eye:
    "M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12z M12 15a3 3 0 1 0 " +
    "0-6 3 3 0 0 0 0 6z",
  "eye-off":
    "M4 4l16 16 M9.5 6a9 9 0 0 1 2.5-.4c6 0 9.5 6.4 9.5 6.4a16 16 0 0 1-3 3.7 M6.4 7.8A16 16 0 0 " +
    "0 2.5 12S6 18.5 12 18.5c1.6 0 3-.4 4.2-1 M10 10a3 3 0 0 0 4 4.2",
  lock: "M6 11h12v9H6z M8.5 11V8a3.5 3.5 0 0 1 7 0v3",
  "arrow-left": "M19 12H5 M11 6l-6 6 6 6",
  "arrow-up": "M12 19V5 M6 11l6-6 6 6",
  offline:
    "M3 3l18 18 M5 12.5a10 10 0 0 1 3.5-2.2 M2 9a15 15 0 0 1 4-2.6 M10.5 6a15 15 0 0 1 11.5 3 " +
    "M15 11.2a10 10 0 0 1 4 2.3 M9 16.3a4.5 4.5 0 0 1 6 0 M12 19.5h.01",
  keyboard: "M3 6.5h18v11H3z M7 10.5h.01 M11 10.5h.01 M15 10.5h.01 M18 10.5h.01 M8 14h8",
  shield: "M12 3.5 19 6v5.5c0 4.3-2.9 7.3-7 9-4.1-1.7-7-4.7-7-9V6z M9 12l2.2 2.2L15.5 10",
  clock: "M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17z M12 7.5V12l3 2",
  send: "M4.5 12 20 4.5 15.5 20l-4-6.5z M11.5 13.5 20 4.5",
  list: "M9 6.5h11 M9 12h11 M9 17.5h11 M4.5 6.5h.01 M4.5 12h.01 M4.5 17.5h.01",
  code: "M8.5 7.5 4 12l4.5 4.5 M15.5 7.5 20 12l-4.5 4.5",
  grid: "M4.5 4.5h6v6h-6z M13.5 4.5h6v6h-6z M4.5 13.5h6v6h-6z M13.5 13.5h6v6h-6z",
  rotate: "M19.5 12a7.5 7.5 0 1 1-2.3-5.4 M19.5 3.5v4.5h-4.5",
  "arrow-down": "M12 5v14 M18 13l-6 6-6-6",
  pin: "M9.5 4h5l-.5 5.5 3 3v1.5H7v-1.5l3-3z M12 14v6",
  printer: "M7 9V4h10v5 M7 17H4V9h16v8h-3 M7 14h10v6H7z",
  "thumb-up":
    "M7 11v9H4v-9z M7 11l4-7.5a2 2 0 0 1 2 2V9h5.2a1.8 1.8 0 0 1 1.8 2.1l-1.1 7a2 2 0 0 1-2 " +
    "1.9H7",
  "thumb-down":
    "M17 13V4h3v9z M17 13l-4 7.5a2 2 0 0 1-2-2V15H5.8A1.8 1.8 0 0 1 4 12.9l1.1-7a2 2 0 0 1 " +
    "2-1.9H17",
  filter: "M4 6h16 M7 12h10 M10 18h4",
  plug: "M9 3.5V8 M15 3.5V8 M6.5 8h11v3.5a5.5 5.5 0 0 1-11 0z M12 17v3.5",
} as const;

/** The name of an icon. */
export type IconName = keyof typeof paths;

/** `size` in CSS pixels, 18 by default. */
export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) {
  const wide = name === "more" || name === "keyboard";
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width={wide ? 2.4 : 1.75}
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  );
}

const mark_folder =
  "M4 6.5A2.5 2.5 0 0 1 6.5 4h3.2l2 2.5h5.8A2.5 2.5 0 0 1 20 9v8.5a2.5 2.5 0 0 1-2.5 2.5h-11" +
  "A2.5 2.5 0 0 1 4 17.5z";

/** The logo of the product. */
export function Mark({ size = 22 }: { readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width={1.75}
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path fill="currentColor" fill-opacity=".14" d={mark_folder} />
      <path d="M8 11.5h8M8 15.5h5" />
    </svg>
  );
}
