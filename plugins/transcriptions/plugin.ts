/**
 * Transcriptions: recordings and captions become documents whose citations tell when something is
 * said.
 */
import { definePlugin, Duration, fill, handle, Secret, t } from "../../core/sdk";
import { Accounts } from "../accounts/contract";
import { DocumentUses, Documents, FileUses } from "../documents/contract";
import { Extractors } from "../extraction/contract";
import { FolderContents, Folders } from "../folders/contract";
import { FetchRule } from "../imports/contract";
import { Quotas } from "../quotas/contract";
import { NameLookup, WebhookDue, WebhookEvents } from "../webhooks/contract";
import { Transcribers } from "./contract";
import { createEnding } from "./runs";
import { captionsExtractor } from "./extractor";
import { createHearing } from "./reader";
import { migrations } from "./migrations";
import type { TranscriptionParts } from "./parts";
import { tasks } from "./child/tasks";
import { routes, transcriptionHandlers } from "./routes";
import { attempts_max, createRunning, FetchRecording, HearRecording, ReadCaptions } from "./runner";
import { createTranscriptions } from "./service";
import { chosenTranscriber } from "./settings";
import { fileIsUsed } from "./store";
import { createCommandTranscriber, removeLeftovers } from "./transcribers/command";
import { createEndpointTranscriber } from "./transcribers/openai";

const minute_ms = 60_000;
const fetch_ms_max = 60 * minute_ms;
/** Beyond the time for hearing: for what comes before and after it. */
const around_ms = 5 * minute_ms;
/** Captions are read, and recordings fetched, so many at a time. */
const readings_max = 4,
  fetches_max = 16;

export default definePlugin({
  name: "transcriptions",
  version: "1.0.0",
  section: "transcription",
  config: t.Object({
    provider: t.Union([t.Literal("none"), t.Literal("openai"), t.Literal("command")], {
      default: "none",
      description:
        "Who turns speech into text: an OpenAI-compatible endpoint, or a program on this " +
        "machine. Captions need neither.",
    }),
    base_url: t.Optional(
      t.String({
        description: "The OpenAI-compatible endpoint, such as http://127.0.0.1:8000/v1.",
      }),
    ),
    api_key: t.Optional(Secret({ description: "The endpoint's key, when it wants one." })),
    model: t.Optional(t.String({ description: "The model there." })),
    command: t.Optional(
      t.String({
        description:
          "The program with its arguments: {input} is the recording, {output} a path to write " +
          "to, {language} the language or auto. No shell reads it.",
      }),
    ),
    language: t.Optional(
      t.String({
        description: "The language that is spoken, such as en, for transcribers that want to know.",
      }),
    ),
    timeout: Duration({ default: "2h", description: "For transcribing one recording." }),
    concurrency: t.Integer({
      default: 1,
      minimum: 1,
      maximum: 64,
      description: "Recordings that are transcribed at the same time.",
    }),
  }),
  needs: {
    accounts: Accounts,
    folders: Folders,
    documents: Documents,
    quotas: Quotas,
    lookup: NameLookup,
    allows: FetchRule,
  },
  slots: { transcribers: Transcribers },
  tables: ["transcriptions", "transcriptions_results"],
  migrations,
  routes,
  tasks,
  setup: (ctx) => {
    const {
      config,
      services,
      slots,
      files,
      log,
      newId,
      paths: { temporary },
    } = ctx;
    const chosen = chosenTranscriber(config);
    const parts: TranscriptionParts = {
      ...services,
      db: ctx.db,
      inTransaction: ctx.inTransaction,
      afterCommit: ctx.afterCommit,
      now_ms: ctx.now_ms,
      newId,
      truncateWal: ctx.truncateWal,
      files,
      log,
      isActive: async (owner_id) => (await services.accounts.findUser(owner_id)).active,
      isolate: ctx.isolate,
      temporary,
      cancelJobs: ctx.cancelJobs,
      language: config.language ?? null,
      timeout_ms: config.timeout,
      transcriber: () => [...slots.transcribers()].sort((one, other) => other.rank - one.rank)[0],
      queue: (tx, { id, owner_id, kind, sha256 }) => {
        const next =
          sha256 === null ? FetchRecording : kind === "captions" ? ReadCaptions : HearRecording;
        return ctx.enqueue(
          tx,
          next,
          { run_id: id },
          { subject: id, key: id, owner: owner_id, queue: `${next.id}:${owner_id}` },
        );
      },
      changed: ({ id, owner_id, folder_id }, action) =>
        ctx.notify({ owner_id, kind: "transcription", id, folder_id, action }),
      announce: (tx, { id, owner_id }) =>
        ctx.emit(tx, WebhookDue, {
          owner_id,
          event_type: "transcription.completed",
          body: {
            event: "transcription.completed",
            processing_run_id: id,
            result_history_id: null,
            status: "completed",
          },
        }),
    };
    const ending = createEnding(parts),
      hearing = createHearing(parts),
      running = createRunning(parts, hearing, ending),
      limits = { attempts_max, onExhausted: running.onExhausted };
    return {
      routes: transcriptionHandlers(createTranscriptions(parts, ending), {
        files,
        upload_bytes_max: services.documents.upload_bytes_max,
      }),
      fills: [
        fill(FolderContents, {
          remove: (tx, _owner_id, folder_ids) => ending.removeFrom(tx, folder_ids),
        }),
        fill(DocumentUses, { remove: ending.removeDocuments }),
        fill(FileUses, { isUsed: fileIsUsed }),
        fill(WebhookEvents, {
          type: "transcription.completed",
          sample: {
            event: "transcription.completed",
            processing_run_id: "trn_00000000000000000000000000",
            result_history_id: null,
            status: "completed",
          },
        }),
        fill(Extractors, captionsExtractor(hearing)),
        ...(chosen.kind === "openai"
          ? [fill(Transcribers, createEndpointTranscriber(chosen))]
          : []),
        ...(chosen.kind === "command"
          ? [
              fill(
                Transcribers,
                createCommandTranscriber({ words: chosen.words, temporary, newId, log }),
              ),
            ]
          : []),
      ],
      jobs: [
        handle(FetchRecording, running.fetch, {
          ...limits,
          timeout_ms: fetch_ms_max,
          concurrency: fetches_max,
          io_bound: true,
        }),
        handle(ReadCaptions, running.read, {
          ...limits,
          timeout_ms: around_ms,
          concurrency: readings_max,
        }),
        handle(HearRecording, running.hear, {
          ...limits,
          timeout_ms: config.timeout + around_ms,
          concurrency: config.concurrency,
        }),
      ],
      health: async () =>
        chosen.kind !== "command" || Bun.which(chosen.words[0]!)
          ? "ok"
          : {
              failing: `Recordings can't be transcribed: the program ${chosen.words[0]} of transcription.command is not installed.`,
            },
      start: () => removeLeftovers(temporary),
    };
  },
});
