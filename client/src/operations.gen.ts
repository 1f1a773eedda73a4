/** Every operation of the API as a method, made by `npm run build:client` from the OpenAPI document. */
import type { Answering, AuditEntryPage, Chat, ChatInput, ChatPage, Delivery, DeliveryPage, Document, DocumentBatch, DocumentBatchResult, DocumentChange, DocumentIds, DocumentLink, DocumentPage, DocumentText, DocumentWithContent, Feedback, FeedbackOfUserPage, Folder, FolderChange, FolderImport, FolderImportIdPage, FolderImportPage, FolderPage, Import, ImportDirectories, ImportItemPage, ImportPage, ImportPreview, ImportSchedule, ImportSchedulePage, MessagePage, MessageState, NewDocument, NewFeedback, NewFolder, NewImport, NewImportSchedule, NewMessage, NewPrompt, NewSettings, NewTranscription, NewWebhook, OwnFeedbackPage, PolledAnswer, Prompt, PromptChange, PromptPage, SearchQuery, SearchResult, SettingsTrial, SuggestedQuestions, Transcript, Transcription, TranscriptionPage, Webhook, WebhookWithSecret, operations } from "./schema.gen.js";
import type { CallOptions, Transport } from "./transport.js";

type Query<O extends keyof operations> = NonNullable<operations[O]["parameters"]["query"]>;
const at = encodeURIComponent;

export class Operations {
  constructor(protected readonly transport: Transport) {}

  /** The OpenAPI contract. This document. It needs no API key. */
  getOpenApi(options: CallOptions = {}): Promise<operations["getOpenApi"]["responses"][200]["content"]["application/json"]> {
    return this.transport.json({ method: "GET", path: "/openapi.json" }, options);
  }

  /**
   * Delete a user. For good, with everything that is theirs: folders, documents, chats, prompts,
   * webhooks, imports, transcriptions, keys. They are signed out and gone from every list at once;
   * the rest leaves the disk in the background. The audit log keeps what they did.
   */
  deleteUser(userId: string, options: CallOptions = {}): Promise<void> {
    return this.transport.json({ method: "DELETE", path: `/users/${at(userId)}` }, options);
  }

  /**
   * List the audit log. Who did what to which record, and from where; newest first. An entry is
   * there a moment after the answer.
   */
  listAuditEntries(query: Query<"listAuditEntries"> = {}, options: CallOptions = {}): Promise<AuditEntryPage> {
    return this.transport.json({ method: "GET", path: "/audit", query }, options);
  }

  /** Export the audit log. Every entry that the filters find, newest first, as one file. */
  exportAuditEntries(query: Query<"exportAuditEntries"> = {}, options: CallOptions = {}): Promise<string | operations["exportAuditEntries"]["responses"][200]["content"]["application/json"]> {
    return this.transport.json({ method: "GET", path: "/audit/export", query }, options);
  }

  /** List folders. The caller's folders, root folders and subfolders alike, newest first. */
  listFolders(query: Query<"listFolders"> = {}, options: CallOptions = {}): Promise<FolderPage> {
    return this.transport.json({ method: "GET", path: "/folders", query }, options);
  }

  /** Create a folder. With `parentId` it becomes a subfolder of that root folder. */
  createFolder(body: NewFolder, options: CallOptions = {}): Promise<Folder> {
    return this.transport.json({ method: "POST", path: "/folders", body }, options);
  }

  /** Get a folder. */
  getFolder(folderId: string, options: CallOptions = {}): Promise<Folder> {
    return this.transport.json({ method: "GET", path: `/folders/${at(folderId)}` }, options);
  }

  /**
   * Change a folder. Replaces the fields that are given; a `description` of null is taken away.
   * `parentId` can't be changed.
   */
  updateFolder(folderId: string, body: FolderChange, options: CallOptions = {}): Promise<Folder> {
    return this.transport.json({ method: "PUT", path: `/folders/${at(folderId)}`, body }, options);
  }

  /**
   * Delete a folder. Deletes the folder for good, with its subfolders, their search entries and
   * every document that is in no other folder.
   */
  deleteFolder(folderId: string, options: CallOptions = {}): Promise<void> {
    return this.transport.json({ method: "DELETE", path: `/folders/${at(folderId)}` }, options);
  }

  /** List saved prompts. The caller's saved prompts, newest first. */
  listPrompts(query: Query<"listPrompts"> = {}, options: CallOptions = {}): Promise<PromptPage> {
    return this.transport.json({ method: "GET", path: "/prompts", query }, options);
  }

  /**
   * Save a prompt. Saves a text that the caller's chat sessions can apply to their answers
   * (`usedPrompts`).
   */
  createPrompt(body: NewPrompt, options: CallOptions = {}): Promise<Prompt> {
    return this.transport.json({ method: "POST", path: "/prompts", body }, options);
  }

  /** Get a prompt. One of the caller's saved prompts. */
  getPrompt(promptId: string, options: CallOptions = {}): Promise<Prompt> {
    return this.transport.json({ method: "GET", path: `/prompts/${at(promptId)}` }, options);
  }

  /** Change a prompt. Replaces the fields that are given; a `description` of null is taken away. */
  updatePrompt(promptId: string, body: PromptChange, options: CallOptions = {}): Promise<Prompt> {
    return this.transport.json({ method: "PUT", path: `/prompts/${at(promptId)}`, body }, options);
  }

  /**
   * Delete a prompt. Deletes the prompt for good; its id leaves the `usedPrompts` of every chat
   * session.
   */
  deletePrompt(promptId: string, options: CallOptions = {}): Promise<void> {
    return this.transport.json({ method: "DELETE", path: `/prompts/${at(promptId)}` }, options);
  }

  /**
   * List the documents of a folder. The documents of this very folder, subfolders aside, newest
   * first unless sorted. Items carry no text: fetch it from `content_url`.
   */
  listDocuments(query: Query<"listDocuments">, options: CallOptions = {}): Promise<DocumentPage> {
    return this.transport.json({ method: "GET", path: "/documents", query }, options);
  }

  /**
   * Create a text document. Stores the text and indexes it in the background. Texts may share a
   * name.
   */
  createDocument(body: NewDocument, options: CallOptions = {}): Promise<Document> {
    return this.transport.json({ method: "POST", path: "/documents", body }, options);
  }

  /**
   * Upload a file. Stores the file, reads its text and indexes it in the background. Its name is
   * the last segment of the part's file name. A document of the same name in the folder is refused
   * with 409, or replaced with `overwrite=true`: it keeps its id, and its old text answers until
   * the new one is indexed.
   */
  uploadDocument(query: Query<"uploadDocument">, body: { file: Blob } | FormData, options: CallOptions = {}): Promise<Document> {
    return this.transport.json({ method: "POST", path: "/documents/file", query, body }, options);
  }

  /** Get a document. */
  getDocument(documentId: string, query: Query<"getDocument"> = {}, options: CallOptions = {}): Promise<DocumentWithContent> {
    return this.transport.json({ method: "GET", path: `/documents/${at(documentId)}`, query }, options);
  }

  /** Rename a document. */
  renameDocument(documentId: string, body: DocumentChange, options: CallOptions = {}): Promise<Document> {
    return this.transport.json({ method: "PATCH", path: `/documents/${at(documentId)}`, body }, options);
  }

  /**
   * Take a document out of a folder. The document leaves the folder's list, search and chats at
   * once, and stays in its other folders. It can be restored; one that no folder has is deleted for
   * good after a while.
   */
  unlinkDocument(documentId: string, query: Query<"unlinkDocument">, options: CallOptions = {}): Promise<void> {
    return this.transport.json({ method: "DELETE", path: `/documents/${at(documentId)}`, query }, options);
  }

  /**
   * Read a part of a document's text. From a place or a page on, as much as is asked for;
   * `next_start` goes on. Offsets count code points, as those of citations do.
   */
  readDocumentText(documentId: string, query: Query<"readDocumentText"> = {}, options: CallOptions = {}): Promise<DocumentText> {
    return this.transport.json({ method: "GET", path: `/documents/${at(documentId)}/text`, query }, options);
  }

  /**
   * Download the original. The bytes as they were sent, of the version that answers. One `Range` is
   * honoured.
   */
  downloadDocument(documentId: string, options: CallOptions = {}): Promise<Response> {
    return this.transport.raw({ method: "GET", path: `/documents/${at(documentId)}/file` }, options);
  }

  /**
   * Index a document again. Reads and indexes the newest version again, above all after
   * `sync_failed`. What answers now goes on answering meanwhile.
   */
  reindexDocument(documentId: string, options: CallOptions = {}): Promise<Document> {
    return this.transport.json({ method: "POST", path: `/documents/${at(documentId)}/reindex` }, options);
  }

  /**
   * Put a document into another folder. The document stays in its other folders. One that is in the
   * folder already stays there.
   */
  linkDocument(documentId: string, body: DocumentLink, options: CallOptions = {}): Promise<Document> {
    return this.transport.json({ method: "POST", path: `/documents/${at(documentId)}/links`, body }, options);
  }

  /** Put a document back into a folder. Undoes taking it out of that folder. */
  restoreDocument(documentId: string, query: Query<"restoreDocument">, options: CallOptions = {}): Promise<Document> {
    return this.transport.json({ method: "POST", path: `/documents/${at(documentId)}/restore`, query }, options);
  }

  /**
   * Do something with many documents. Each for itself, as the call for one document would: what
   * can't be done with one holds up no other, and is among `problems`.
   */
  changeDocuments(body: DocumentBatch, options: CallOptions = {}): Promise<DocumentBatchResult> {
    return this.transport.json({ method: "POST", path: "/documents/batch", body }, options);
  }

  /**
   * List the ids of a folder's documents. Of this very folder, newest first: what a batch is made
   * of.
   */
  listDocumentIds(folderId: string, query: Query<"listDocumentIds"> = {}, options: CallOptions = {}): Promise<DocumentIds> {
    return this.transport.json({ method: "GET", path: `/folders/${at(folderId)}/document-ids`, query }, options);
  }

  /**
   * Download documents of a folder as a ZIP file. The originals of this very folder, or of some of
   * its documents, made while it is sent. Names that clash get a number; a `/` in a name is a
   * directory. What could not be read is named in `not included.txt`.
   */
  downloadDocuments(folderId: string, query: Query<"downloadDocuments"> = {}, options: CallOptions = {}): Promise<Response> {
    return this.transport.raw({ method: "GET", path: `/folders/${at(folderId)}/documents.zip`, query }, options);
  }

  /**
   * Search passages. The passages that match best, best first, from the texts that answer now.
   * Offsets count Unicode code points of the document's content, end exclusive. A key with the
   * scope `read` may search.
   */
  search(body: SearchQuery, options: CallOptions = {}): Promise<SearchResult> {
    return this.transport.json({ method: "POST", path: "/search", body, isSafe: true }, options);
  }

  /** List chat sessions. The caller's chat sessions, newest first. */
  listChats(query: Query<"listChats"> = {}, options: CallOptions = {}): Promise<ChatPage> {
    return this.transport.json({ method: "GET", path: "/chats", query }, options);
  }

  /**
   * Create a chat session. Every field is optional, and so is the body. Lists that are absent are
   * empty; an id given twice counts once.
   */
  createChat(body: ChatInput, options: CallOptions = {}): Promise<Chat> {
    return this.transport.json({ method: "POST", path: "/chats", body }, options);
  }

  /** Get a chat session. */
  getChat(sessionId: string, options: CallOptions = {}): Promise<Chat> {
    return this.transport.json({ method: "GET", path: `/chats/${at(sessionId)}` }, options);
  }

  /**
   * Change a chat session. Replaces the fields that are given. Null takes the name away and empties
   * a list.
   */
  updateChat(sessionId: string, body: ChatInput, options: CallOptions = {}): Promise<Chat> {
    return this.transport.json({ method: "PUT", path: `/chats/${at(sessionId)}`, body }, options);
  }

  /**
   * Delete a chat session. Reversible for 30 days (`chats.restore_for`): `POST
   * /chats/{sessionId}/restore` brings it back. Until then it counts against the quota. An answer
   * that is being made is finished meanwhile. With `permanent=true` the session goes for good,
   * deleted before or not.
   */
  deleteChat(sessionId: string, query: Query<"deleteChat"> = {}, options: CallOptions = {}): Promise<void> {
    return this.transport.json({ method: "DELETE", path: `/chats/${at(sessionId)}`, query }, options);
  }

  /**
   * Restore a chat session. Brings a deleted session back with its messages. A session that is not
   * deleted stays as it is.
   */
  restoreChat(sessionId: string, options: CallOptions = {}): Promise<Chat> {
    return this.transport.json({ method: "POST", path: `/chats/${at(sessionId)}/restore` }, options);
  }

  /**
   * Send a message. Starts an answer, which is read by polling. With a `requestId` of your own,
   * sending the same message again is harmless: it answers 202 with the state that the message has.
   */
  sendMessage(sessionId: string, body: NewMessage, options: CallOptions = {}): Promise<MessageState> {
    return this.transport.json({ method: "POST", path: `/chats/${at(sessionId)}/messages`, body }, options);
  }

  /**
   * List messages. The messages of the session with their answers, newest first. Only here, and in
   * the answers to sending and cancelling, `status` may also read `FAILED` or `CANCELLED`.
   */
  listMessages(sessionId: string, query: Query<"listMessages"> = {}, options: CallOptions = {}): Promise<MessagePage> {
    return this.transport.json({ method: "GET", path: `/chats/${at(sessionId)}/messages`, query }, options);
  }

  /**
   * Poll an answer. With `Prefer: wait=20` (RFC 7240, at most 30 s) it answers as soon as the
   * status changes; without it, at once.
   */
  pollMessage(sessionId: string, requestId: string, options: CallOptions = {}): Promise<PolledAnswer> {
    return this.transport.json({ method: "GET", path: `/chats/${at(sessionId)}/messages/${at(requestId)}` }, options);
  }

  /**
   * Watch an answer. The answer while it is being made, as server-sent events. Any number of
   * clients may watch; the poll stays the truth. | event | data | |---|---| | `status` |
   * `{"status": "PENDING"}` or `{"status": "PROCESSING"}`: the state the message has. Every
   * `status` begins the answer anew: drop the text and citations received before it. | | `delta` |
   * `{"text": "…"}`: a further piece of the answer. The pieces since the last `status` make up the
   * text. | | `citation` | A citation of the answer, as in `result.citations`. | | `done` | The
   * `result`, the same JSON as in the poll, `related` included. The last event. | | `error` |
   * `{"code": "answer_failed", "message": "…"}`: the request failed or was cancelled (`code` is
   * `cancelled`). What was received before is void. The last event. | Ids grow within a message.
   * With `Last-Event-ID` the stream goes on after that event, also after a restart of the server;
   * once the last event was received it answers 204, which tells browsers not to come back. An
   * answer that had to be made again, after a fault or because a document it used was deleted,
   * begins with a new `status`. The end of an answer finished long ago is told anew in the same
   * form, from a `status` on. When the session is deleted or the server stops, the stream ends
   * without `done`.
   */
  streamMessage(sessionId: string, requestId: string, options: CallOptions = {}): Promise<Response> {
    return this.transport.raw({ method: "GET", path: `/chats/${at(sessionId)}/messages/${at(requestId)}/stream` }, options);
  }

  /**
   * Cancel an answer. Ends a running request. Polling it answers 500 `The answer was cancelled.`
   * from then on.
   */
  cancelMessage(sessionId: string, requestId: string, options: CallOptions = {}): Promise<MessageState> {
    return this.transport.json({ method: "POST", path: `/chats/${at(sessionId)}/messages/${at(requestId)}/cancel` }, options);
  }

  /**
   * Rate an answer. Replaces what was said of this answer before. It goes with the session.
   * Administrators see the rating, the note and the question, but not the answer.
   */
  giveFeedback(sessionId: string, requestId: string, body: NewFeedback, options: CallOptions = {}): Promise<Feedback> {
    return this.transport.json({ method: "PUT", path: `/chats/${at(sessionId)}/messages/${at(requestId)}/feedback`, body }, options);
  }

  /** Take a rating back. */
  deleteFeedback(sessionId: string, requestId: string, options: CallOptions = {}): Promise<void> {
    return this.transport.json({ method: "DELETE", path: `/chats/${at(sessionId)}/messages/${at(requestId)}/feedback` }, options);
  }

  /**
   * List your ratings. What the caller said of answers, newest first; deleted sessions are left
   * out.
   */
  listFeedback(query: Query<"listFeedback"> = {}, options: CallOptions = {}): Promise<OwnFeedbackPage> {
    return this.transport.json({ method: "GET", path: "/feedback", query }, options);
  }

  /**
   * List everybody's ratings. What all users said of answers, newest first. Sessions and answers
   * stay with their owner.
   */
  listAllFeedback(query: Query<"listAllFeedback"> = {}, options: CallOptions = {}): Promise<FeedbackOfUserPage> {
    return this.transport.json({ method: "GET", path: "/feedback/all", query }, options);
  }

  /** Tell what answers questions. */
  getAnswering(options: CallOptions = {}): Promise<Answering> {
    return this.transport.json({ method: "GET", path: "/answering" }, options);
  }

  /**
   * Suggest questions. At most four questions made of headings of the newest documents in these
   * folders, subfolders included. No heading worth a question, no suggestion.
   */
  suggestQuestions(query: Query<"suggestQuestions"> = {}, options: CallOptions = {}): Promise<SuggestedQuestions> {
    return this.transport.json({ method: "GET", path: "/suggested-questions", query }, options);
  }

  /**
   * Watch for changes. Server-sent events about what happens to the caller's folders, documents,
   * imports, transcriptions, chats and answers, in the order in which it happened. Each has an
   * `id`, its name as `event`, and JSON as `data`, which is what webhooks are sent where there is
   * one of that name. First comes `ready`, or, with the id of an event that was received
   * (`Last-Event-ID`), what has happened since. Ids are good for as long as `events.keep` says,
   * also after the server was started again; what is older is answered by `reset`: read your lists
   * again. An event may come twice, never not at all. A silent stream sends a comment every 15 s.
   * When the key or session ends, `closed` is the last event.
   */
  watchEvents(query: Query<"watchEvents"> = {}, options: CallOptions = {}): Promise<Response> {
    return this.transport.raw({ method: "GET", path: "/events", query }, options);
  }

  /**
   * Export a folder. The folder and its subfolders as one ZIP file, made while it is sent:
   * originals, texts, the index with its vectors, and the caller's chats that ask these folders and
   * no others, with their prompts. `manifest.json`, its last entry, names each part with its
   * SHA-256. The layout is in docs/operations.md.
   */
  exportFolder(folderId: string, options: CallOptions = {}): Promise<Response> {
    return this.transport.raw({ method: "GET", path: `/folders/${at(folderId)}/export` }, options);
  }

  /**
   * Import a folder. Makes a folder of an archive that an export has made, here or on another
   * server. Nothing is read or embedded again where this server indexes as that one did. All
   * records get new ids, and nothing is found before everything is there. An archive with a fault
   * is refused with 400 (`bad_archive`) that names the part; of a very large one the import says
   * so, with the same words.
   */
  importFolder(body: { file: Blob } | FormData, query: Query<"importFolder"> = {}, options: CallOptions = {}): Promise<FolderImport> {
    return this.transport.json({ method: "POST", path: "/folders/import", query, body }, options);
  }

  /**
   * List imports of folders. The caller's, newest first. One is forgotten some time after its end
   * (`folder_archives.keep_imports`).
   */
  listFolderImports(query: Query<"listFolderImports"> = {}, options: CallOptions = {}): Promise<FolderImportPage> {
    return this.transport.json({ method: "GET", path: "/folder-imports", query }, options);
  }

  /** Get an import of a folder. */
  getFolderImport(importId: string, options: CallOptions = {}): Promise<FolderImport> {
    return this.transport.json({ method: "GET", path: `/folder-imports/${at(importId)}` }, options);
  }

  /** List which record became which. The ids of the archive and those that its records have here. */
  listFolderImportIds(importId: string, query: Query<"listFolderImportIds"> = {}, options: CallOptions = {}): Promise<FolderImportIdPage> {
    return this.transport.json({ method: "GET", path: `/folder-imports/${at(importId)}/ids`, query }, options);
  }

  /** List webhooks. The caller's webhooks as an array, newest first, without their secrets. */
  listWebhooks(options: CallOptions = {}): Promise<operations["listWebhooks"]["responses"][200]["content"]["application/json"]> {
    return this.transport.json({ method: "GET", path: "/webhooks" }, options);
  }

  /**
   * Register a webhook. Registers a URL that is told when a run ends, and with a list of `events`
   * also of what happens to documents and answers. The answer holds the signing secret, this once.
   * The URL's host is looked up and must be public.
   */
  createWebhook(body: NewWebhook, options: CallOptions = {}): Promise<WebhookWithSecret> {
    return this.transport.json({ method: "POST", path: "/webhooks", body }, options);
  }

  /** Get a webhook. One of the caller's webhooks, without its secret. */
  getWebhook(webhookId: string, options: CallOptions = {}): Promise<Webhook> {
    return this.transport.json({ method: "GET", path: `/webhooks/${at(webhookId)}` }, options);
  }

  /**
   * Delete a webhook. Deletes the webhook and its log, cancels what waits to be delivered, and
   * frees a slot.
   */
  deleteWebhook(webhookId: string, options: CallOptions = {}): Promise<void> {
    return this.transport.json({ method: "DELETE", path: `/webhooks/${at(webhookId)}` }, options);
  }

  /**
   * Rotate a webhook's secret. Makes a new signing secret, shown this once. `webhook-signature`
   * carries the old one too for 24 hours.
   */
  rotateWebhookSecret(webhookId: string, options: CallOptions = {}): Promise<WebhookWithSecret> {
    return this.transport.json({ method: "POST", path: `/webhooks/${at(webhookId)}/rotate-secret` }, options);
  }

  /** Send a test delivery. Delivers a sample of the webhook's event, signed like a real one. */
  testWebhook(webhookId: string, options: CallOptions = {}): Promise<Delivery> {
    return this.transport.json({ method: "POST", path: `/webhooks/${at(webhookId)}/test` }, options);
  }

  /**
   * List deliveries. What was delivered to this webhook in the last 30 days, newest first, with
   * every attempt.
   */
  listWebhookDeliveries(webhookId: string, query: Query<"listWebhookDeliveries"> = {}, options: CallOptions = {}): Promise<DeliveryPage> {
    return this.transport.json({ method: "GET", path: `/webhooks/${at(webhookId)}/deliveries`, query }, options);
  }

  /** Get a delivery. One delivery with its attempts. */
  getWebhookDelivery(webhookId: string, deliveryId: string, options: CallOptions = {}): Promise<Delivery> {
    return this.transport.json({ method: "GET", path: `/webhooks/${at(webhookId)}/deliveries/${at(deliveryId)}` }, options);
  }

  /**
   * Deliver again. Sends the same body again, as a new delivery with attempts of its own and the
   * same `webhook-id`.
   */
  redeliverWebhook(webhookId: string, deliveryId: string, options: CallOptions = {}): Promise<Delivery> {
    return this.transport.json({ method: "POST", path: `/webhooks/${at(webhookId)}/deliveries/${at(deliveryId)}/redeliver` }, options);
  }

  /**
   * Import documents. Starts a run that makes documents of a list of addresses, a sitemap, a feed,
   * a ZIP archive or a directory of the server. What an earlier import into the folder has brought
   * is known by its address: it is skipped when it has not changed, and gets a new version when it
   * has. Of web pages the main text is taken. Addresses must be public; `robots.txt` is respected.
   */
  createImport(body: NewImport, options: CallOptions = {}): Promise<ImportPreview | Import> {
    return this.transport.json({ method: "POST", path: "/imports", body }, options);
  }

  /**
   * List imports. The caller's runs, newest first. Of a long list of addresses only the first are
   * shown. A run is forgotten some time after its end (`imports.keep_runs`).
   */
  listImports(query: Query<"listImports"> = {}, options: CallOptions = {}): Promise<ImportPage> {
    return this.transport.json({ method: "GET", path: "/imports", query }, options);
  }

  /**
   * Import files from the device. Makes a document of each file, as uploads do: a file whose name
   * is taken fails, or replaces the document with `overwrite=true`. At most 100 files a request. No
   * webhook is told of the end.
   */
  importFiles(query: Query<"importFiles">, body: { files: readonly Blob[] } | FormData, options: CallOptions = {}): Promise<Import> {
    return this.transport.json({ method: "POST", path: "/imports/files", query, body }, options);
  }

  /** Get an import. A run with its counts. */
  getImport(importId: string, options: CallOptions = {}): Promise<Import> {
    return this.transport.json({ method: "GET", path: `/imports/${at(importId)}` }, options);
  }

  /**
   * List the items of an import. In the order of the source, each with what became of it. None when
   * the folder was deleted: what was imported goes with it.
   */
  listImportItems(importId: string, query: Query<"listImportItems"> = {}, options: CallOptions = {}): Promise<ImportItemPage> {
    return this.transport.json({ method: "GET", path: `/imports/${at(importId)}/items`, query }, options);
  }

  /**
   * Cancel an import. Ends the run at once. What is finished stays; what is left is skipped. No
   * webhook is told.
   */
  cancelImport(importId: string, options: CallOptions = {}): Promise<Import> {
    return this.transport.json({ method: "POST", path: `/imports/${at(importId)}/cancel` }, options);
  }

  /**
   * Retry what has failed. Imports the failed items again, and no others. A source that could not
   * be read in whole is listed again. When the run ends again, webhooks are told again.
   */
  retryImport(importId: string, options: CallOptions = {}): Promise<Import> {
    return this.transport.json({ method: "POST", path: `/imports/${at(importId)}/retry` }, options);
  }

  /**
   * Schedule an import. Imports a source again and again. A time at which the run before is still
   * under way is left out.
   */
  createImportSchedule(body: NewImportSchedule, options: CallOptions = {}): Promise<ImportSchedule> {
    return this.transport.json({ method: "POST", path: "/import-schedules", body }, options);
  }

  /** List schedules of imports. The caller's schedules, newest first. */
  listImportSchedules(query: Query<"listImportSchedules"> = {}, options: CallOptions = {}): Promise<ImportSchedulePage> {
    return this.transport.json({ method: "GET", path: "/import-schedules", query }, options);
  }

  /** Delete a schedule of imports. Runs that it has begun go on. */
  deleteImportSchedule(scheduleId: string, options: CallOptions = {}): Promise<void> {
    return this.transport.json({ method: "DELETE", path: `/import-schedules/${at(scheduleId)}` }, options);
  }

  /**
   * List directories that may be imported. Those of this server that the operator allows
   * (`imports.directories`) and that are there, each followed by the directories right below it.
   * Those below these may be imported, too.
   */
  listImportDirectories(options: CallOptions = {}): Promise<ImportDirectories> {
    return this.transport.json({ method: "GET", path: "/import-directories" }, options);
  }

  /** List settings. Every setting of the server, with what is stored of it. Secrets are hidden. */
  listAllSettings(options: CallOptions = {}): Promise<operations["listAllSettings"]["responses"][200]["content"]["application/json"]> {
    return this.transport.json({ method: "GET", path: "/settings" }, options);
  }

  /**
   * Change settings. Each field is a setting, `section.key`; null takes away what is stored. All of
   * them are changed, or none. The command line, the environment and dossier.toml win over what is
   * stored: `overruled` says so.
   */
  changeSettings(body: NewSettings, options: CallOptions = {}): Promise<operations["changeSettings"]["responses"][200]["content"]["application/json"]> {
    return this.transport.json({ method: "PATCH", path: "/settings", body }, options);
  }

  /**
   * List sections of settings that can be tried. Those that name a service, such as a language
   * model.
   */
  listTriedSections(options: CallOptions = {}): Promise<operations["listTriedSections"]["responses"][200]["content"]["application/json"]> {
    return this.transport.json({ method: "GET", path: "/settings/sections" }, options);
  }

  /**
   * Try settings before they are stored. Uses the service that the section names, such as a
   * language model, and says what is wrong. The fields are those of `PATCH /settings`; those of
   * other sections are not tried, and what is not given is as it is in force. Nothing is stored. A
   * key that is set already is sent to no other server than the one that it is used at.
   */
  trySettings(section: string, body: NewSettings, options: CallOptions = {}): Promise<SettingsTrial> {
    return this.transport.json({ method: "POST", path: `/settings/${at(section)}/test`, body }, options);
  }

  /**
   * Transcribe a recording. Makes a document of what is said in a recording (audio or video), or of
   * captions (WebVTT or SRT). The file comes as a multipart part `file`, with `folder_id` in the
   * query; or as JSON with the `url` that it is fetched from; JSON may name the folder itself, and
   * needs none in the query then. What can't be transcribed is a run that failed, with its reason.
   * Captions need no set-up; recordings need a transcriber in the server's settings.
   * `transcription.completed` is sent to webhooks when the document is made.
   */
  createTranscription(query: Query<"createTranscription">, body: { file: Blob } | FormData | NewTranscription, options: CallOptions = {}): Promise<Transcription> {
    return this.transport.json({ method: "POST", path: "/transcriptions", query, body }, options);
  }

  /** List transcriptions. The caller's runs, newest first. */
  listTranscriptions(query: Query<"listTranscriptions"> = {}, options: CallOptions = {}): Promise<TranscriptionPage> {
    return this.transport.json({ method: "GET", path: "/transcriptions", query }, options);
  }

  /** Get a transcription. One of the caller's runs. */
  getTranscription(transcriptionId: string, options: CallOptions = {}): Promise<Transcription> {
    return this.transport.json({ method: "GET", path: `/transcriptions/${at(transcriptionId)}` }, options);
  }

  /**
   * Get what was heard. The transcript as it was made, whatever became of the document since; it
   * goes when its folder is deleted, or its document for good.
   */
  getTranscriptionResult(transcriptionId: string, query: Query<"getTranscriptionResult"> = {}, options: CallOptions = {}): Promise<Transcript | string> {
    return this.transport.json({ method: "GET", path: `/transcriptions/${at(transcriptionId)}/result`, query }, options);
  }

  /** Cancel a transcription. Stops the run at once. No document is made and no event is sent. */
  cancelTranscription(transcriptionId: string, options: CallOptions = {}): Promise<Transcription> {
    return this.transport.json({ method: "POST", path: `/transcriptions/${at(transcriptionId)}/cancel` }, options);
  }
}
