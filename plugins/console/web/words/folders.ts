/** The words of folders and documents. */
import { formatNumber } from "../ui/format";

const documents = (count: number) => `${formatNumber(count)} ${count === 1 ? "document" : "documents"}`;
const files = (count: number) => `${formatNumber(count)} ${count === 1 ? "file" : "files"}`;

export const folder_words = {
  documents,
  title: "Folders", text: "What you put into a folder is read, indexed and ready to be asked about.", new_folder: "New folder", new_subfolder: "New subfolder", search: "Search folders by name", label: "Folders",
  folder: "Folder", count: "Documents", state: "Status", updated: "Changed", actions: "Actions", actions_of: (name: string) => `Actions for ${name}`,
  indexing: (count: number) => `${formatNumber(count)} indexing`, failed: (count: number) => `${formatNumber(count)} failed`, ready: "Ready",
  here: (count: number) => `${formatNumber(count)} here`, with_subfolders: (count: number) => `${formatNumber(count)} with subfolders`,
  open: "Open", edit: "Rename", delete: "Delete", collapse: (name: string) => `Hide subfolders of ${name}`, expand: (name: string) => `Show subfolders of ${name}`,
  empty_title: "Create your first folder", empty_text: "A folder holds documents. Chats and searches look into the folders you choose.",
  none_found: (query: string) => `No folder is named like “${query}”`, clear: "Clear search",
  dialog: {
    new_title: "New folder", new_sub_title: (parent: string) => `New folder in ${parent}`, name: "Name", description: "Description", description_hint: "For people. Leave it empty if the name says it all.",
    parent: "Inside", parent_none: "Nothing: a folder of its own", create: "Create folder", edit_title: "Rename folder", save: "Save",
    delete_title: (name: string) => `Delete “${name}”?`,
    delete_text: (count: number, subfolders: number) => {
      const below = subfolders > 0 ? `, in it and its ${subfolders} ${subfolders === 1 ? "subfolder" : "subfolders"},` : "";
      return `${documents(count)}${below} will be deleted for good, except those that are in another folder too. This can’t be undone.`;
    },
    delete_empty: "It is empty. This can’t be undone.", delete_action: "Delete folder", deleted: (name: string) => `“${name}” deleted.`, created: (name: string) => `“${name}” created.`,
  },
  page: {
    upload: "Upload", paste: "Paste text", ask: "Ask this folder", more: "More actions for this folder", subfolders: "Subfolders",
    drop_title: "Drop files here", drop_or: "or", choose: "choose files", drop_hint: "PDF, Word, PowerPoint, Excel, mail, web pages, images and text", drop_slim: "Drop files anywhere on this page, or",
    drop_over: (name: string) => `Drop to upload to ${name}`, upload_label: "Choose files to upload",
    search: "Search by name or content", status_label: "Show", statuses: { all: "All", synced: "Ready", syncing: "Indexing", sync_failed: "Failed" },
    tab_documents: "Documents", tab_removed: "Removed", tabs: "Documents of this folder", table: "Documents", removed_table: "Removed documents",
    document: "Document", status: "Status", updated: "Changed", actions: "Actions", select: (name: string) => `Select ${name}`,
    empty_filter: "No document matches", empty_filter_text: "Try another word, or show all.", show_all: "Show all",
    empty_removed: "Nothing was removed", empty_removed_text: "Documents you remove from this folder wait here for 30 days.", restore: "Restore", restore_label: (name: string) => `Restore ${name}`,
    restored: (name: string) => `“${name}” is back.`,
    pages: (count: number) => `${formatNumber(count)} ${count === 1 ? "page" : "pages"}`, warnings: (count: number) => `${count} ${count === 1 ? "warning" : "warnings"}`,
    none_named: (query: string) => `No document here is named like “${query}”.`, hits: "Found in the text", hit_page: (page: number) => `Page ${page}`, no_hits: "Nothing in the text of this folder’s documents.", searching: "Searching the text …",
  },
  status: {
    synced: "Ready", syncing: "Indexing", sync_failed: "Failed",
    stages: { queued: "Waiting", extracting: "Reading the text", chunking: "Cutting into passages", embedding: "Embedding passages", storing: "Storing", done: "Finishing" },
    step: (stage: string, percent: string) => `${stage} · ${percent}`, stalled: (ago: string) => `No progress since ${ago}`, attempt: (count: number) => `try ${count}`, indexing_of: (name: string) => `Indexing ${name}`,
  },
  actions_of_document: {
    open: "Open", rename: "Rename", place: "Move or add to folder", reindex: "Index again", download: "Download", remove: "Remove from folder", retry: "Retry", retry_label: (name: string) => `Retry ${name}`,
    removed: (name: string) => `“${name}” removed from this folder.`, removed_many: (count: number) => `${documents(count)} removed from this folder.`, undone: "Put back.",
    reindexing: (name: string) => `“${name}” is being indexed again.`, reindexing_many: (count: number) => `${documents(count)} are being indexed again.`,
    rename_title: "Rename document", name: "Name", place_title: (name: string) => `Move or add “${name}”`, place_title_many: (count: number) => `Move or add ${documents(count)}`, target: "Folder",
    choose: "Choose a folder …",
    mode: "What to do", move: "Move there", add: "Add there too", place_action: "Continue", moved: (what: string, folder: string) => `${what} moved to ${folder}.`,
    added: (what: string, folder: string) => `${what} added to ${folder}.`,
    no_target: "There is no other folder yet.", some_failed: (count: number, why: string) => `${documents(count)} could not be changed: ${why}`,
    selected: (count: number) => `${formatNumber(count)} selected`, clear: "Clear selection", bulk: "Selected documents",
    paste_title: "Paste text as a document", paste_name: "Name", paste_name_hint: "Without a name, the first line is taken.", paste_text: "Text", paste_action: "Add document", pasted: "Document added.",
  },
  upload: {
    title: "Uploads", sending: (done: number, total: number) => `Uploading ${formatNumber(done)} of ${formatNumber(total)}`, finished: (count: number) => `${files(count)} uploaded`,
    attention: (count: number) => `${files(count)} ${count === 1 ? "waits" : "wait"} for your decision`,
    refused: (count: number) => `${files(count)} could not be uploaded`,
    waiting: "Waiting", sent: "Uploaded", saving: "Saving", slowed: "Waiting for the server", more: (count: number) => `and ${formatNumber(count)} more`, cancel: "Cancel",
    cancel_label: (name: string) => `Cancel ${name}`, cancel_all: "Cancel all", dismiss: "Clear list",
    retry: "Retry", retry_all: "Retry all", more_failed: (count: number) => `and ${formatNumber(count)} more that failed`,
    retry_label: (name: string) => `Retry ${name}`, skip: "Skip", skip_label: (name: string) => `Skip ${name}`,
    clash: "A file with this name exists.", clash_title: (count: number) => count === 1 ? "A file with this name is in the folder already" : `${files(count)} are in the folder already`,
    replace: "Replace", keep: "Keep both", replace_label: (name: string) => `Replace ${name}`, keep_label: (name: string) => `Keep both of ${name}`, replace_all: "Replace all", keep_all: "Keep all", skip_all: "Skip all",
    done: (count: number) => `${files(count)} uploaded. Ask about ${count === 1 ? "it as soon as it is" : "them as soon as they are"} ready.`, progress_of: (name: string) => `Upload of ${name}`, leave: "Uploads are still running.",
  },
  one: {
    title: "Document", ask: "Ask about this", download: "Download original", more: "More actions for this document", details: "Details", preview: "Preview", show: "Show text", removed: "Removed from every folder",
    failed_title: "This document could not be indexed", failed_next: {
      unsupported_type: "Dossier does not read this kind of file. Save it as PDF, Word or text and upload that.", too_large: "Split it, or ask an administrator to raise the limits.",
      encrypted: "Remove the password and upload it again.",
      corrupt: "The file is damaged. Open and save it again, then upload that.", empty: "There is no text in it. A scan needs text recognition to be on.",
      timeout: "It took too long. Retry when the server has less to do, or split it.",
      out_of_memory: "It needs more memory than it may take. Split it.", extract_failed: "Retry. When it stays, download the original and check that it opens.", cancelled: "It was cancelled. Retry to index it.",
    } as Readonly<Record<string, string>>,
    still_answers: "Until then, the version before it goes on answering.", warnings: "Warnings", warning_page: (page: number) => `Page ${page}: `,
    status: "Status", type: "Type", size: "Size", page_count: "Pages", language: "Language", version: "Version", added: "Added", indexed: "Indexed", source: "Source", sha: "SHA-256", id: "Id",
    sources: { text: "Pasted text", upload: "Upload", import: "Import", transcription: "Transcription" },
    folders: "Folders", in_no_folder: "It is in no folder, and will be deleted for good after a while.", add_folder: "Add to folder", remove_from: (folder: string) => `Remove from ${folder}`,
    removed_from: (folder: string) => `Removed from ${folder}.`, unknown_folder: "A folder",
    indexing_title: "This document is being indexed", indexing_text: "It can be asked about as soon as it is ready.",
  },
} as const;
