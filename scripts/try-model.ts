/**
 * Tries answers with a real language model, on the handbook of the examples: its raw output and the
 * resulting answer, the time to the first word, and the detection of a dead model. Not a test,
 * because a model's output varies. After `npm run build`:
 *
 *   bun scripts/try-model.ts --gguf model.gguf --python python3   (wheel llama-cpp-python[server])
 *   bun scripts/try-model.ts --base-url http://127.0.0.1:11434/v1 --model qwen3:8b
 */
import { counted } from "../core/lib/counted";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { createKey, launch } from "./lib/launch";

const { values: flags } = parseArgs({
  options: {
    gguf: { type: "string" },
    python: { type: "string", default: "python3" },
    "base-url": { type: "string" },
    model: { type: "string", default: "model" },
    port: { type: "string", default: "8377" },
    passages: { type: "string", default: "3" },
    threads: { type: "string", default: "1" },
    "first-word": { type: "string", default: "3m" },
  },
});
const handbook = resolve(import.meta.dir, "../examples/handbook/handbook.pdf");
/** Each list is one conversation. `right`: what a correct answer contains. */
const conversations: readonly (readonly (readonly [question: string, right: RegExp | null])[])[] = [
  [
    ["How often is the ceramic filter replaced?", /ninety|90|three months/i],
    ["And the lamp?", /year/i],
  ],
  [["How many litres does the settling tank hold?", /1,?200/]],
  [["Which wood does the stove burn?", /larch/i]],
  [["How long must drinking water be boiled?", /three|3/i]],
  [["When did the chimney catch fire, and why?", /2009/]],
  [["Which key opens the front door?", /brass/i]],
  [["How often is the flue swept?", /first|fifteenth/i]],
  [["How long does the path from Sallow Bridge take?", /three hours|3 hours/i]],
  [["Wie oft wird der Keramikfilter ersetzt?", /neunzig|90|ninety/i]],
  [["Combien de litres contient la cuve ?", /1[ ,.]?200/]],
  [["What is the price of a BMW?", null]],
  [["Who is the president of France?", null]],
];
const start_ms_max = 120_000;
const print = (line: string): void => console.log(line);

interface ModelServer {
  readonly base_url: string;
  readonly stop: () => Promise<void>;
}
/** Starts a server for a GGUF file, and waits until it answers. */
async function startModel(gguf: string): Promise<ModelServer> {
  const args = ["-m", "llama_cpp.server", "--model", gguf, "--port", flags.port, "--n_ctx", "8192"];
  args.push("--n_threads", flags.threads, "--n_threads_batch", flags.threads);
  const child = Bun.spawn([flags.python, ...args], { stdout: "ignore", stderr: "ignore" });
  const base_url = `http://127.0.0.1:${flags.port}/v1`;
  const deadline = performance.now() + start_ms_max;
  while (performance.now() < deadline && child.exitCode === null) {
    const answer = await fetch(`${base_url}/models`).catch(() => null);
    if (answer?.ok) {
      const stop = async (): Promise<void> => {
        child.kill("SIGKILL");
        await child.exited;
      };
      return { base_url, stop };
    }
    await Bun.sleep(200);
  }
  child.kill("SIGKILL");
  throw new Error(`${flags.python} ${args.join(" ")} does not serve`);
}

/** Calls the API. @throws Error with the response unless it is a success. */
function client(base: string, key: string) {
  return async (method: string, path: string, body?: object): Promise<Response> => {
    const is_form = body instanceof FormData;
    const response = await fetch(`${base}/api/dev/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        prefer: "wait=20",
        ...(body && !is_form && { "content-type": "application/json" }),
      },
      ...(body && { body: is_form ? body : JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
    return response;
  };
}
type Call = ReturnType<typeof client>;

interface Result {
  readonly answer: string;
  readonly outcome: string;
  readonly grounded: boolean;
  readonly model: string;
  readonly citations: readonly { readonly id: number; readonly quote: string }[];
  readonly warnings: readonly { readonly code: string }[];
}
interface Asked {
  readonly result: Result;
  readonly first_ms: number | null;
  readonly whole_ms: number;
}

/** Asks, and reads the stream of the answer. */
async function ask(call: Call, chat: string, text: string): Promise<Asked> {
  const began = performance.now();
  const sent = (await (await call("POST", `/chats/${chat}/messages`, { text })).json()) as {
    requestId: string;
  };
  const stream = await call("GET", `/chats/${chat}/messages/${sent.requestId}/stream`);
  let events = "";
  let first_ms: number | null = null;
  const decoder = new TextDecoder();
  for await (const bytes of stream.body!) {
    events += decoder.decode(bytes, { stream: true });
    if (events.includes("event: delta")) first_ms ??= performance.now() - began;
  }
  const last_event = events.trim().split("\n\n").at(-1)!;
  const data = /^data: (.*)$/m.exec(last_event)?.[1];
  if (!data) throw new Error(`the stream ended with: ${last_event}`);
  return { result: JSON.parse(data) as Result, first_ms, whole_ms: performance.now() - began };
}

/** What must hold for any model output; empty: everything does. */
function faultsOf({ answer, citations, outcome }: Result): string[] {
  const ids = new Set(citations.map(({ id }) => id));
  const named = [...answer.matchAll(/\[(\d+)\]/g)].map((match) => Number(match[1]));
  return [
    named.every((id) => ids.has(id)) ? "" : "a marker names nothing",
    outcome === "answered" && named.length === 0 ? "an answer without a citation" : "",
    /<\/?think|<\||NO_ANSWER|!\[|\]\(/i.test(answer) ? "what must not be shown" : "",
  ].filter((fault) => fault !== "");
}

async function converse(call: Call, folder: string): Promise<void> {
  const counts = { right: 0, wrong_and_grounded: 0, quotes: 0, faults: 0 };
  let question_count = 0;
  for (const questions of conversations) {
    const answer = await call("POST", "/chats", { usedFolders: [folder] });
    const { id } = (await answer.json()) as { id: string };
    for (const [question, right] of questions) {
      const { result, first_ms, whole_ms } = await ask(call, id, question);
      const is_right = right === null ? result.outcome === "no_answer" : right.test(result.answer);
      const faults = faultsOf(result);
      question_count += 1;
      counts.right += Number(is_right);
      counts.wrong_and_grounded += Number(
        !is_right && result.grounded && result.outcome === "answered",
      );
      counts.quotes += Number(result.model === "extractive");
      counts.faults += faults.length;
      const seconds = (ms: number | null) => (ms === null ? "-" : `${(ms / 1_000).toFixed(1)} s`);
      print(`\n? ${question}`);
      print(`  ${result.answer.replaceAll("\n", " ⏎ ")}`);
      print(
        `  ${is_right ? "right" : "WRONG"}, ${result.outcome}, by ${result.model}, ` +
          `${result.grounded ? "grounded" : "not grounded"}, first ${seconds(first_ms)}, whole ` +
          `${seconds(whole_ms)}${result.warnings.map(({ code }) => `, ${code}`).join("")}` +
          faults.map((fault) => `, FAULT: ${fault}`).join(""),
      );
    }
  }
  const { right, wrong_and_grounded, quotes, faults } = counts;
  print(
    `\n${counted(question_count, "question")}: ${right} right, ` +
      `${wrong_and_grounded} wrong and grounded, ${quotes} fell back to quotes, ` +
      counted(faults, "fault"),
  );
}

/** The model's state in `/health`. */
async function healthOf(base: string): Promise<string> {
  const { problems = [], ...rest } = (await (await fetch(`${base}/health`)).json()) as {
    problems?: unknown[];
  };
  return JSON.stringify({ ...rest, problems }).slice(0, 600);
}

async function tryOut(model: ModelServer, data: string): Promise<void> {
  const server = await launch({
    data,
    env: {
      DOSSIER_ANSWERS_PROVIDER: "openai",
      DOSSIER_ANSWERS_BASE_URL: model.base_url,
      DOSSIER_ANSWERS_MODEL: flags.model,
      DOSSIER_ANSWERS_PASSAGES_MAX: flags.passages,
      DOSSIER_ANSWERS_MODEL_CONCURRENCY: "1",
      DOSSIER_ANSWERS_FIRST_WORD_TIMEOUT: flags["first-word"],
      DOSSIER_ANSWERS_TIMEOUT: "4m",
      DOSSIER_ANSWERS_REWRITE_TIMEOUT: "20s",
    },
  });
  try {
    const call = client(server.url, await createKey(data, "ada@example.com"));
    const answer = await call("POST", "/folders", { name: "Hut" });
    const folder = ((await answer.json()) as { id: string }).id;
    const form = new FormData();
    form.append("file", Bun.file(handbook), "handbook.pdf");
    const sent = await call("POST", `/documents/file?folder_id=${folder}`, form);
    const { id } = (await sent.json()) as { id: string };
    for (;;) {
      const read = (await (await call("GET", `/documents/${id}`)).json()) as { status: string };
      if (read.status !== "syncing") break;
      await Bun.sleep(200);
    }
    await converse(call, folder);
    if (flags.gguf === undefined) return;
    print(`\nhealth: ${await healthOf(server.url)}`);
    await model.stop();
    const chat = (await (await call("POST", "/chats", { usedFolders: [folder] })).json()) as {
      id: string;
    };
    const { result } = await ask(call, chat.id, "Which key opens the front door?");
    print(`the model is dead: by ${result.model}, ${result.warnings.map(({ code }) => code)}`);
    print(`health: ${await healthOf(server.url)}`);
  } finally {
    server.kill("SIGTERM");
    await server.exited;
  }
}

const data = mkdtempSync(join(tmpdir(), "dossier-model-"));
const model =
  flags.gguf === undefined
    ? { base_url: flags["base-url"] ?? "", stop: async () => undefined }
    : await startModel(flags.gguf);
try {
  await tryOut(model, data);
} finally {
  await model.stop();
  rmSync(data, { recursive: true, force: true });
}
