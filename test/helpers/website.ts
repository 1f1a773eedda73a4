/** A scripted web server on loopback, and the results of importing from it. */
import { Server, createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Pauses } from "./pauses";

/** A text is an HTML page; anything else is sent unchanged. A function decides per request. */
export type SiteContent =
  | string
  | Response
  | ((request: IncomingMessage, response: ServerResponse) => void);
/** A request that the website got. */
export interface SiteRequest {
  readonly path: string;
  readonly at_ms: number;
  readonly headers: IncomingMessage["headers"];
}

/** A running website. */
export interface Website extends AsyncDisposable {
  readonly url: string;
  readonly host: string;
  /** The content at a path; other paths return 404. */
  set(path: string, what: SiteContent | undefined): void;
  /** Adds it at an unused path, and returns the path. */
  put(what: SiteContent): string;
  /** An unused path. */
  freePath(): string;
  /** Every request so far, in order. */
  readonly requests: SiteRequest[];
  /** Requested paths, except robots.txt. */
  paths(): string[];
  /** Open connections, and their maximum. */
  readonly open: { now: number; most: number };
}

/** Starts an empty one. */
export async function startWebsite(): Promise<Website> {
  const pages = new Map<string, SiteContent>();
  const requests: SiteRequest[] = [];
  const open = { now: 0, most: 0 };
  const server: Server = createServer((request, response) => {
    const path = request.url!;
    requests.push({ path, at_ms: performance.now(), headers: request.headers });
    open.now += 1;
    open.most = Math.max(open.most, open.now);
    response.on("close", () => {
      open.now -= 1;
    });
    void answer(pages.get(path), request, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as { port: number };
  let paths = 0;
  const freePath = () => `/p${paths++}`;
  return {
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    requests,
    open,
    set: (path, what) => void (what === undefined ? pages.delete(path) : pages.set(path, what)),
    freePath,
    put: (what) => {
      const path = freePath();
      pages.set(path, what);
      return path;
    },
    paths: () => requests.map(({ path }) => path).filter((path) => path !== "/robots.txt"),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

async function answer(
  what: SiteContent | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (typeof what === "function") return what(request, response);
  if (what === undefined) return void response.writeHead(404).end();
  if (typeof what === "string")
    return void response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(what);
  const copy = what.clone();
  response.writeHead(copy.status, Object.fromEntries(copy.headers));
  response.end(Buffer.from(await copy.arrayBuffer()));
}

/** A page with `text` surrounded by typical page elements. */
export const page = (
  title: string,
  text: string,
  head = "",
): string => `<!doctype html><html><head><title>${title}</title>${head}</head><body>
<header><a href="/">Home</a> <a href="/about">About the site</a></header><nav><ul><li><a href="/a">Sections</a></li><li><a href="/b">More</a></li></ul></nav>
<main><h1>${title}</h1><p>${text}</p></main><footer>Imprint and cookies</footer></body></html>`;

/** A response with these bytes. */
export const file = (
  bytes: string | Uint8Array,
  type: string,
  headers: Record<string, string> = {},
) => new Response(bytes as never, { headers: { "content-type": type, ...headers } });

/** Whatever can call the API. */
export interface ImportClient {
  send(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ readonly status: number; readonly body: any }>;
}
/** Starts an import and waits for its end; returns the run and its items. */
export async function importOf(
  client: ImportClient,
  body: object,
): Promise<{ readonly run: any; readonly items: any[] }> {
  const begun = await client.send("POST", "/imports", body);
  if (begun.status !== 202)
    throw new Error(`expected 202, not ${begun.status}: ${JSON.stringify(begun.body)}`);
  return ended(client, begun.body.id);
}
/** Waits until the run has ended. */
export async function ended(
  client: ImportClient,
  id: string,
): Promise<{ readonly run: any; readonly items: any[] }> {
  const pauses = new Pauses();
  for (const deadline = performance.now() + 45_000; ;) {
    const { body: run } = await client.send("GET", `/imports/${id}`);
    if (run.finished_at !== null)
      return {
        run,
        items: (await client.send("GET", `/imports/${id}/items?per_page=200`)).body.data,
      };
    if (performance.now() > deadline)
      throw new Error(`the import has not ended: ${JSON.stringify(run)}`);
    await pauses.next();
  }
}

/** Numbers of items: total, completed, succeeded, failed, and skipped. */
export const counts = ({
  total_item_count,
  completed_item_count,
  succeeded_item_count,
  failed_item_count,
  skipped_item_count,
}: any) => [
  total_item_count,
  completed_item_count,
  succeeded_item_count,
  failed_item_count,
  skipped_item_count,
];
/** The codes of items that failed. */
export const problems = (items: any[]) =>
  items.filter(({ error }) => error !== null).map(({ error }) => error.code);
