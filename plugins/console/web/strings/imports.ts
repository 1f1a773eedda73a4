/** Strings of imports and their schedules. */
import { counted } from "../ui/format";

export const import_strings = {
  title: "Imports",
  one: "Import",
  text:
    "Import web pages, feeds, archives and server directories into a folder, once or on " +
    "a schedule.",
  runs: "Runs",
  schedules: "Schedules",
  parts: "Imports",
  create: "New import",
  label: "Imports",
  source: "Source",
  folder: "Folder",
  status: "Status",
  items: "Items",
  started: "Started",
  actions: "Actions",
  next_run: "Next run",
  every: "Schedule",
  states: {
    pending: "Waiting",
    running: "Running",
    completed: "Completed",
    completed_with_errors: "Completed with errors",
    failed: "Failed",
    cancelled: "Cancelled",
  },
  item_gone: "No longer at the source",
  item_states: { pending: "Waiting", succeeded: "Imported", failed: "Failed", skipped: "Skipped" },
  kinds: {
    urls: "Web addresses",
    sitemap: "Sitemap",
    feed: "Feed",
    zip: "ZIP archive",
    directory: "Server directory",
    files: "Files from a device",
  } as Readonly<Record<string, string>>,
  addresses: (count: number) => counted(count, "address", "addresses"),
  progress: (done: number, total: number) =>
    total === 0 ? "Listing items" : `${done} of ${total}`,
  empty_title: "Nothing imported yet",
  empty_text:
    "Import web pages by address, a whole site by its sitemap, a feed, a ZIP archive or " +
    "a server directory.",
  no_schedules_title: "No schedules",
  no_schedules_text:
    "Start an import and have it repeat: changed items are updated, unchanged ones are " +
    "skipped.",
  no_folder_title: "Create a folder first",
  no_folder_text: "Imported documents are stored in a folder.",
  to_folders: "Go to folders",

  new_title: "New import",
  kind_label: "What to import",
  folder_label: "Folder",
  urls_label: "Addresses",
  urls_hint:
    "One per line. Web pages are imported without their navigation, PDF, Office and " +
    "other files as they are.",
  url_labels: {
    sitemap: "Address of the sitemap",
    feed: "Address of the feed",
    zip: "Address of the archive",
  } as Readonly<Record<string, string>>,
  url_hints: {
    sitemap: "For example https://example.com/sitemap.xml",
    feed: "RSS or Atom, for example https://example.com/feed.xml",
    zip: "Each file in it becomes a document.",
  } as Readonly<Record<string, string>>,
  path_label: "Directory on the server",
  path_hint:
    "It must be in a directory allowed by the operator (imports.directories). Its " +
    "directories become subfolders.",
  no_directories: "Server directories can’t be imported",
  no_directories_text:
    "No directories are allowed. An administrator can list them in the setting " +
    "imports.directories and restart the server. To import a directory from your own " +
    "computer, upload it on the Folders page.",
  urls_placeholder: "https://example.com/handbook",
  repeat_label: "Repeat",
  repeats: {
    never: "Once, now",
    "0 * * * *": "Every hour",
    "0 6 * * *": "Every day at 6:00 UTC",
    "0 6 * * 1": "Every Monday at 6:00 UTC",
    custom: "Custom (cron expression)",
  },
  cron_label: "Cron expression",
  cron_hint: "Minute, hour, day, month and weekday in UTC, for example 30 4 * * 1-5",
  start: "Start import",
  schedule: "Save schedule",
  look: "Preview",
  looking: "Checking",
  found: (count: number, more: boolean) =>
    count === 0
      ? "Nothing found to import."
      : `${more ? "More than " : ""}${counted(count, "item")} would be imported`,
  found_label: "Preview",
  found_more: (count: number) => `and ${count} more`,
  scheduled: "Schedule saved.",
  remove_schedule: "Delete schedule",
  remove_schedule_label: (source: string) => `Delete schedule of ${source}`,
  remove_schedule_title: "Delete this schedule?",
  remove_schedule_text: "Documents that it imported are kept.",
  schedule_removed: "Schedule deleted.",

  total: "Items",
  succeeded: "Imported",
  failed: "Failed",
  skipped: "Unchanged",
  took: "Duration",
  cancel: "Cancel import",
  cancel_title: "Cancel this import?",
  cancel_text: "It stops immediately. Documents already imported are kept.",
  cancelled: "Import cancelled.",
  retry: "Retry failed items",
  retried: "Retrying failed items.",
  again: "Import again",
  again_started: "Import started.",
  filter: "Show",
  all: "All items",
  items_label: "Items",
  item: "Item",
  open_document: "Open",
  open_label: (uri: string) => `Open the document of ${uri}`,
  no_items: "No items.",
  no_items_yet: "Items appear once the source has been read.",
  run_failed: "The import failed",
} as const;
