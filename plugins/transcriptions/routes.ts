/** The HTTP routes of transcriptions: parse the request, call the service, format the response. */
import {
  OneOf,
  check_errors,
  checkedName,
  TrimmedName,
  documented,
  announcedBytes,
  badRequest,
  Nullable,
  PageOf,
  PageQuery,
  pullStream,
  receiveFile,
  reply,
  rfc3339,
  rfc3339OrNull,
  route,
  t,
  Timestamp,
  toPage,
  type Files,
  type HandlersOf,
  type Static,
  named,
  WebUrl,
  Failure,
} from "../../core/sdk";
import type { Documents } from "../documents/contract";
import type { StoredTranscript } from "./stored-transcript";
import { TextAssembly, toSrt, toText, toVtt, transcript_formats } from "./transcript";
import type { Transcriptions } from "./service";
import type { RunRow } from "./store";

const RunRecord = named(
  "Transcription",
  t.Object({
    id: t.String({ description: "Opaque, starts with `trn_`." }),
    status: OneOf(["pending", "running", "completed", "failed", "cancelled"], {
      description: "`completed`: the document is made, and is being indexed.",
    }),
    folder_id: t.String({ description: "The folder that the document goes into." }),
    name: Nullable(
      t.String(),
      "What is transcribed: the document's name, or, while there is none, that of the recording. " +
        "Null once the document was deleted for good.",
    ),
    error: Nullable(Failure, "Why the run failed."),
    created_at: Timestamp("When the run was asked for."),
    started_at: Nullable(Timestamp(), "When work on it began."),
    finished_at: Nullable(Timestamp(), "When it ended."),
    document_id: Nullable(
      t.String(),
      "The transcript; null before it is made, and once it was deleted for good.",
    ),
    result_history_id: Nullable(t.String(), "Always null: a run has one result."),
    progress: t.Number({ minimum: 0, maximum: 1, description: "As far as the transcriber tells." }),
    duration_s: Nullable(t.Number(), "Length of the recording, seconds."),
    language: Nullable(
      t.String(),
      "The language that is spoken, as far as the transcriber tells: `en`.",
    ),
  }),
);
const Result = named(
  "Transcript",
  t.Object({
    language: Nullable(t.String()),
    duration_s: Nullable(t.Number()),
    text: t.String({ description: "What the document says, as it was made." }),
    segments: t.Array(
      named(
        "TranscriptSegment",
        t.Object({
          start: t.Number({ description: "Seconds into the recording." }),
          end: t.Number(),
          text: t.String(),
          speaker: Nullable(t.String()),
        }),
      ),
    ),
  }),
);
const Format = OneOf(["json", "vtt", "srt", "txt"], {
  default: "json",
  description: "`json`, `vtt` (WebVTT), `srt` or `txt`.",
});
const control_class = "\\u0000-\\u001F\\u007F-\\u009F";
const NewName = TrimmedName("What it is to be called, instead of the recording's name.", {
  component: "DocumentName",
  without: control_class,
});
const NewUrl = named(
  "NewTranscription",
  t.Object({
    folder_id: t.Optional(
      Nullable(
        t.String({ minLength: 1 }),
        "The folder that the transcript goes into, in place of that of the query.",
      ),
    ),
    url: WebUrl(
      "Absolute http or https URL of a recording or captions on a public host, at most 2,048 " +
        "characters.",
    ),
  }),
);

const example: Static<typeof RunRecord> = {
  id: "trn_01KAJ2Z9Q4W7N8X5R3T6V1Y0BC",
  status: "completed",
  folder_id: "fld_01J9ZK3V6W8Q2T4Y5N7B1C0DEF",
  name: "Interview with the warden.mp3",
  error: null,
  created_at: "2026-03-01T09:30:00.000Z",
  started_at: "2026-03-01T09:30:00.100Z",
  finished_at: "2026-03-01T09:31:10.000Z",
  document_id: "doc_01J9ZK3V6W8Q2T4Y5N7B1C0DEF",
  result_history_id: null,
  progress: 1,
  duration_s: 312.4,
  language: "en",
};
const pending = {
  ...example,
  status: "pending" as const,
  started_at: null,
  finished_at: null,
  document_id: null,
  progress: 0,
  duration_s: null,
  language: null,
};
const segment = { start: 0.5, end: 3.2, text: "The mooring was lifted at noon.", speaker: "Anna" };
const result_example: Static<typeof Result> = {
  language: "en",
  duration_s: 312.4,
  text: `Anna: ${segment.text}`,
  segments: [segment],
};
const located = {
  location: "Path of the run, to poll.",
  "retry-after": "Seconds until the first poll is worth it.",
};
const tag = "Transcriptions";

export const routes = {
  create: route.post("/transcriptions", {
    summary: "Transcribe a recording",
    tag,
    operation: "createTranscription",
    description:
      "Makes a document of what is said in a recording (audio or video), or of captions (WebVTT " +
      "or SRT). The file comes as a multipart part `file`, with `folder_id` in the query; or " +
      "as JSON with the `url` that it is fetched from; JSON may name the folder itself, and " +
      "needs none in the query then. " +
      "What can't be transcribed is a run that failed, with its reason. Captions need no set-up; " +
      "recordings need a transcriber in the server's settings. `transcription.completed` is " +
      "sent to webhooks when the document is made.",
    // Required by the handler, except in JSON that names a folder.
    query: documented(
      t.Object({
        folder_id: t.Optional(
          t.String({ description: "The folder that the transcript goes into." }),
        ),
        name: t.Optional(
          documented(NewName, {
            examples: ["Interview with the warden"],
          }),
        ),
      }),
      { required: ["folder_id"] },
    ),
    body: {
      multipart: {
        part: "file",
        description:
          "The recording or the captions. Its file name is required and names the document; its " +
          "media type does not matter.",
      },
      or_json: NewUrl,
    },
    example: { url: "https://example.com/interview.mp3" },
    answers: {
      202: {
        description: "The run.",
        schema: RunRecord,
        example: pending,
        headers: located,
        links: {
          getTranscription: { transcriptionId: "id" },
          getTranscriptionResult: { transcriptionId: "id" },
          cancelTranscription: { transcriptionId: "id" },
        },
      },
    },
    errors: {
      ...check_errors,
      403: { quota_exceeded: "A quota, or the number of runs under way, is reached." },
      404: "There is no such folder.",
    },
  }),
  list: route.get("/transcriptions", {
    summary: "List transcriptions",
    tag,
    operation: "listTranscriptions",
    description: "The caller's runs, newest first.",
    query: PageQuery,
    answers: {
      200: {
        description: "One page of runs.",
        schema: PageOf(RunRecord),
        example: toPage([example], 1, {}),
      },
    },
  }),
  get: route.get("/transcriptions/:transcriptionId", {
    summary: "Get a transcription",
    tag,
    operation: "getTranscription",
    description: "One of the caller's runs.",
    answers: { 200: { description: "The run.", schema: RunRecord, example } },
  }),
  result: route.get("/transcriptions/:transcriptionId/result", {
    summary: "Get what was heard",
    tag,
    operation: "getTranscriptionResult",
    description:
      "The transcript as it was made, whatever became of the document since; it goes when its " +
      "folder is deleted, or its document for good.",
    query: t.Object({ format: t.Optional(Format) }),
    answers: {
      200: {
        description: "The transcript: JSON, `text/vtt`, `application/x-subrip` or `text/plain`.",
        schema: Result,
        example: result_example,
        others: {
          "text/vtt": { example: toVtt([segment]) },
          "application/x-subrip": { example: toSrt([segment]) },
          "text/plain": { example: toText([segment]) },
        },
      },
    },
    errors: {
      404: "There is no such run, or its transcript was deleted with its document.",
      409: { no_result: "The run is not completed." },
    },
  }),
  cancel: route.post("/transcriptions/:transcriptionId/cancel", {
    summary: "Cancel a transcription",
    tag,
    operation: "cancelTranscription",
    description: "Stops the run at once. No document is made and no event is sent.",
    answers: {
      202: {
        description: "The run, which is cancelled.",
        schema: RunRecord,
        example: { ...pending, status: "cancelled" as const, finished_at: example.finished_at },
        headers: located,
      },
    },
    errors: { 409: { already_ended: "The run has ended." } },
  }),
};

export function transcriptionHandlers(
  transcriptions: Transcriptions,
  { files, upload_bytes_max }: Pick<Documents, "upload_bytes_max"> & { readonly files: Files },
): HandlersOf<typeof routes> {
  const accepted = async (run: RunRow) =>
    reply(202, runRecord(run, await transcriptions.names([run])), {
      location: `/api/dev/v1/transcriptions/${run.id}`,
      "retry-after": "1",
    });

  const upload = async (
    { owner_id, folder_id, name }: Pick<RunRow, "owner_id" | "folder_id" | "name">,
    request: Request,
  ): Promise<RunRow> => {
    const bytes_max = upload_bytes_max();
    const announced_bytes = announcedBytes(request, bytes_max);
    await transcriptions.admit(owner_id, folder_id, announced_bytes);
    const { received, ...file } = await receiveFile(request, files, {
      part: "file",
      bytes_max,
      admit: async () => undefined,
    });
    const named = { ...file, name: name ?? file.name };
    return transcriptions.addUpload(owner_id, folder_id, named, received, request.signal);
  };

  return {
    create: async ({ caller, query, body, request }) => {
      const folder_id = body?.folder_id ?? query.folder_id;
      if (!folder_id)
        throw body
          ? badRequest("`folder_id` is required.", "/folder_id")
          : badRequest("The query field `folder_id` is required.", "?folder_id");
      const name = query.name === undefined ? null : checkedNewName(query.name);
      const { owner_id } = caller;
      return accepted(
        await (body
          ? transcriptions.addUrl(owner_id, { ...body, folder_id, name })
          : upload({ owner_id, folder_id, name }, request)),
      );
    },
    list: async ({ caller, query }) => {
      const { rows, total } = await transcriptions.list(caller.owner_id, query);
      const names = await transcriptions.names(rows);
      return toPage(
        rows.map((run) => runRecord(run, names)),
        total,
        query,
      );
    },
    get: async ({ caller, params }) => {
      const run = await transcriptions.get(caller.owner_id, params.transcriptionId);
      return runRecord(run, await transcriptions.names([run]));
    },
    result: async ({ caller, params, query: { format = "json" } }) =>
      formatted(await transcriptions.result(caller.owner_id, params.transcriptionId), format),
    cancel: async ({ caller, params }) =>
      accepted(await transcriptions.cancel(caller.owner_id, params.transcriptionId)),
  };
}

/** @throws HttpError 400 */
function checkedNewName(text: string): string {
  const name = checkedName(text, "?name");
  if (new RegExp(`[${control_class}]`, "u").test(name))
    throw badRequest("The name must not contain control characters.", "?name");
  return name;
}

/** The transcript in this form, which is made while the client receives it. */
function formatted(transcript: StoredTranscript, format: Static<typeof Format>): Response {
  const pieces = format === "json" ? jsonPieces(transcript) : formPieces(transcript, format);
  const media_type = format === "json" ? "application/json" : transcript_formats[format].media_type;
  const next = async (): Promise<string | null> => (await pieces.next()).value ?? null;
  return new Response(
    pullStream(next, () => void pieces.return()),
    {
      headers: {
        "content-type": `${media_type}; charset=utf-8`,
        "x-content-type-options": "nosniff",
      },
    },
  );
}

async function* formPieces(
  { segments }: StoredTranscript,
  format: keyof typeof transcript_formats,
): AsyncGenerator<string, void> {
  const { before, after, writer } = transcript_formats[format];
  const write = writer();
  let at = 0;
  if (before !== "") yield before;
  for await (const part of segments()) yield part.map((segment) => write(segment, at++)).join("");
  if (after !== "") yield after;
}

async function* jsonPieces({
  segments,
  segments_json,
  language,
  duration_s,
}: StoredTranscript): AsyncGenerator<string, void> {
  yield `{"language":${JSON.stringify(language)},"duration_s":${duration_s},"text":"`;
  const assembly = new TextAssembly();
  for await (const part of segments())
    yield JSON.stringify(part.map((segment) => assembly.next(segment).text).join("")).slice(1, -1);
  yield '","segments":[';
  let is_first = true;
  for await (const part of segments_json()) {
    const items = part.slice(1, -1);
    yield is_first ? items : `,${items}`;
    is_first = false;
  }
  yield "]}";
}

/** A run in API form. */
const runRecord = (run: RunRow, names: ReadonlyMap<string, string>): Static<typeof RunRecord> => ({
  id: run.id,
  status: run.status,
  folder_id: run.folder_id,
  name: names.get(run.id) ?? null,
  error:
    run.error_code === null ? null : { code: run.error_code, message: run.error_message ?? "" },
  created_at: rfc3339(run.created_at),
  started_at: rfc3339OrNull(run.started_at),
  finished_at: rfc3339OrNull(run.finished_at),
  document_id: run.document_id,
  result_history_id: null,
  progress: run.progress,
  duration_s: run.duration_s,
  language: run.language,
});
