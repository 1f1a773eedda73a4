/** Strings of folders and documents. */
import type { Document } from "../api/types";
import { counted, formatNumber } from "../ui/format";

const documents = (count: number) => counted(count, "document");
const files = (count: number) => counted(count, "file");

/** In some formats the counted units are not pages. */
const page_names: {
  readonly [of in Document["file_type"]]?: readonly [one: string, many: string];
} = { spreadsheet: ["sheet", "sheets"], presentation: ["slide", "slides"] };
const page_labels: { readonly [of in Document["file_type"]]?: string } = {
  spreadsheet: "Sheets",
  presentation: "Slides",
};

export const folder_strings = {
  gone_folder: "Deleted folder",
  documents,
  title: "Folders",
  text: "Documents in a folder are indexed, so that you can search them and ask about them.",
  new_folder: "New folder",
  new_subfolder: "New subfolder",
  search: "Search folders by name",
  label: "Folders",
  folder: "Folder",
  count: "Documents",
  state: "Status",
  updated: "Changed",
  actions: "Actions",
  actions_of: (name: string) => `Actions for ${name}`,
  indexing: (count: number) => `${formatNumber(count)} indexing`,
  failed: (count: number) => `${formatNumber(count)} failed`,
  vectors_pending: (count: number) => `creating vectors for ${formatNumber(count)}`,
  ready: "Ready",
  here: (count: number) => `${formatNumber(count)} here`,
  with_subfolders: (count: number) => `${formatNumber(count)} with subfolders`,
  edit: "Rename",
  delete: "Delete",
  collapse: (name: string) => `Hide subfolders of ${name}`,
  expand: (name: string) => `Show subfolders of ${name}`,
  drop_directories: "Drop to create a folder for each directory",
  empty_title: "Create your first folder",
  empty_text: "Folders hold documents. Chats and searches use the folders you choose.",
  none_found: (query: string) => `No folder name contains “${query}”`,
  clear: "Clear search",
  dialog: {
    new_title: "New folder",
    new_sub_title: (parent: string) => `New folder in ${parent}`,
    name: "Name",
    description: "Description",
    description_hint: "Optional. Shown to people only, and not used in answers.",
    parent: "Parent folder",
    parent_none: "None (top-level folder)",
    create: "Create folder",
    edit_title: "Rename folder",
    save: "Save",
    delete_title: (name: string) => `Delete “${name}”?`,
    delete_text: (count: number, subfolders: number) => {
      const below = subfolders > 0 ? `, in it and its ${counted(subfolders, "subfolder")},` : "";
      return (
        `${documents(count)}${below} will be permanently deleted, except those that are ` +
        "also in another folder. This can’t be undone."
      );
    },
    delete_empty: "The folder is empty. This can’t be undone.",
    delete_action: "Delete folder",
    deleted: (name: string) => `“${name}” deleted.`,
    created: (name: string) => `“${name}” created.`,
  },
  page: {
    upload: "Upload",
    paste: "Paste text",
    ask: "Ask this folder",
    more: "More actions for this folder",
    subfolders: "Subfolders",
    drop_title: "Drop files or a folder here",
    choose: "choose files",
    or: "or",
    choose_directory: "a whole folder",
    upload_files: "Upload files",
    upload_directory: "Upload a folder",
    drop_hint: "PDF, Word, PowerPoint, Excel, email, web pages, images and text",
    drop_slim: "Drop files anywhere on this page or",
    drop_over: (name: string) => `Drop to upload to ${name}`,
    upload_label: "Choose files to upload",
    search: "Search by name or content",
    status_label: "Show",
    statuses: { all: "All statuses", synced: "Ready", syncing: "Indexing", sync_failed: "Failed" },
    tab_documents: "Documents",
    tab_removed: "Removed",
    tabs: "Documents of this folder",
    table: "Documents",
    removed_table: "Removed documents",
    document: "Document",
    type: "Type",
    size: "Size",
    status: "Status",
    updated: "Changed",
    actions: "Actions",
    type_label: "Type",
    all_types: "All types",
    sort_label: "Sort by",
    sorts: {
      "": "Newest first",
      name: "Name",
      type: "Type",
      size: "Size",
      status: "Status",
      updated: "Last changed",
    },
    drag_hint: (count: number) => `Drop ${documents(count)} on a folder`,
    drag_copy: "Hold Ctrl or Alt to add them and keep them here.",
    drag_targets: "Folders to drop on",
    select: (name: string) => `Select ${name}`,
    empty_filter: "No matching documents",
    empty_filter_text: "Try another word, or show all documents.",
    show_all: "Show all",
    empty_removed: "No removed documents",
    empty_removed_text: "Documents you remove from this folder can be restored here for 30 days.",
    restore: "Restore",
    restore_label: (name: string) => `Restore ${name}`,
    pages: (count: number, of: Document["file_type"]) => {
      const [one, many] = page_names[of] ?? ["page", "pages"];
      return counted(count, one, many);
    },
    warnings: (count: number) => counted(count, "warning"),
    none_named: (query: string) => `No document name in this folder contains “${query}”.`,
    hits: "Matches in the text",
    no_hits: "No matches in the text of this folder’s documents.",
    searching: "Searching in the text …",
  },
  status: {
    synced: "Ready",
    sync_failed: "Failed",
    stages: {
      queued: "Waiting",
      extracting: "Reading the text",
      chunking: "Splitting into passages",
      embedding: "Embedding passages",
      storing: "Storing",
      done: "Finishing",
    },
    step: (stage: string, percent: string) => `${stage} · ${percent}`,
    stalled: (ago: string) => `Last progress ${ago}`,
    attempt: (count: number) => `attempt ${count}`,
    indexing_of: (name: string) => `Indexing ${name}`,
  },
  actions_of_document: {
    rename: "Rename",
    place: "Move or add to folder",
    reindex: "Index again",
    download: "Download",
    remove: "Remove from folder",
    retry: "Retry",
    retry_label: (name: string) => `Retry ${name}`,
    removed: (what: string) => `${what} removed from this folder.`,
    restored: (what: string) => `${what} restored.`,
    undone: "Restored.",
    reindexing: (what: string, count: number) =>
      `${what} ${count === 1 ? "is" : "are"} being indexed again.`,
    zip: "Download as ZIP",
    zip_too_many: (most: number) =>
      `A ZIP file holds up to ${formatNumber(most)} documents. Export the folder instead.`,
    rename_title: "Rename document",
    rename_hint: "Enter to save, Esc to cancel",
    name: "Name",
    place_title: (name: string) => `Move or add “${name}”`,
    place_title_many: (count: number) => `Move or add ${documents(count)}`,
    target: "Folder",
    choose: "Choose a folder …",
    mode: "Action",
    move: "Move",
    add: "Add and keep here",
    moved: (what: string, folder: string) => `${what} moved to ${folder}.`,
    added: (what: string, folder: string) => `${what} added to ${folder}.`,
    no_target: "There are no other folders yet.",
    some_failed: (count: number, why: string) => `${documents(count)} could not be changed: ${why}`,
    selected: (count: number) => `${formatNumber(count)} selected`,
    select_all: (count: number) => `Select all ${formatNumber(count)}`,
    all_selected: (count: number) => `All ${formatNumber(count)} selected`,
    clear: "Clear selection",
    bulk: "Selected documents",
    paste_title: "Paste text as a document",
    paste_name: "Name",
    paste_name_hint: "If left empty, the first line is used.",
    paste_text: "Text",
    paste_action: "Add document",
    pasted: "Document added.",
  },
  sample: {
    make: "Try a sample",
    hint: "A folder with a short handbook and three questions about it",
    name: "Sample: Hollin Fell Hut",
    description:
      "The handbook of a mountain hut, for trying out Dossier. You can delete it like any " +
      "other folder.",
    file: "The Warden's Handbook.pdf",
    no_file: "The sample could not be loaded from the server.",
    title: "Try a question",
    text: "The answer cites the page of the handbook that it comes from.",
    reading: "The handbook is being indexed. You can ask about it in a moment.",
    dismiss: "Hide",
    questions: [
      "What do I do when the alarm of the lamp sounds?",
      "How many people may sleep in the hut?",
      "How long does a gas cylinder last?",
    ],
  },
  bulk: {
    titles: {
      removing: "Removing documents",
      restoring: "Restoring documents",
      reindexing: "Indexing documents again",
      moving: (folder: string) => `Moving documents to ${folder}`,
      adding: (folder: string) => `Adding documents to ${folder}`,
    },
    stop: "Stop",
    dismiss: "Dismiss",
    progress: (done: number, total: number) => `${formatNumber(done)} of ${formatNumber(total)}`,
    ended: (title: string, done: number, failed: number) =>
      `${title}: ${formatNumber(done)} done, ${formatNumber(failed)} failed`,
    failed: (count: number) => `${documents(count)} failed`,
    broken_off: "The rest",
    more: (count: string) => `and ${count} more`,
  },
  upload: {
    title: "Uploads",
    hidden: (count: number) =>
      `${counted(count, "hidden file was", "hidden files were")} skipped, ` +
      "such as files whose names start with a dot.",
    needs_folder: "Files must be in a folder. Open a folder and drop them there.",
    no_folders: (why: string) =>
      `The folders could not be created, so nothing was uploaded: ${why}`,
    sending: (done: number, total: number) =>
      `Uploading ${formatNumber(done)} of ${formatNumber(total)}`,
    attention: (count: number) => `${counted(count, "file needs", "files need")} your decision`,
    refused: (count: number) => `${files(count)} could not be uploaded`,
    waiting: "Waiting",
    saving: "Saving",
    slowed: "Waiting for the server",
    more: (count: number) => `and ${formatNumber(count)} more`,
    cancel_label: (name: string) => `Cancel ${name}`,
    cancel_all: "Cancel all",
    dismiss: "Clear list",
    dismiss_note: "OK",
    retry: "Retry",
    retry_all: "Retry all",
    more_failed: (count: number) => `and ${formatNumber(count)} more that failed`,
    retry_label: (name: string) => `Retry ${name}`,
    skip: "Skip",
    skip_label: (name: string) => `Skip ${name}`,
    clash_title: (count: number) =>
      count === 1
        ? "A file with this name is already in the folder"
        : `${files(count)} with the same names are already in the folder`,
    replace: "Replace",
    keep: "Keep both",
    replace_label: (name: string) => `Replace ${name}`,
    keep_label: (name: string) => `Keep both versions of ${name}`,
    replace_all: "Replace all",
    keep_all: "Keep both for all",
    skip_all: "Skip all",
    done: (count: number) =>
      count === 1
        ? `${files(count)} uploaded. You can ask about it once it is indexed.`
        : `${files(count)} uploaded. You can ask about them once they are indexed.`,
    progress_of: (name: string) => `Upload of ${name}`,
  },
  archive: {
    export: "Export as a file",
    import: "Import",
    import_hint: "Import a folder exported from this server or another one",
    choose: "Choose an exported folder",
    title: "Imported folders",
    progress_of: (name: string) => `Import of ${name}`,
    sending: (percent: string) => `Uploading · ${percent}`,
    checking: "Checking the file",
    importing: (done: number, total: number) =>
      total === 0 ? "Waiting" : `${formatNumber(done)} of ${documents(total)}`,
    failed: "The folder could not be imported.",
    done: (count: number, left_out: Readonly<Record<string, number>>) => {
      const missing = Object.entries(left_out).filter(([, left]) => left > 0);
      return (
        `${documents(count)} imported.` +
        (missing.length === 0
          ? ""
          : ` Not in the file: ${missing.map(([what, left]) => `${left} ${what}`).join(", ")}.`)
      );
    },
    open: "Open",
    cancel_label: (name: string) => `Cancel ${name}`,
    dismiss_label: (name: string) => `Remove ${name} from the list`,
  },
  one: {
    title: "Document",
    ask: "Ask about this",
    download: "Download original",
    more: "More actions for this document",
    details: "Details",
    vectors: "Vectors",
    vectors_pending: "being created; found by words until then",
    preview: "Preview",
    failed_title: "This document could not be indexed",
    failed_next: {
      unsupported_type:
        "Dossier can’t read this type of file. Save it as PDF, Word or text, and upload " +
        "that instead.",
      too_large: "Split the file, or ask an administrator to raise the limits.",
      encrypted: "Remove the password and upload the file again.",
      corrupt: "The file is damaged. Open it, save it again, and upload the new file.",
      empty: "The file has no text. If it is a scan, check that text recognition is enabled.",
      timeout:
        "Reading the file took too long. Retry when the server is less busy, or split the " +
        "file.",
      out_of_memory: "Reading the file needs more memory than the limit allows. Split the file.",
      extract_failed: "Retry. If it fails again, download the original and check that it opens.",
      cancelled: "Indexing was cancelled. Retry to index the document.",
    } as Readonly<Record<string, string>>,
    still_answers: "Until then, the previous version is still used for search and answers.",
    warnings: "Warnings",
    warning_page: (page: number) => `Page ${page}: `,
    status: "Status",
    type: "Type",
    size: "Size",
    page_count: (of: Document["file_type"]) => page_labels[of] ?? "Pages",
    language: "Language",
    version: "Version",
    added: "Added",
    indexed: "Indexed",
    source: "Source",
    sha: "SHA-256",
    id: "ID",
    sources: {
      text: "Pasted text",
      upload: "Upload",
      import: "Import",
      transcription: "Transcription",
    },
    folders: "Folders",
    in_no_folder:
      "This document is not in any folder, and will be permanently deleted after a while.",
    add_folder: "Add to folder",
    remove_from: (folder: string) => `Remove from ${folder}`,
    unknown_folder: "Unknown folder",
    indexing_title: "This document is being indexed",
    indexing_text: "You can ask about it once it is ready.",
  },
} as const;
