/** Strings that every page shares. Each area has its own file beside this one. */
import { counted } from "../ui/format";

export const common_strings = {
  product: "Dossier",
  documentation: "Documentation",
  close: "Close",
  cancel: "Cancel",
  dismiss: "Dismiss",
  undo: "Undo",
  copy: "Copy",
  copied: "Copied",
  copy_failed: "The browser blocked access to the clipboard. Select the text and copy it manually.",
  try_again: "Try again",
  go_home: "Go to folders",
  reload: "Reload",
  loading: "Loading",
  messages: "Messages",
  breadcrumbs: "Breadcrumbs",
  pages: "Pages",
  previous: "Previous",
  next: "Next",
  select_all: "Select all rows",
  rows: (first: number, last: number, total: number) => `${first}–${last} of ${total}`,
  no_rows: (total: number) => `Nothing on this page (${total} in total)`,
  type_name: (name: string) => `Type “${name}” to confirm`,
  no_address: (text: string) =>
    `“${text}” is not a web address. Web addresses start with https:// or http://.`,
  request_id: "Request ID",
  wait_seconds: (seconds: number) => `Try again in ${counted(seconds, "second")}.`,
  unexplained: (status: number) => `The server responded with status ${status} and gave no reason.`,
  offline_detail:
    "The server did not respond. Check that it is running and that you are connected.",
  errors: {
    offline: { title: "Dossier can’t be reached", next: "The page retries automatically." },
    forbidden: {
      title: "You don’t have access to this",
      next: "If you need access, ask the owner or an administrator.",
    },
    missing: {
      title: "Not found",
      next: "It may have been deleted, or the address may be mistyped.",
    },
    busy: { title: "Too many requests", next: "Wait a moment. The page retries automatically." },
    refused: { title: "The request failed", next: "" },
    server: {
      title: "Something went wrong on the server",
      next:
        "Try again. If the problem persists, an administrator can find the request in the " +
        "log.",
    },
  },
  navigation: {
    label: "Main",
    skip: "Skip to content",
    open: "Open navigation",
    groups: { work: "Work", developer: "Developer", admin: "Admin" },
    sign_out: "Sign out",
    theme: "Theme",
    light: "Light",
    dark: "Dark",
    system: "System",
    keyboard: "Keyboard shortcuts",
    search: "Search",
    search_key: "Ctrl K",
  },
  offline_banner: "Dossier can’t be reached. Retrying …",
  offline_browser: "You are offline. This page may be out of date.",
  page_fault: { title: "This page has crashed", next: "Reload the page. Your saved data is safe." },
  stale_page: "The console has been updated. Reload the page to continue.",
  help: {
    title: "Keyboard shortcuts",
    anywhere: "Anywhere",
    go: "Go to",
    rows: {
      search: "Search documents",
      focus: "Focus the search or question field",
      help: "Show this list",
      escape: "Close a panel or dialog",
      send: "Submit a form",
    },
  },
  not_found: {
    header: "Not found",
    title: "Page not found",
    text: "The address may be mistyped, or the plugin that adds this page is not running.",
  },
} as const;
