/** The module `dossier/contracts` for plugin files: the contracts of every built-in plugin. */
export {
  Accounts,
  purgeOfUser,
  SessionRules,
  Sessions,
  UserDeactivated,
  UserDeleted,
  type BegunSession,
  type ExternalUser,
  type Key,
  type KnownSession,
  type NewKey,
  type NewUser,
  type Role,
  type Scope,
  type SessionOrigin,
  type SessionRule,
  type User,
} from "./accounts/contract";
export { BackupProbes, type BackupProbe } from "./backups/contract";
export * from "./chats/contract";
export * from "./console/contract";
export {
  Doctor,
  SystemChecks,
  type Checked,
  type CheckResult,
  type SystemCheck,
} from "./doctor/contract";
export * from "./documents/contract";
export * from "./events/contract";
export * from "./extraction/contract";
export {
  BeforeFolderCreate,
  FolderContents,
  FolderDeleted,
  Folders,
  type AdmittedFolder,
  type Folder,
  type FolderCopy,
  type FolderCreation,
} from "./folders/contract";
export * from "./imports/contract";
export * from "./metrics/contract";
export * from "./search-index/contract";
export * from "./prompts/contract";
export * from "./quotas/contract";
export * from "./search/contract";
export * from "./sign-in/contract";
export * from "./transcriptions/contract";
export * from "./webhooks/contract";
