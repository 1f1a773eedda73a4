/**
 * What tests of plugins import as `dossier/test`: a server with the plugin, two users, a receiver
 * and a language model with answers from the test.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { messageOf } from "../../lib/error-message";
import { packInto } from "../pack";
import { installPeople, readPeople, type People, type Person } from "../people";
import { findProject, stamp_file, type Project, type Stamp } from "../project";
import { startServer, type LogLine, type ServerProcess } from "../server-process";
import { answerOf, callOf, type Answer, type HeaderFields } from "./calls";
import { modelSettings, startModel, type Model } from "./model";
import { startReceiver, type Received, type Receiver } from "./receiver";

export type { Answer, LogLine, Model, People, Person, Received, Receiver };

/** How a test's server is started. */
export interface StartOptions {
  /** The plugin's directory or file. Default: the current directory. */
  readonly plugin?: string;
  /**
   * Settings, as environment variables: `{ DOSSIER_MY_PLUGIN_KEEP: "2d" }`; or a function of the
   * receiver and the model, for settings that contain their addresses.
   */
  readonly env?:
    | Readonly<Record<string, string>>
    | ((others: {
        readonly receiver: Receiver;
        readonly model: Model;
      }) => Readonly<Record<string, string>>);
  /**
   * Whether `model` answers questions. Default: they are answered with quotes from the documents.
   */
  readonly model?: boolean;
}

/** Who calls the API: a user, or nobody. */
export type Who = keyof People | null;

/** A running server with the plugin. */
export interface Dossier extends AsyncDisposable {
  /** `http://127.0.0.1:41234`; changes with `restart`. */
  readonly url: string;
  /** Its data directory, deleted by `stop`. */
  readonly data: string;
  readonly users: People;
  /** Receives what the server or the plugin sends to others. */
  readonly receiver: Receiver;
  readonly model: Model;
  /**
   * `send("ada", "POST", "/folders", { name: "Reports" })`: as a user, or without a key (null). A
   * path is relative to `/api/dev/v1`, unless it begins with `/api/`, or with `//` for the root of
   * the server: `//health`. Plain objects and lists are sent as JSON.
   */
  send(
    who: Who,
    method: string,
    path: string,
    body?: unknown,
    headers?: HeaderFields,
  ): Promise<Answer>;
  /** The same with an unread response: for bytes and streams. */
  call(
    who: Who,
    method: string,
    path: string,
    body?: unknown,
    headers?: HeaderFields,
  ): Promise<Response>;
  /**
   * Calls `ask` until it returns something other than undefined, null or false, and returns that.
   * An error counts as nothing yet. @throws Error after `limit_ms`, default 10 seconds.
   */
  until<T>(ask: () => T | Promise<T>, limit_ms?: number): Promise<NonNullable<T>>;
  /**
   * What the server and the plugin have logged since the start; with `words`, lines whose message
   * contains them.
   */
  log(words?: string): readonly LogLine[];
  /** Creates a folder and returns its id. */
  folder(who: keyof People, name?: string): Promise<string>;
  /** Uploads a file into a folder and returns the document once it is indexed. */
  upload(
    who: keyof People,
    folder_id: string,
    name: string,
    content: string | Uint8Array<ArrayBuffer>,
  ): Promise<any>;
  /** Asks a question about these folders and returns the result: `answer`, `citations` … */
  ask(who: keyof People, folder_ids: readonly string[], question: string): Promise<any>;
  /** Restarts the server on the same data. */
  restart(): Promise<void>;
  /** Stops everything and deletes the data. */
  stop(): Promise<void>;
}

/** The settings of a test's server, unless the test overrides them. */
const default_settings: Readonly<Record<string, string>> = {
  DOSSIER_SERVER_LOG_LEVEL: "debug",
  DOSSIER_RATE_LIMIT_REQUESTS: "1000000",
  DOSSIER_EMBEDDINGS_PROVIDER: "none",
  DOSSIER_IMPORTS_ALLOW_NETWORKS: "127.0.0.0/8",
  DOSSIER_WEBHOOKS_ALLOW_NETWORKS: "127.0.0.0/8",
};

/** Servers still to be stopped when the tests end. */
const running_servers = new Set<ServerProcess>();
process.on("exit", () => running_servers.forEach((server) => server.kill()));

/**
 * Starts a server with the plugin on data of its own. @throws Error with the reason when the plugin
 * is left out.
 */
export async function startDossier(options: StartOptions = {}): Promise<Dossier> {
  const project = findProject(options.plugin);
  const receiver = startReceiver();
  const model = startModel();
  const data = mkdtempSync(join(tmpdir(), "dossier-test-"));
  const { env = {} } = options;
  const dossier = new TestServer(project, data, receiver, model, {
    ...default_settings,
    ...(options.model === true ? modelSettings(model) : {}),
    ...(typeof env === "function" ? env({ receiver, model }) : env),
  });
  try {
    await dossier.start();
    return dossier;
  } catch (error) {
    await dossier.stop();
    throw error;
  }
}

class TestServer implements Dossier {
  private server: ServerProcess | undefined;
  users!: People;

  constructor(
    private readonly project: Project,
    readonly data: string,
    readonly receiver: ReturnType<typeof startReceiver>,
    readonly model: ReturnType<typeof startModel>,
    private readonly env: Readonly<Record<string, string>>,
  ) {}

  get url(): string {
    if (!this.server) throw new Error("the server is stopped");
    return this.server.url;
  }

  async start(): Promise<void> {
    const { directory, stamp } = findSupport();
    const plugins = join(this.data, "plugins");
    installPeople(directory, plugins);
    await packInto(this.project, plugins);
    const { env, data } = this;
    const server = await startServer({
      command: stamp.command,
      data,
      env,
      inherited: process.env,
    });
    this.server = server;
    running_servers.add(server);
    void server.exited.then(() => running_servers.delete(server));
    const [left_out] = server.left_out;
    if (left_out) throw new Error(`the plugin ${left_out.name} is left out: ${left_out.reason}`);
    this.users = readPeople(data);
  }

  call(who: Who, method: string, path: string, body?: unknown, headers: HeaderFields = {}) {
    const key = who === null ? null : this.users[who].key;
    const { path: whole, init } = callOf(key, method, path, body, headers);
    return fetch(`${this.url}${whole}`, init);
  }

  async send(...[who, method, path, body, headers]: Parameters<Dossier["send"]>): Promise<Answer> {
    return answerOf(await this.call(who, method, path, body, headers));
  }

  async until<T>(ask: () => T | Promise<T>, limit_ms = 10_000): Promise<NonNullable<T>> {
    const deadline = performance.now() + limit_ms;
    for (let last: unknown; ; await Bun.sleep(20)) {
      try {
        const found = await ask();
        if (found !== undefined && found !== null && found !== false) return found;
        last = found;
      } catch (error) {
        last = error;
      }
      if (performance.now() > deadline)
        throw new Error(
          `it did not happen within ${limit_ms / 1_000} s: ${ask.toString()}; the last ` +
            `value was ${messageOf(last)}`,
        );
    }
  }

  log(words = ""): readonly LogLine[] {
    return this.server?.log().filter(({ message }) => message.includes(words)) ?? [];
  }

  async folder(who: keyof People, name = "Folder"): Promise<string> {
    return (await this.create(who, "/folders", { name })).id;
  }

  async upload(...[who, folder_id, name, content]: Parameters<Dossier["upload"]>): Promise<any> {
    const form = new FormData();
    form.set("file", new Blob([content]), name);
    const { id } = await this.create(who, `/documents/file?folder_id=${folder_id}`, form);
    return this.until(async () => {
      const { body } = await this.send(who, "GET", `/documents/${id}`);
      return body.status === "syncing" ? null : body;
    }, 30_000);
  }

  async ask(...[who, folder_ids, text]: Parameters<Dossier["ask"]>): Promise<any> {
    const { id } = await this.create(who, "/chats", { usedFolders: folder_ids });
    const { requestId } = await this.create(who, `/chats/${id}/messages`, { text });
    return this.until(async () => {
      const { body } = await this.send(who, "GET", `/chats/${id}/messages/${requestId}`);
      return body.status === "COMPLETED" ? body.result : null;
    }, 30_000);
  }

  /** The record created by a POST that must succeed. */
  private async create(who: keyof People, path: string, body: unknown): Promise<any> {
    const answer = await this.send(who, "POST", path, body);
    if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  }

  async restart(): Promise<void> {
    await this.server?.stop();
    await this.start();
  }

  async stop(): Promise<void> {
    await this.server?.stop();
    this.server = undefined;
    this.receiver.stop();
    this.model.stop();
    rmSync(this.data, { recursive: true, force: true });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

/** The `.dossier` directory that this file belongs to. */
function findSupport(): { directory: string; stamp: Stamp } {
  for (let directory = import.meta.dir; directory !== dirname(directory);) {
    const file = join(directory, stamp_file);
    if (existsSync(file))
      return { directory, stamp: JSON.parse(readFileSync(file, "utf8")) as Stamp };
    directory = dirname(directory);
  }
  throw new Error("Dossier was not found beside these tests. Run `dossier plugin types`");
}
