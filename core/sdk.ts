/**
 * Everything a plugin may import, as `dossier`. Adding a name here is a promise; removing one
 * raises CONTRACT.
 */
export { Type as t, type Static, type TObject, type TSchema } from "@sinclair/typebox";
export { CompiledQuery, sql } from "kysely";
export { CONTRACT, definePlugin, type Context, type Plugin } from "./plugin/define";
export {
  every,
  handle,
  PermanentFailure,
  type EnqueueOptions,
  type ExhaustedCause,
  type JobEffect,
  type JobHandler,
  type JobRun,
} from "./jobs/contract";
export { fill } from "./base/refs";
export { task, TaskFailure, type Isolate } from "./isolate/contract";
export { type Change } from "./base/notifier";
export { type Command, type CommandInput, type CommandHandler } from "./plugin/command";
export { type Migration } from "./store/schema";
export { RecordChanged, topic, type Notifier, type Topic } from "./base/notifier";
export { event, job, type EventRef, type JobRef, type PayloadOf } from "./jobs/contract";
export { service, slot, type ServiceRef, type SlotRef } from "./base/refs";
export {
  badRequest,
  conflict,
  forbidden,
  gone,
  HttpError,
  notFound,
  tooLarge,
  unavailable,
  type FieldProblem,
} from "./base/errors";
export {
  checkedName,
  checkedText,
  codePoints,
  description_length_max,
  isBlank,
  name_length_max,
  optionalText,
  requiredText,
  trimmed,
} from "./http/fields";
export { Nullable, Timestamp } from "./http/schemas";
export { Validator } from "./http/validation";
export {
  PageOf,
  PageQuery,
  pageWindow,
  per_page_max,
  toPage,
  type Page,
  type PageRequest,
} from "./http/pagination";
export {
  reply,
  route,
  type Call,
  type Caller,
  type HandlersOf,
  type Route,
  type Client,
} from "./http/route";
export {
  announcedBytes,
  receiveFile,
  receiveFiles,
  type FilePart,
  type ReceivedPart,
} from "./http/upload";
export {
  Authenticator,
  RateLimiter,
  RequestObserver,
  StartNotice,
  Surface,
  type Authentication,
  type RateLimit,
  type ServedRequest,
} from "./http/slots";
export { sameHost } from "./http/client";
export { pullStream } from "./http/pull-stream";
export { rfc3339, rfc3339OrNull, type Clock } from "./base/clock";
export { newUuid } from "./base/ids";
export { jitter } from "./base/random";
export { environmentForPrograms } from "./base/environment";
export { commit, version } from "./base/version";
export { ConfigError } from "./base/config";
export { Duration, List, Secret, Size } from "./base/settings";
export { checkHost } from "./outbound/host-check";
export { errorCode, fetchPinned, readHead } from "./outbound/pinned-fetch";
export { probeEndpoint } from "./outbound/endpoint-probe";
export { createDnsLookup, DnsLookup } from "./outbound/dns-lookup";
export { createAddressPolicy, type AddressPolicy } from "./outbound/address-policy";
export { InvalidUrl, parseTarget, requireTarget, type Target } from "./outbound/target";
export { levels, type Level, type Log } from "./base/log";
export type { Operations, PluginOverview } from "./plugin/operations";
export type { JobOverview } from "./jobs/overview";
export { findDamage } from "./store/integrity";
export type { Files, ReceivedFile } from "./store/files";
export type { Db, PreparedReads } from "./store/store";
export {
  openReadConnection,
  type ReadConnection,
  type ReadConnectionSpec,
  type ReadStatement,
} from "./store/read-connection";
export type { Seal } from "./store/seal";
export { isUnique } from "./store/storage-errors";
export { bytes, toNumber } from "./store/columns";
