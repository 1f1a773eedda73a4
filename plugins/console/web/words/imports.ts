/** The words of imports and their schedules. */

export const import_words = {
  title: "Imports", one: "Import", text: "Bring web pages, feeds, archives and directories of the server into a folder, once or on a schedule.", runs: "Runs", schedules: "Schedules", parts: "Imports",
  create: "New import", label: "Imports", source: "Source", folder: "Folder", status: "Status", items: "Items", started: "Started", created: "Created", actions: "Actions", next_run: "Next run", every: "When", gone_folder: "Deleted folder",
  states: { pending: "Waiting", running: "Running", completed: "Completed", completed_with_errors: "Completed with errors", failed: "Failed", cancelled: "Cancelled" },
  item_states: { pending: "Waiting", succeeded: "Imported", failed: "Failed", skipped: "Skipped" },
  kinds: { urls: "Web addresses", sitemap: "Sitemap", feed: "Feed", zip: "ZIP archive", directory: "Server directory", files: "Files from a device" } as Readonly<Record<string, string>>,
  addresses: (count: number) => count === 1 ? "1 address" : `${count} addresses`,
  progress: (done: number, total: number) => total === 0 ? "Listing what there is" : `${done} of ${total}`,
  empty_title: "Nothing imported yet", empty_text: "Import web pages by their addresses, a whole site by its sitemap, a feed, a ZIP archive or a directory of the server.",
  no_schedules_title: "No schedules", no_schedules_text: "Start an import and let it repeat: what has changed is updated, what has not is skipped.",
  no_folder_title: "Create a folder first", no_folder_text: "Imports put their documents into a folder.", to_folders: "Go to folders",

  new_title: "New import", kind_label: "What to import", folder_label: "Into the folder",
  urls_label: "Addresses", urls_hint: "One on each line. Web pages are read without their navigation; PDF, Office and other files as they are.",
  url_labels: { sitemap: "Address of the sitemap", feed: "Address of the feed", zip: "Address of the archive" } as Readonly<Record<string, string>>,
  url_hints: { sitemap: "Such as https://example.com/sitemap.xml", feed: "RSS or Atom, such as https://example.com/feed.xml", zip: "Each file in it becomes a document." } as Readonly<Record<string, string>>,
  path_label: "Directory on the server", path_hint: "Below one of the directories that the operator allows (imports.directories). Its directories become subfolders.",
  repeat_label: "Repeat", repeats: { never: "Once, now", "0 * * * *": "Every hour", "0 6 * * *": "Every day at 6:00 UTC", "0 6 * * 1": "Every Monday at 6:00 UTC", custom: "By a cron expression" },
  cron_label: "Cron expression", cron_hint: "Minute, hour, day, month, weekday in UTC, such as 30 4 * * 1-5",
  start: "Start import", schedule: "Save schedule", look: "Show what it would import", looking: "Looking",
  found: (count: number, more: boolean) => count === 0 ? "Nothing to import was found." : `${more ? "More than " : ""}${count} ${count === 1 ? "item" : "items"} would be imported`, found_label: "What would be imported",
  found_more: (count: number) => `and ${count} more`,
  scheduled: "Schedule saved.", remove_schedule: "Delete schedule", remove_schedule_label: (source: string) => `Delete schedule of ${source}`, remove_schedule_title: "Delete this schedule?",
  remove_schedule_text: "What it imported stays.", schedule_removed: "Schedule deleted.",

  total: "Items", succeeded: "Imported", failed: "Failed", skipped: "Unchanged", waiting: "To do", finished: "Finished", took: "Took",
  cancel: "Cancel import", cancel_title: "Cancel this import?", cancel_text: "It stops at once. What is imported already stays.", cancelled: "Import cancelled.", retry: "Retry failed items", retried: "Failed items are tried again.",
  again: "Import again", again_started: "Import started.",
  filter: "Show", all: "All items", items_label: "Items", item: "Item", open_document: "Open", open_label: (uri: string) => `Open the document of ${uri}`, result: "Result", no_items: "No items here.",
  no_items_yet: "Items appear as soon as the source is read.", run_failed: "The import failed",
} as const;
