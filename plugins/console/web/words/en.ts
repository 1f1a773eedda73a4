/** The words that every page shares. Each area has its own file beside this one. */

export const words = {
  product: "Dossier",
  close: "Close", cancel: "Cancel", save: "Save", delete: "Delete", rename: "Rename", dismiss: "Dismiss", undo: "Undo", retry: "Retry", done: "Done", open: "Open", download: "Download",
  copy: "Copy", copied: "Copied", copy_failed: "The browser does not allow copying here. Select the text and copy it yourself.",
  try_again: "Try again", go_home: "Go to folders", reload: "Reload", loading: "Loading", messages: "Messages", breadcrumbs: "Where you are", pages: "Pages",
  previous: "Previous", next: "Next", select_all: "Select all rows", more: "More actions",
  rows: (first: number, last: number, total: number) => `${first}–${last} of ${total}`,
  no_rows: (total: number) => `Nothing on this page; ${total} in all`,
  type_name: (name: string) => `Type “${name}” to confirm`,
  request_id: "Request",
  wait_seconds: (seconds: number) => `Try again in ${seconds} ${seconds === 1 ? "second" : "seconds"}.`,
  unexplained: (status: number) => `The server answered ${status} and did not say why.`,
  offline_detail: "The server did not answer. Check that it is running and that you are connected.",
  errors: {
    offline: { title: "Dossier can’t be reached", next: "The page tries again by itself." },
    forbidden: { title: "This is not yours to see", next: "Ask its owner, or an administrator, if you should." },
    missing: { title: "This could not be found", next: "It may have been deleted, or the address is mistyped." },
    busy: { title: "Too many requests", next: "Wait a moment; the page tries again by itself." },
    refused: { title: "That did not work", next: "" },
    server: { title: "Something went wrong on the server", next: "Try again. When it stays, an administrator finds the request in the log." },
  },
  navigation: {
    label: "Main", skip: "Skip to content", open: "Open navigation", groups: { work: "Work", developer: "Developer", admin: "Admin" },
    account: "Your account", sign_out: "Sign out", theme: "Theme", light: "Light", dark: "Dark", system: "System", keyboard: "Keyboard shortcuts", search: "Search", search_key: "Ctrl K",
  },
  offline_banner: "Dossier can’t be reached. Trying again …",
  offline_browser: "You are offline. What you see may be out of date.",
  page_fault: { title: "This page has stopped", next: "Reload it. What you saved is safe." },
  stale_page: "The console was updated on the server. Reload to go on.",
  help: {
    title: "Keyboard shortcuts", anywhere: "Anywhere", go: "Go to",
    rows: {
      search: "Search documents", focus: "Focus the search or question field", help: "Show this list", escape: "Close a panel or dialog", send: "Send a form",
      folders: "Folders", chats: "Chat", keys: "API keys", webhooks: "Webhooks",
    },
  },
  not_found: { header: "Not found", title: "There is no such page", text: "The address may be mistyped, or a plugin that showed it is not running." },
} as const;
