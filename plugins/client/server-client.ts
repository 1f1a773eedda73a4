/**
 * A command's client of the running server: it calls the API on behalf of a user, with a key that
 * is valid for as long as the command runs.
 */
import { serverOn, type AskServer, type Context } from "../../core/sdk";
import type { Accounts, User } from "../accounts/contract";

const prefix = "/api/dev/v1";
const page_size = 200;

/** What the client needs besides `Context`. */
export interface ClientContext extends Pick<Context, "paths"> {
  readonly accounts: Accounts;
}
/** A folder that was given by id or by name. */
export interface NamedFolder {
  readonly id: string;
  readonly name: string;
  readonly parentId: string | null;
}

/** The named user; when none is named, the only one. @throws Error naming --user. */
export async function userOf(accounts: Accounts, named: unknown): Promise<User> {
  if (typeof named === "string") return accounts.findUser(named);
  const [only, ...others] = (await accounts.listUsers()).filter(({ active }) => active);
  if (!only) throw new Error("there is no active user yet. Create one with dossier user create");
  if (others.length > 0) throw new Error("there are several users. Choose one with --user");
  return only;
}

/** @throws Error with a readable message when no server runs, or it refuses. */
export async function withServer<R>(
  { accounts, paths }: ClientContext,
  user: User,
  work: (server: ServerClient) => Promise<R>,
): Promise<R> {
  const server = serverOn(paths.data);
  const answers = server !== null && (await server("/health").catch(() => null))?.ok;
  if (server === null || !answers)
    throw new Error(
      `this needs a running server, and none is running on ${paths.data}. Start it with ` +
        `dossier serve --data ${paths.data}, and try again`,
    );
  return accounts.withTemporaryKey(user.id, "command line", (token) =>
    work(new ServerClient(server, token)),
  );
}

interface Sent {
  readonly json?: unknown;
  readonly form?: FormData;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A response other than 2xx; the message is the server's sentence. */
export class RefusedRequest extends Error {
  constructor(
    readonly status: number,
    sentence: string,
  ) {
    super(sentence);
  }
}

/** Calls of the API with JSON. */
export class ServerClient {
  constructor(
    private readonly server: AskServer,
    private readonly token: string,
  ) {}

  /** The JSON of the response. @throws RefusedRequest with the server's sentence. */
  async call<R>(method: string, path: string, sent: Sent = {}): Promise<R> {
    const text = await (await this.open(method, path, sent)).text();
    return (text === "" ? undefined : JSON.parse(text)) as R;
  }

  /** The response, whose body is still to be read. @throws RefusedRequest as `call` */
  async open(
    method: string,
    path: string,
    { json, form, headers = {} }: Sent = {},
  ): Promise<Response> {
    const response = await this.server(`${prefix}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(json === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      ...(form === undefined ? {} : { body: form }),
    });
    if (!response.ok)
      throw new RefusedRequest(
        response.status,
        sentenceOf(await response.text()) || `the server responded with status ${response.status}`,
      );
    return response;
  }

  /** All of the user's folders. */
  async *folders(): AsyncGenerator<NamedFolder, void> {
    for (let page: number | null = 1; page !== null;) {
      const {
        data,
        pagination,
      }: { data: NamedFolder[]; pagination: { next_page: number | null } } = await this.call(
        "GET",
        `/folders?per_page=${page_size}&page=${page}`,
      );
      yield* data;
      page = pagination.next_page;
    }
  }

  createFolder(json: object): Promise<NamedFolder> {
    return this.call("POST", "/folders", { json });
  }

  /** By id, or by name, ignoring case. @throws Error when there is none, or more than one. */
  async folder(named: string): Promise<NamedFolder> {
    const folders: NamedFolder[] = [];
    for await (const folder of this.folders()) {
      if (folder.id === named) return folder;
      if (folder.name.toLowerCase() === named.toLowerCase()) folders.push(folder);
    }
    if (folders.length > 1)
      throw new Error(
        `several folders are named ${named}. Use an id instead ` +
          `(${folders.map(({ id }) => id).join(", ")})`,
      );
    if (folders.length === 0)
      throw new Error(
        `there is no folder ${named}. See dossier folder list, or create one with dossier ` +
          "folder create",
      );
    return folders[0]!;
  }
}

/** The detail of a problem document, or the text of a failed response. */
function sentenceOf(text: string): string {
  try {
    return String((JSON.parse(text) as { detail?: unknown }).detail ?? "");
  } catch {
    return text;
  }
}
