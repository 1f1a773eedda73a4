/**
 * A transcription service over HTTP that works, misreports, fails or stops answering; and a server
 * without a transcriber.
 */
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigError } from "../../core/base/config";
import { TranscriptionFailure } from "../../plugins/transcriptions/contract";
import {
  chosenTranscriber,
  type TranscriptionSettings,
} from "../../plugins/transcriptions/settings";
import { progressIn } from "../../plugins/transcriptions/transcribers/command";
import {
  EndpointTranscriber,
  type EndpointOptions,
} from "../../plugins/transcriptions/transcribers/openai";
import { splitCommandLine } from "../../plugins/transcriptions/transcribers/command-line";
import { startTestServer } from "../helpers/host";
import { captions, formOf, recordingOf } from "../helpers/recordings";

setDefaultTimeout(30_000);

interface Asked {
  readonly path: string;
  readonly headers: Headers;
  readonly fields: Record<string, string>;
  readonly file: File;
}
type Play = (request: Asked, n: number) => Response | Promise<Response>;
let play: Play = () => new Response();
const requests: Asked[] = [];
const service = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 0,
  maxRequestBodySize: 2 ** 30,
  async fetch(request) {
    const form = await request.formData();
    const fields = Object.fromEntries(
      [...form].filter((entry): entry is [string, string] => typeof entry[1] === "string"),
    );
    const received_request = {
      path: new URL(request.url).pathname,
      headers: request.headers,
      fields,
      file: form.get("file") as File,
    };
    requests.push(received_request);
    return play(received_request, requests.length - 1);
  },
});
const directory = mkdtempSync(join(tmpdir(), "dossier-openai-"));
afterAll(() => {
  service.stop(true);
  rmSync(directory, { recursive: true, force: true });
});
const base_url = `http://127.0.0.1:${service.port}/v1`;
const path = join(directory, "recording");
const bytes = recordingOf("x", 3);
writeFileSync(path, bytes);
const recording = {
  path,
  size_bytes: bytes.length,
  media_type: "audio/wav",
  duration_s: 3,
  language: null,
};

const transcriber = (more: Partial<EndpointOptions> = {}) =>
  new EndpointTranscriber({
    base_url,
    model: "whisper-1",
    api_key: "sk-secret",
    pauses_ms: [1, 1, 1],
    ...more,
  });
const hear = (next: Play, of = transcriber(), signal = new AbortController().signal) => {
  play = next;
  requests.length = 0;
  return of.transcribe(recording, { signal, onProgress: () => undefined });
};
const verbose = {
  text: "The heron waits.",
  language: "english",
  duration: 3,
  segments: [{ start: 0.5, end: 2.5, text: " The heron waits." }],
};

describe("the request", () => {
  test("the file, the model and the best format, with the key", async () => {
    expect(JSON.parse(await hear(() => Response.json(verbose)))).toEqual(verbose);
    const [request] = requests;
    expect([
      request!.path,
      request!.fields,
      request!.headers.get("authorization"),
      request!.headers.get("content-length"),
    ]).toEqual([
      "/v1/audio/transcriptions",
      { model: "whisper-1", response_format: "verbose_json" },
      "Bearer sk-secret",
      expect.stringMatching(/^\d+$/),
    ]);
    expect([
      request!.file.name,
      Buffer.from(await request!.file.arrayBuffer()).equals(Buffer.from(bytes)),
    ]).toEqual(["recording.wav", true]);
  });
  test("the language, when the settings name one, and no key when there is none", async () => {
    play = () => Response.json(verbose);
    requests.length = 0;
    await transcriber({ api_key: undefined }).transcribe(
      { ...recording, language: "de" },
      { signal: new AbortController().signal, onProgress: () => undefined },
    );
    expect([requests[0]!.fields.language, requests[0]!.headers.has("authorization")]).toEqual([
      "de",
      false,
    ]);
  });
});

describe("formats that a service doesn't support are dropped", () => {
  const refusing =
    (known: readonly string[], body: object): Play =>
    ({ fields }) =>
      known.includes(fields.response_format!)
        ? new Response(`in ${fields.response_format}`)
        : Response.json(body, { status: 400 });
  const cases: [why: string, play: Play, expected: string, asked: number][] = [
    [
      "OpenAI names the ones it accepts",
      refusing(["json", "text"], {
        error: {
          message:
            "response_format 'verbose_json' is not compatible with model 'gpt-4o-transcribe'",
          param: "response_format",
        },
      }),
      "in json",
      3,
    ],
    ["one that says nothing of use", refusing(["text"], { error: "bad request" }), "in text", 4],
    [
      "a service that supports WebVTT",
      refusing(["vtt"], { detail: [{ loc: ["body", "response_format"] }] }),
      "in vtt",
      2,
    ],
  ];
  for (const [why, next, expected, times] of cases)
    test(why, async () => {
      const own_transcriber = transcriber();
      expect([await hear(next, own_transcriber), requests.length]).toEqual([expected, times]);
      // The format is remembered.
      expect([await hear(next, own_transcriber), requests.length]).toEqual([expected, 1]);
    });
});

describe("temporary failures are retried", () => {
  const good = () => Response.json(verbose);
  const cases: [why: string, first: () => Response][] = [
    [
      "too many requests",
      () => new Response("no", { status: 429, headers: { "retry-after": "0" } }),
    ],
    ["a fault", () => new Response("no", { status: 500 })],
    ["an overloaded gateway", () => new Response("<html>", { status: 503 })],
  ];
  for (const [why, first] of cases)
    test(why, async () => {
      expect(JSON.parse(await hear((_one, n) => (n < 2 ? first() : good())))).toEqual(verbose);
      expect(requests.length).toBe(3);
    });
  test("the pause that the service asks for is observed", async () => {
    const started = performance.now();
    await hear((_one, n) =>
      n === 0 ? new Response("", { status: 429, headers: { "retry-after": "0.3" } }) : good(),
    );
    expect(performance.now() - started).toBeGreaterThan(290);
  });
  test("a truncated answer", async () => {
    const whole = JSON.stringify(verbose);
    const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${whole.length}\r\nconnection: close\r\n\r\n`;
    let answers = 0;
    using half = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        data(socket, chunk) {
          if (!chunk.toString("latin1").endsWith("--\r\n")) return;
          socket.write(head + (answers++ < 2 ? whole.slice(0, 20) : whole));
          socket.end();
        },
      },
    });
    expect([
      await hear(good, transcriber({ base_url: `http://127.0.0.1:${half.port}/v1` })),
      answers,
    ]).toEqual([whole, 3]);
  });
  test("gives up after the retry limit", async () => {
    const error = await hear(() => new Response("no", { status: 500 })).catch(
      (failure: unknown) => failure,
    );
    expect([(error as TranscriptionFailure).code, requests.length]).toEqual([
      "transcriber_unavailable",
      4,
    ]);
  });
  test("an endpoint that can't be reached", async () => {
    const error = await hear(good, transcriber({ base_url: "http://127.0.0.1:9/v1" })).catch(
      (failure: unknown) => failure,
    );
    expect(error as TranscriptionFailure).toMatchObject({
      code: "transcriber_unavailable",
      message: expect.stringMatching(/can't be reached/),
    });
  });
});

describe("permanent failures fail at once with a helpful message", () => {
  const cases: [why: string, answer: () => Response, code: string, words: RegExp][] = [
    [
      "a wrong key",
      () => Response.json({ error: { message: "Incorrect API key sk-secret" } }, { status: 401 }),
      "transcriber_failed",
      /transcription\.api_key/,
    ],
    [
      "a wrong model or address",
      () => new Response("no", { status: 404 }),
      "transcriber_failed",
      /transcription\.model/,
    ],
    [
      "no credit",
      () => Response.json({ error: { code: "insufficient_quota" } }, { status: 429 }),
      "transcriber_failed",
      /credit/,
    ],
    ["too large", () => new Response("no", { status: 413 }), "too_large", /shorter parts/],
    [
      "a file that it can't read",
      () => Response.json({ error: { message: "Invalid file. sk-secret" } }, { status: 400 }),
      "transcriber_failed",
      /damaged/,
    ],
    [
      "a redirect",
      () => Response.redirect("http://127.0.0.1:9/"),
      "transcriber_failed",
      /redirects/,
    ],
    ["nothing", () => new Response(""), "transcriber_failed", /no text/],
    [
      "an oversized answer",
      () => new Response("x".repeat(50 * 2 ** 20)),
      "transcriber_failed",
      /more than 32 MiB/,
    ],
  ];
  for (const [why, answer, code, words] of cases)
    test(why, async () => {
      const error = (await hear(answer).catch(
        (failure: unknown) => failure,
      )) as TranscriptionFailure;
      expect(error).toBeInstanceOf(TranscriptionFailure);
      expect([error.code as string, requests.length]).toEqual([code, 1]);
      expect(error.message).toMatch(words);
      expect(error.message).not.toContain("sk-secret");
    });
});

test("a request to a silent service ends with its run", async () => {
  const stop = new AbortController();
  const hearing = hear(() => new Promise<Response>(() => undefined), transcriber(), stop.signal);
  setTimeout(() => stop.abort(new Error("over")), 100);
  expect(await hearing.catch((error: Error) => error.message)).toBe("over");
});

describe("over HTTP", () => {
  const run = async (
    env: Record<string, string>,
    name: string,
    content: string | Uint8Array<ArrayBuffer>,
  ) => {
    const server = await startTestServer({ env });
    const folder = (await server.send("ada", "POST", "/folders", { name: "A" })).body.id;
    const { status, body: first } = await server.send(
      "ada",
      "POST",
      `/transcriptions?folder_id=${folder}`,
      formOf(name, content),
    );
    await server.settle();
    const { body: last } = await server.send("ada", "GET", `/transcriptions/${first.id}`);
    const found = (await server.send("ada", "POST", "/search", { query: "heron" })).body.data;
    const files = await server.store.db
      .selectFrom("transcriptions")
      .select(["sha256", "name"])
      .execute();
    await server.stop();
    return { status, first, last, found, files };
  };
  const openai = {
    DOSSIER_TRANSCRIPTION_PROVIDER: "openai",
    DOSSIER_TRANSCRIPTION_BASE_URL: `${base_url}/`,
    DOSSIER_TRANSCRIPTION_MODEL: "whisper-1",
    DOSSIER_TRANSCRIPTION_LANGUAGE: "en",
  };

  test("a transcribed recording becomes a document with times", async () => {
    play = () => Response.json(verbose);
    const { status, last, found } = await run(openai, "a.wav", bytes);
    expect([
      status,
      last.status,
      last.language,
      last.duration_s,
      found[0].quote,
      found[0].time_start,
      found[0].time_end,
    ]).toEqual([202, "completed", "en", 3, "The heron waits.", 0.5, 2.5]);
  });
  test("a service that takes too long is abandoned", async () => {
    play = () => new Promise<Response>(() => undefined);
    const { last } = await run(
      { ...openai, DOSSIER_TRANSCRIPTION_TIMEOUT: "300ms" },
      "a.wav",
      bytes,
    );
    expect(last).toMatchObject({
      status: "failed",
      error: { code: "timeout", message: expect.stringMatching(/transcription\.timeout/) },
    });
  });
  test("without a transcriber a recording fails at once and names the setting", async () => {
    const { status, first, last, files } = await run({}, "a.wav", bytes);
    expect([status, first.status, first.error.code]).toEqual([202, "failed", "no_transcriber"]);
    expect(first.error.message).toMatch(/DOSSIER_TRANSCRIPTION_PROVIDER/);
    expect([last, files]).toEqual([first, [{ sha256: null, name: "a.wav" }]]);
  });
  test("without a transcriber captions work", async () =>
    expect((await run({}, "a.vtt", captions)).last.status).toBe("completed"));
  test("a missing program is named", async () => {
    const { last } = await run(
      {
        DOSSIER_TRANSCRIPTION_PROVIDER: "command",
        DOSSIER_TRANSCRIPTION_COMMAND: "whisper-nope {input}",
      },
      "a.wav",
      bytes,
    );
    expect(last).toMatchObject({
      status: "failed",
      error: {
        code: "transcriber_failed",
        message: expect.stringMatching(/whisper-nope is not installed/),
      },
    });
  });
  test("a program that takes too long is stopped", async () => {
    const { last } = await run(
      {
        DOSSIER_TRANSCRIPTION_PROVIDER: "command",
        DOSSIER_TRANSCRIPTION_COMMAND: "sh -c 'sleep 600' {input}",
        DOSSIER_TRANSCRIPTION_TIMEOUT: "300ms",
      },
      "a.wav",
      bytes,
    );
    expect(last.error.code).toBe("timeout");
  });
});

describe("impossible settings are a configuration error", () => {
  const fit: TranscriptionSettings = { provider: "none", timeout: 1 };
  const cases: [why: string, settings: Partial<TranscriptionSettings>, words: RegExp][] = [
    ["no address", { provider: "openai", model: "m" }, /BASE_URL/],
    ["no model", { provider: "openai", base_url: "http://x/v1" }, /MODEL/],
    ["an address that is none", { provider: "openai", base_url: "x", model: "m" }, /must start/],
    [
      "a password in the address",
      { provider: "openai", base_url: "http://a:b@x/v1", model: "m" },
      /password/,
    ],
    [
      "a key with a space",
      { provider: "openai", base_url: "http://x/v1", model: "m", api_key: "a b" },
      /characters/,
    ],
    ["no program", { provider: "command" }, /COMMAND/],
    [
      "a program that isn't given the recording",
      { provider: "command", command: "whisper-cli" },
      /\{input\}/,
    ],
    ["an open quote", { provider: "command", command: "sh -c '{input}" }, /quote/],
    ["no time", { timeout: 0 }, /timeout/],
    ["a language that is none", { language: "English!" }, /language/],
  ];
  for (const [why, settings, words] of cases)
    test(why, () => {
      expect(() => chosenTranscriber({ ...fit, ...settings })).toThrow(ConfigError);
      expect(() => chosenTranscriber({ ...fit, ...settings })).toThrow(words);
    });
  test("no setting is required without a provider", () =>
    expect(chosenTranscriber(fit)).toEqual({ kind: "none" }));
});

describe("splitting a command line into words", () => {
  const cases: [why: string, command: string, words: string[] | undefined][] = [
    ["white space parts", "  a  b\tc\n", ["a", "b", "c"]],
    ["quotes keep together", `a 'b c' "d e"`, ["a", "b c", "d e"]],
    ["quotes in the middle", `a--x='b c'd`, ["a--x=b cd"]],
    ["an empty word", `a '' ""`, ["a", "", ""]],
    ["a backslash takes the next as it is", `a\\ b "c\\"d" \\'`, ["a b", 'c"d', "'"]],
    ["but not in single quotes", `'a\\b'`, ["a\\b"]],
    ["the shell's signs mean nothing", "a | b; $(c) > d", ["a", "|", "b;", "$(c)", ">", "d"]],
    ["an open quote", "a 'b", undefined],
    ["nothing", " ", []],
  ];
  for (const [why, command, words] of cases)
    test(why, () => expect(splitCommandLine(command)).toEqual(words));
});

describe("progress from a program's output", () => {
  const cases: [
    why: string,
    text: string,
    duration_s: number | null,
    progress: number | undefined,
  ][] = [
    ["whisper.cpp", "whisper_print_progress_callback: progress =  35%\n", null, 0.35],
    ["the last one counts", " 10%|##  |\r 25%|####   |", null, 0.25],
    ["a fraction", "12.5 %", null, 0.125],
    ["no more than all", "800%", null, undefined],
    ["the times of lines", "[00:00:01.000 --> 00:00:05.000]  x", 10, 0.5],
    ["not without the length", "[00:00:01.000 --> 00:00:05.000]  x", null, undefined],
    ["words", "hello", 10, undefined],
  ];
  for (const [why, text, duration_s, progress] of cases)
    test(why, () => expect(progressIn(text, duration_s)).toBe(progress));
});
