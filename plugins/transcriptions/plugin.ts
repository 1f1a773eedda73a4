/** Transcriptions: recordings and captions become documents whose citations have times. */
import { Cleaner } from "../../core/lib/cleaner";
import { removeLeftovers } from "../../core/lib/temporary-files";
import {
  OneOf,
  definePlugin,
  DnsLookup,
  Duration,
  EndpointLimits,
  fill,
  fillWith,
  KeyLimits,
  NotBlankLimits,
  Secret,
  t,
  type Context,
} from "../../core/sdk";
import { Accounts, purgeOfUser } from "../accounts/contract";
import { DocumentUses, Documents, FileUses } from "../documents/contract";
import { Extractors } from "../extraction/contract";
import { FolderContents, Folders } from "../folders/contract";
import { FetchPolicy } from "../imports/contract";
import { Quotas } from "../quotas/contract";
import { StreamedEvents } from "../events/contract";
import { WebhookEvents } from "../webhooks/contract";
import { captionsExtractor } from "./captions-extractor";
import { tasks } from "./child/tasks";
import { TranscriptionChanged, Transcribers, type Transcriber } from "./contract";
import { enqueueNext, pruneJob, transcriptionJobs, transcriptionSchedules } from "./jobs";
import { migrations } from "./migrations";
import { temporary_prefix, TranscriptReader } from "./reader";
import { routes, transcriptionHandlers } from "./routes";
import { CompletedEvent, completedEvent, TranscriptionRunner } from "./runner";
import { TranscriptionRuns } from "./runs";
import { streamedRun } from "./run-events";
import { Transcriptions } from "./service";
import {
  chosenTranscriber,
  language_pattern,
  timeout_ms_max,
  type Chosen,
  type TranscriptionSettings,
} from "./settings";
import { fileIsUsed } from "./store";
import { CommandTranscriber, killLeftovers } from "./transcribers/command";
import { EndpointTranscriber } from "./transcribers/openai";

export default definePlugin({
  name: "transcriptions",
  version: "1.0.0",
  section: "transcription",
  config: t.Object({
    provider: OneOf(["none", "openai", "command"], {
      default: "none",
      changes: "now",
      description:
        "What transcribes recordings: an OpenAI-compatible endpoint, or a program on this " +
        "machine. Captions need neither.",
    }),
    base_url: t.Optional(
      t.String({
        changes: "now",
        stored: EndpointLimits,
        description:
          "The address of the OpenAI-compatible endpoint, such as http://127.0.0.1:8000/v1.",
      }),
    ),
    api_key: t.Optional(
      Secret({
        changes: "now",
        stored: KeyLimits,
        description: "The API key for the endpoint, if it requires one.",
      }),
    ),
    model: t.Optional(
      t.String({
        changes: "now",
        stored: NotBlankLimits,
        description: "The name of the model at the endpoint.",
      }),
    ),
    command: t.Optional(
      t.String({
        changes: "outside",
        description:
          "The program with its arguments: {input} is the recording, {output} a path to " +
          "write to, {language} the language or auto. It is not run by a shell.",
      }),
    ),
    language: t.Optional(
      t.String({
        changes: "now",
        stored: { json: { pattern: language_pattern }, must: "be a code such as en" },
        description: "The spoken language, such as en, for transcribers that need to know it.",
      }),
    ),
    keep_runs: Duration({
      default: "365d",
      changes: "now",
      description: "How long finished runs are kept. Their documents remain.",
    }),
    timeout: Duration({
      default: "2h",
      changes: "now",
      stored: { least_ms: 1, most_ms: timeout_ms_max },
      description: "The time limit for transcribing one recording.",
    }),
    concurrency: t.Integer({
      default: 1,
      minimum: 1,
      maximum: 64,
      changes: "now",
      description: "How many recordings are transcribed at the same time.",
    }),
  }),
  checkConfig: chosenTranscriber,
  needs: {
    accounts: Accounts,
    folders: Folders,
    documents: Documents,
    quotas: Quotas,
    lookup: DnsLookup,
    allows: FetchPolicy,
  },
  slots: { transcribers: Transcribers },
  events: [TranscriptionChanged],
  tables: ["transcriptions", "transcriptions_results", "transcriptions_segments"],
  migrations,
  routes,
  tasks,
  setup: (ctx) => {
    const { config, services, slots } = ctx;
    const chosen = new ChosenTranscriber(ctx);
    const runs = new TranscriptionRuns({ ...ctx, ...services });
    // What was deleted elsewhere while this plugin was not loaded.
    const forgotten = new Cleaner({
      clean: (signal) => runs.deleteForgotten(signal),
      onError: (error) =>
        ctx.log.warn("transcriptions of deleted folders could not be deleted yet", {
          error: String(error),
        }),
    });
    const reader = new TranscriptReader(ctx);
    const common = {
      ...ctx,
      ...services,
      runs,
      transcriber: () => slots.transcribers().toSorted((a, b) => b.rank - a.rank)[0],
      enqueueNext: enqueueNext(ctx.enqueue),
    };
    const runner = new TranscriptionRunner({
      ...common,
      reader,
      language: () => config.language ?? null,
      timeout_ms: () => config.timeout,
    });
    return {
      routes: transcriptionHandlers(new Transcriptions(common), {
        files: ctx.files,
        upload_bytes_max: services.documents.upload_bytes_max,
      }),
      fills: [
        fill(FolderContents, {
          remove: (tx, _owner_id, folder_ids) => runs.removeFolders(tx, folder_ids),
          purge: (_owner_id, folder_ids, signal) => runs.purgeFolders(folder_ids, signal),
        }),
        fill(DocumentUses, {
          remove: (tx, document_ids) => runs.removeDocuments(tx, document_ids),
        }),
        fill(FileUses, { isUsed: fileIsUsed }),
        fill(StreamedEvents, streamedRun),
        fill(WebhookEvents, {
          type: "transcription.completed",
          sample: completedEvent("trn_00000000000000000000000000"),
          description: "A transcription is completed. Not sent for one that fails.",
          schema: CompletedEvent,
        }),
        fill(Extractors, captionsExtractor(reader)),
        fillWith(Transcribers, () => chosen.transcriber),
      ],
      jobs: [
        ...transcriptionJobs(runner, config),
        purgeOfUser((user_id, signal) => runs.deleteOf(user_id, signal)),
        pruneJob(runs, { ...ctx, keep_ms: () => config.keep_runs }),
      ],
      schedules: transcriptionSchedules,
      health: async () => chosen.failing() ?? "ok",
      stop: () => forgotten.stop(),
      start: async () => {
        await killLeftovers(ctx.paths.temporary);
        await removeLeftovers(ctx.paths.temporary, temporary_prefix);
        forgotten.start();
      },
    };
  },
});

/** The configured transcriber. */
class ChosenTranscriber {
  private chosen!: Chosen;
  /** Null if none is configured. */
  transcriber: Transcriber | null = null;

  constructor(
    private readonly ctx: Pick<Context, "log" | "newId" | "paths" | "whenSettingsChange"> & {
      readonly config: TranscriptionSettings;
    },
  ) {
    this.choose();
    ctx.whenSettingsChange(() => this.choose());
  }

  failing(): { readonly failing: string } | null {
    const { chosen } = this;
    if (chosen.kind !== "command" || Bun.which(chosen.words[0]!)) return null;
    return {
      failing:
        `Recordings can't be transcribed: the program ${chosen.words[0]} in ` +
        "transcription.command is not installed.",
    };
  }

  private choose(): void {
    this.chosen = chosenTranscriber(this.ctx.config);
    this.transcriber = this.createTranscriber();
  }

  private createTranscriber(): Transcriber | null {
    if (this.chosen.kind === "openai") return new EndpointTranscriber(this.chosen);
    return this.chosen.kind === "command"
      ? new CommandTranscriber(this.chosen.words, this.ctx)
      : null;
  }
}
