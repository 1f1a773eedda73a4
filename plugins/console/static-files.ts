/**
 * The files of the console: one HTML page for every address, hashed files that may be cached for
 * ever, and the modules of plugins.
 */
import { HttpError } from "../../core/sdk";
import { console_root } from "./contract";
import { modules_path } from "./plugin-modules";

/**
 * A file from the build. `file` is a path, inside the executable too; with `gzip` its content is
 * compressed.
 */
export interface Asset {
  readonly file: string;
  readonly media_type: string;
  readonly etag: string;
  readonly gzip: boolean;
}
/** The files of the build, the page, and where modules of plugins come from. */
export interface StaticFilesOptions {
  /** By requested path. */
  readonly assets: Readonly<Record<string, Asset>>;
  /** `{{base}}` in it is replaced by the base path. */
  readonly index_html: string;
  /** The path of the server's public address, which precedes every path of the console. */
  readonly base_path: string;
  /** The source of a plugin's module at a path; undefined if there is none. */
  readonly moduleAt: (path: string) => string | undefined;
}

/**
 * Content security policy: a page may only load its own files and call its own server. Workers obey
 * the policy of their own file, so scripts carry it too.
 */
const page_policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "media-src 'self' blob:",
  "worker-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types dossier",
].join("; ");
const policy = { "content-security-policy": page_policy };

/** Serves everything below `/console` except the API. */
export class StaticFiles {
  private readonly options: StaticFilesOptions;
  private readonly index_html: string;
  private readonly index_etag: string;

  constructor(options: StaticFilesOptions) {
    this.options = options;
    this.index_html = options.index_html.replaceAll("{{base}}", Bun.escapeHTML(options.base_path));
    this.index_etag = etagOf(this.index_html);
  }

  /** Answers a GET of any path below `/console`. @throws HttpError 404 */
  serve(request: Request, path: string): Response {
    const { assets, moduleAt } = this.options;
    const asset = Object.hasOwn(assets, path) ? assets[path] : undefined;
    if (asset) return sendAsset(request, asset);
    const module = path.startsWith(modules_path) ? moduleAt(path) : undefined;
    if (module !== undefined)
      return sendText(request, module, etagOf(module), "text/javascript; charset=utf-8");
    if (!isPagePath(path) || !wantsPage(request))
      throw new HttpError(404, "not_found", `There is nothing at ${path}.`);
    return sendText(request, this.index_html, this.index_etag, "text/html; charset=utf-8");
  }
}

/** Missing files and API calls must not get the HTML page. */
const isPagePath = (path: string): boolean =>
  !["assets", "modules", "api"].some(
    (area) => path === `${console_root}/${area}` || path.startsWith(`${console_root}/${area}/`),
  );
const wantsPage = ({ headers }: Request): boolean => {
  const accept = headers.get("accept");
  return accept === null || /\btext\/html\b/.test(accept) || accept.trim() === "*/*";
};

const etagOf = (text: string): string =>
  `"${new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 20)}"`;
const isKnown = (request: Request, etag: string): boolean =>
  (request.headers.get("if-none-match") ?? "")
    .split(",")
    .some((tag) => tag.trim().replace(/^W\//, "") === etag);

/** May be cached, but is revalidated each time. */
function sendText(request: Request, body: string, etag: string, media_type: string): Response {
  const headers = { "cache-control": "no-cache", etag, ...policy };
  return isKnown(request, etag)
    ? new Response(null, { status: 304, headers })
    : new Response(body, { headers: { ...headers, "content-type": media_type } });
}

/** Its name contains the hash of its content, so it never changes. */
function sendAsset(request: Request, { file, media_type, etag, gzip }: Asset): Response {
  const headers: Record<string, string> = {
    ...policy,
    "cache-control": "public, max-age=31536000, immutable",
    etag,
    ...(gzip ? { vary: "accept-encoding" } : {}),
  };
  if (isKnown(request, etag)) return new Response(null, { status: 304, headers });
  headers["content-type"] = media_type;
  if (!gzip) return new Response(Bun.file(file), { headers });
  if (takesGzip(request))
    return new Response(Bun.file(file), { headers: { ...headers, "content-encoding": "gzip" } });
  return new Response(Bun.file(file).stream().pipeThrough(new DecompressionStream("gzip")), {
    headers,
  });
}

/** `gzip;q=0` means not acceptable. */
const takesGzip = ({ headers }: Request): boolean =>
  /(^|,)\s*(gzip|\*)\s*(;\s*q=(?!0(\.0*)?\s*(,|$))[^,]*)?(,|$)/i.test(
    headers.get("accept-encoding") ?? "",
  );
