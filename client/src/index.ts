/** The client of Dossier, with the types of all its parameters and results. */
export { Dossier, type Page } from "./client.js";
export { DossierError, type ClientErrorCode, type DossierErrorCode } from "./errors.js";
export { UploadError } from "./upload.js";
export { verifyWebhook } from "./webhook.js";
export type { Asked, AskEvent, AskOptions } from "./ask.js";
export type {
  DocumentProgress,
  SyncedOptions,
  UploadOptions,
  UploadProgress,
  UploadSource,
} from "./upload.js";
export type { DossierEvent, EventsOptions } from "./events.js";
export type { SentWebhook, VerifiedWebhook, WebhookEvent } from "./webhook.js";
export type { CallOptions, DossierOptions, Fetch } from "./transport.js";
export type * from "./schema.gen.js";
