/**
 * Everything a plugin may import, as `dossier`. Adding a name here is a promise; removing one
 * raises CONTRACT.
 */

// --- A plugin and its parts
export { definePlugin, type Context } from "./plugin/contract";
export {
  CommandObserver,
  UsageError,
  type Command,
  type CommandHandler,
  type CommandInput,
  type RunCommand,
} from "./plugin/command";
export { systemUser, takeCommandNotes, type CommandNote } from "./plugin/command-notes";
export { type Tool, type ToolInput } from "./plugin/tool";
export { fill, fillWith, service, slot, type Fill } from "./base/refs";
export { shaped } from "./base/shape";
export type { Filled } from "./plugin/slots";
export {
  beforeHook,
  check_errors,
  check_failed,
  Hooks,
  refused,
  type BeforeHook,
} from "./base/hooks";
export { ConfigError } from "./base/config";
export { misplacedSecret } from "./base/secret-places";
export { Duration, List, Secret, Size, type StoredLimits } from "./base/settings";
export { isOverruled, type SettingState } from "./plugin/setting-state";
export { kinds as setting_kinds } from "./base/stored-form";
export type { SettingForm } from "./plugin/setting-rules";

// --- Jobs, events, tasks, notifications
export {
  event,
  EventWriters,
  every,
  handle,
  job,
  JobObserver,
  PermanentFailure,
  type BegunJob,
  type EndedRun,
  type EventRef,
  type EventWriter,
  type ExhaustedCause,
  type JobEffect,
  type JobHandler,
  type JobRun,
  type PayloadOf,
} from "./jobs/contract";
export { lazyTask, task, TaskFailure, type Isolate } from "./isolate/contract";
export type { RunClock } from "./isolate/run-clock";
export { RecordChanged, topic, type Change, type Notifier, type Topic } from "./base/notifier";
export type { Shared } from "./shared/shared";

// --- The database and files
export { sql } from "kysely";
export { prepared, preparedFirst } from "./store/prepared-statements";
export { insertRows, rowsOf } from "./store/raw-statements";
export type { Migration } from "./store/schema";
export type { Db, PreparedReads } from "./store/store";
export { bytes, rowKey, toNumber } from "./store/columns";
export {
  countRows,
  listInParts,
  listInStretches,
  listPage,
  nearerEnd,
  type Listed,
  type ListedInParts,
} from "./store/listing";
export { isFull, isUnique } from "./store/storage-errors";
export { openReadConnection, type ReadConnectionSpec } from "./store/read-connection";
export { PostgresReadSession } from "./store/postgres/read-session";
export { PostgresSideSession, type RunAside } from "./store/postgres/side-session";
export { findDamage, type DamageFound, type SearchPlace } from "./store/integrity";
export { copySnapshot, snapshotBytes } from "./store/snapshot";
export { findDanglingRows, findFaults, readFacts, type DatabaseFacts } from "./store/inspection";
export { database_file, lockFile } from "./store/lock";
export { copy_pattern, rolled_back_pattern } from "./store/migration-copies";
export { namedVersion } from "./store/migrator";
export {
  isWhole,
  piecesOf,
  type Files,
  type ReceivedFile,
  type StoredBytes,
  type StoredFile,
} from "./store/files";

// --- Routes: schemas, fields, pages, answers, errors
export { Type as t, type Static, type TObject, type TSchema } from "@sinclair/typebox";
export {
  documented,
  Failure,
  named,
  narrowed,
  Nullable,
  OneOf,
  ServerSentEvent,
  Timestamp,
} from "./http/schemas";
export { Validator } from "./http/validation";
export type { LateSchema } from "./http/schema-book";
export {
  reply,
  route,
  type Call,
  type Caller,
  type Client,
  type HandlersOf,
  type LocalRequest,
} from "./http/route";
export {
  badRequest,
  conflict,
  forbidden,
  HttpError,
  notFound,
  tooLarge,
  unavailable,
} from "./base/errors";
export { startThread } from "./base/descriptors";
export {
  checkedName,
  codePoints,
  description_length_max,
  LimitedText,
  name_length_max,
  optionalText,
  PublicUrl,
  WebUrl,
  RequiredText,
  TrimmedName,
  requiredText,
  trimmed,
} from "./http/fields";
export {
  LongPage,
  PageOf,
  PageQuery,
  pageWindow,
  toPage,
  type Page,
  type PageRequest,
} from "./http/pagination";
export {
  announcedBytes,
  receiveBody,
  receiveFile,
  receiveFiles,
  type FilePart,
  type ReceivedPart,
} from "./http/upload";
export { requireAllOwned, requireOwned } from "./http/ownership";
export { attachment } from "./http/attachment";
export { pullStream } from "./http/pull-stream";
export { ArchiveStreams } from "./http/archive-streams";
export {
  event_stream_headers,
  eventStream,
  lastEventId,
  sentEvent,
  StreamLimit,
  type EventStreamOptions,
  type Feed,
} from "./http/event-stream";

// --- Slots of the gateway
export {
  Authenticator,
  DocumentParts,
  HealthFields,
  Protocols,
  RateLimiter,
  ReadinessChecks,
  RequestObserver,
  StartNotice,
  Surface,
  type Authentication,
  type RateLimit,
  type SentRequest,
  type ServedRequest,
} from "./http/slots";
export { sameHost } from "./http/client";
export { basePathOf } from "./base/public-url";
export { inBlock, ipVersion, networkSetting, type Networks } from "./base/networks";

// --- Requests to user-supplied addresses
export { createAddressPolicy, type AddressPolicy } from "./outbound/address-policy";
export { createDnsLookup, DnsLookup } from "./outbound/dns-lookup";
export { checkHost } from "./outbound/host-check";
export { errorCode, fetchPinned, readHead } from "./outbound/pinned-fetch";
export { postPinned, type PostAnswer } from "./outbound/pinned-post";
export { fetchBounded } from "./outbound/bounded-fetch";
export { NotHttp } from "./outbound/response-reader";
export { probeEndpoint } from "./outbound/endpoint-probe";
export { askEndpoint, hostOf, wrongShape, type EndpointFinding } from "./outbound/endpoint-request";
export {
  InvalidUrl,
  looksLikeUrl,
  parseTarget,
  requireTarget,
  requireUrl,
  type Target,
} from "./outbound/target";
export { network_pattern, uri_pattern_with_fragment } from "./outbound/url-patterns";
export { EndpointLimits, KeyLimits, NotBlankLimits, SomeTimeLimits } from "./http/setting-limits";

// --- The running server: log, build, environment, health
export { levels, type Level, type Log } from "./base/log";
export { commit, version } from "./base/version";
export { environmentForPrograms } from "./base/environment";
export { serverOn, type AskServer } from "./base/server-address";
export type { NodeOverview, Operations } from "./plugin/operations";
export { plugin_bytes_max, type Added, type PluginDescription } from "./plugin/plugin-files";
export type { BatchDone } from "./jobs/job-actions";
export type { JobOverview } from "./jobs/job-queries";

// --- Times, ids, random numbers
export { rfc3339, rfc3339OrNull } from "./base/clock";
export { newUuid } from "./base/ids";
export { jitter } from "./base/random";
