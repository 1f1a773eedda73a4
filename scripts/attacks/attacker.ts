/** The user who attacks: requests of all kinds, whose responses are counted by status. */
import type { Socket } from "bun";
import { addTexts, apiCall, inParallel, type ApiCall } from "../bench/server";
import { first_password } from "../lib/launch";

/** What the process of the attack is told. */
export interface Order {
  readonly url: string;
  readonly key: string;
  readonly admin_key: string;
}

/** A request; `path` is that of the API, or with two slashes that of the server. */
export interface Request {
  readonly method?: string;
  readonly body?: string | Uint8Array | Blob | FormData | ReadableStream | object;
  readonly headers?: Readonly<Record<string, string>>;
  /** Null sends none. */
  readonly key?: string | null;
  /** Hangs up after so long. */
  readonly abort_after_ms?: number;
  /** Called with the response in place of reading it to its end. */
  readonly read?: (response: Response) => Promise<unknown>;
}

/** How long what has begun may take after the end. */
const patience_ms = 10_000;
/** The name of a new user's folder, unless a case needs several. */
const folder_name = "Attack";

/** Sends requests and raw bytes with the key of one user. */
export class Attacker {
  readonly call: ApiCall;
  readonly admin: ApiCall;
  readonly order: Order;
  /** Responses by status; `0` was cut off. */
  readonly statuses = new Map<number, number>();
  /** Whether the time of the case is over. */
  ended = false;
  private readonly hanging_up = new AbortController();

  constructor(order: Order) {
    this.order = order;
    this.call = apiCall(order.url, order.key);
    this.admin = apiCall(order.url, order.admin_key);
  }

  /** Begins nothing new. What takes much longer to be answered is cut off. */
  end(): void {
    this.ended = true;
    setTimeout(() => this.hanging_up.abort(), patience_ms).unref();
  }

  count(status: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
  }

  /** Sends a request and reads its response to the end. Returns the status, 0 when cut off. */
  async send(path: string, request: Request = {}): Promise<number> {
    const status = await this.fetch(path, request).catch(() => 0);
    this.count(status);
    return status;
  }

  private async fetch(path: string, request: Request): Promise<number> {
    const { method, body, key = this.order.key, headers, abort_after_ms, read } = request;
    const is_json = typeof body === "string" || body?.constructor === Object;
    const response = await fetch(address(this.order.url, path), {
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers: {
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...(is_json && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && {
        body: body.constructor === Object ? JSON.stringify(body) : (body as Bun.BodyInit),
      }),
      signal:
        abort_after_ms === undefined
          ? this.hanging_up.signal
          : AbortSignal.any([this.hanging_up.signal, AbortSignal.timeout(abort_after_ms)]),
    });
    if (read) await read(response);
    // Not as one text, which may be longer than this process should hold.
    else if (response.body) for await (const _ of response.body);
    return response.status;
  }

  /** Signs in to the console. Returns what its requests take in place of a key. */
  async signIn(): Promise<Pick<Request, "headers" | "key">> {
    const { url } = this.order;
    const { headers } = await fetch(`${url}/console/api/v1/session`, {
      method: "POST",
      headers: { origin: url, "content-type": "application/json" },
      body: JSON.stringify({ email: "attacker@example.com", password: first_password }),
    });
    return { headers: { cookie: headers.get("set-cookie")!.split(";")[0]! }, key: null };
  }

  /** Repeats the work in so many loops until the case has ended. */
  async repeat(loops: number, work: (round: number) => Promise<unknown>): Promise<void> {
    let round = 0;
    await Promise.all(
      Array.from({ length: loops }, async () => {
        while (!this.ended) await work(round++);
      }),
    );
  }

  async newFolder(name = folder_name, parentId?: string): Promise<string> {
    return (await this.call<{ id: string }>("POST", "/folders", { name, parentId })).id;
  }

  /** Texts as documents of a new folder, once they are indexed. Returns the id of the folder. */
  async newTexts(texts: readonly string[], limit_ms?: number): Promise<string> {
    const folder_id = await this.newFolder();
    await addTexts(this, folder_id, texts, limit_ms);
    return folder_id;
  }

  /** A root folder with so many subfolders, of which each holds a document. */
  async newTree(subfolders: number): Promise<string> {
    const root_id = await this.newFolder("Tree");
    await inParallel(subfolders, 8, async (at) => {
      await this.newFolder(`Subfolder ${at}`, root_id);
    });
    return root_id;
  }

  /** Waits until no document of the folder is being indexed. */
  async indexed(folder_id: string): Promise<void> {
    type Folder = { readonly status_counts: { readonly syncing: number } };
    const isSyncing = async () =>
      (await this.call<Folder>("GET", `/folders/${folder_id}`)).status_counts.syncing > 0;
    while (await isSyncing()) await Bun.sleep(100);
  }

  /** The ids of the newest documents of a folder, at most 200. */
  async documentIds(folder_id: string): Promise<string[]> {
    const path = `/documents?folder_id=${folder_id}&per_page=200`;
    const { data } = await this.call<{ data: { id: string }[] }>("GET", path);
    return data.map(({ id }) => id);
  }

  /** A chat over a folder. Returns its id. */
  async newChat(folder_id: string): Promise<string> {
    const body = { name: "Attack", usedFolders: [folder_id] };
    return (await this.call<{ id: string }>("POST", "/chats", body)).id;
  }

  /** Waits until deleted documents are gone from the disk, or the time is over. */
  async purged(): Promise<void> {
    type Health = { readonly purging: { readonly documents: number } };
    for (; !this.ended; await Bun.sleep(200)) {
      const { purging } = (await (await fetch(`${this.order.url}/health`)).json()) as Health;
      if (purging.documents === 0) return;
    }
  }

  /** The head of a request, to be sent over `connect`; ends in an empty line. */
  head(method: string, path: string, headers: Readonly<Record<string, string>> = {}): string {
    const { pathname } = new URL(address(this.order.url, path));
    const { search } = new URL(address(this.order.url, path));
    const all = { host: "127.0.0.1", authorization: `Bearer ${this.order.key}`, ...headers };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    return `${method} ${pathname}${search} HTTP/1.1\r\n${lines.join("")}\r\n`;
  }

  /** Opens a connection whose responses are only counted, or not even read. */
  connect({ reads = true } = {}): Promise<Socket> {
    const { port } = new URL(this.order.url);
    return Bun.connect({
      hostname: "127.0.0.1",
      port: Number(port),
      socket: {
        open: (socket) => {
          if (!reads) socket.pause();
        },
        data: (_socket, bytes) => {
          const status = /^HTTP\/1\.1 (\d{3})/.exec(bytes.toString("latin1", 0, 12))?.[1];
          if (status !== undefined) this.count(Number(status));
        },
        error: () => this.count(0),
      },
    });
  }
}

const address = (url: string, path: string): string =>
  path.startsWith("//") ? url + path.slice(1) : `${url}/api/dev/v1${path}`;
