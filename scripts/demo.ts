/**
 * `npm run demo`: from an empty server to an answer that cites the page of a real PDF, in a data
 * directory of its own.
 */
import { counted } from "../core/lib/counted";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { messageOf } from "../core/lib/error-message";
import { createKey, launch } from "./lib/launch";

const handbook = resolve(import.meta.dir, "../examples/handbook/handbook.pdf");
const question = "How often is the ceramic filter replaced?";
/** The page of the handbook with the answer. */
const right = { page: 3, words: "ninety days" };
const limit_ms = 60_000;

interface Citation {
  readonly id: number;
  readonly document_name: string;
  readonly document_id: string;
  readonly quote: string;
  readonly start: number;
  readonly end: number;
  readonly page: number | null;
}
interface Poll {
  readonly status: string;
  readonly result?: {
    readonly answer: string;
    readonly outcome: string;
    readonly citations: readonly Citation[];
  };
}

const print = (line: string) => console.log(line);

/** Calls the API as any program would. @throws Error with the response unless it is a success. */
function client(base: string, key: string) {
  return async <T>(method: string, path: string, body?: object): Promise<T> => {
    const form = body instanceof FormData;
    const response = await fetch(`${base}/api/dev/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body && !form ? { "content-type": "application/json" } : {}),
      },
      ...(body ? { body: form ? body : JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return JSON.parse(text) as T;
  };
}

/** Polls until `done`. @throws Error after a minute. */
async function until<T>(
  ask: () => Promise<T>,
  isDone: (answer: T) => boolean,
  what: string,
): Promise<T> {
  const deadline = performance.now() + limit_ms;
  while (performance.now() < deadline) {
    const answer = await ask();
    if (isDone(answer)) return answer;
    await Bun.sleep(100);
  }
  throw new Error(`${what} took longer than ${limit_ms / 1000} s`);
}

async function demonstrate(base: string, key: string): Promise<void> {
  const call = client(base, key);
  const folder = await call<{ id: string }>("POST", "/folders", { name: "Hut" });
  print(`folder     ${folder.id}`);

  const form = new FormData();
  form.append("file", Bun.file(handbook), "handbook.pdf");
  const uploaded = await call<{ id: string; status: string }>(
    "POST",
    `/documents/file?folder_id=${folder.id}`,
    form,
  );
  print(`document   ${uploaded.id} is ${uploaded.status}`);
  const document = await until(
    () =>
      call<{ status: string; page_count: number; content: string }>(
        "GET",
        `/documents/${uploaded.id}`,
      ),
    ({ status }) => status !== "syncing",
    "indexing",
  );
  if (document.status !== "synced")
    throw new Error(`the document is ${document.status}: ${JSON.stringify(document)}`);
  const characters = [...document.content].length;
  print(`           is synced: ${counted(document.page_count, "page")}, ${characters} characters`);

  const chat = await call<{ id: string }>("POST", "/chats", {
    name: "Questions",
    usedFolders: [folder.id],
  });
  const message = await call<{ requestId: string }>("POST", `/chats/${chat.id}/messages`, {
    text: question,
  });
  const { result } = await until(
    () => call<Poll>("GET", `/chats/${chat.id}/messages/${message.requestId}`),
    ({ status }) => status === "COMPLETED",
    "the answer",
  );
  if (!result) throw new Error("the answer has no result");
  print(`\nquestion   ${question}\nanswer     ${result.answer}\n`);
  for (const { id, quote, document_name, page, start, end } of result.citations)
    print(
      `[${id}] "${quote.replaceAll(/\s+/g, " ")}"\n` +
        `    ${document_name}, page ${page}, characters ${start} to ${end}`,
    );
  check(result.citations, document.content);
}

/** A demonstration that shows a wrong answer has failed. */
function check(citations: readonly Citation[], content: string): void {
  const points = [...content];
  for (const { id, quote, start, end } of citations)
    if (points.slice(start, end).join("") !== quote)
      throw new Error(`citation [${id}] does not quote the document`);
  const [first] = citations;
  if (!first) throw new Error("the answer cites nothing");
  if (first.page !== right.page || !first.quote.replaceAll(/\s+/g, " ").includes(right.words))
    throw new Error(`citation [1] should be about "${right.words}" on page ${right.page}`);
}

const data = mkdtempSync(join(tmpdir(), "dossier-demo-"));
let exit = 1;
try {
  const server = await launch({ data });
  try {
    print(`server     ${server.url}`);
    const key = await createKey(data, "ada@example.com");
    print(`API key    ${key.slice(0, 8)}…`);
    await demonstrate(server.url, key);
    exit = 0;
  } catch (error) {
    const message = messageOf(error);
    console.error(`\n${message}\n\nOutput of the server:\n${server.output()}`);
  } finally {
    server.kill("SIGTERM");
    await server.exited;
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
} finally {
  rmSync(data, { recursive: true, force: true });
}
process.exit(exit);
