/**
 * The API behind the session cookie, at `/console/api/v1`: authentication, protection against
 * cross-site requests, and the headers of every response.
 */
import {
  HttpError,
  ipVersion,
  sameHost,
  type Authentication,
  type Surface,
  type Client,
} from "../../core/sdk";
import type { Sessions } from "../accounts/contract";
import { console_root } from "./contract";

/** What the console's surface needs. */
export interface SurfaceOptions {
  readonly sessions: Pick<Sessions, "callerOf" | "recheck">;
  /** The setting `server.public_url`, such as `https://papers.example`; null if it is not set. */
  readonly public_url: string | null;
}

/** On every response except pages. */
const strict_headers = {
  "content-security-policy":
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
};

/** Name and address of the console's API, also in its OpenAPI document. */
export const console_api = {
  name: "console",
  prefix: `${console_root}/api/v1`,
  document: {
    path: `${console_root}/api/openapi.json`,
    title: "Dossier console",
    description:
      "What the console calls: every route of the API in the name of whoever is signed in, and " +
      "its own for accounts, keys, users, usage and the system.",
    security: {
      session: {
        type: "apiKey",
        in: "cookie",
        name: "dossier",
        description:
          "The cookie of a session; `__Host-dossier` over HTTPS, or `__Secure-dossier` where the " +
          "server lies below a path. Changes must come from the " +
          "console's own origin.",
      },
    },
    unauthorized: { signed_out: "Nobody is signed in." },
  },
} satisfies Pick<Surface, "name" | "prefix" | "document">;

/** The console's surface: sessions instead of keys, and only for pages of this server. */
export const createSurface = ({ sessions, public_url }: SurfaceOptions): Surface => ({
  ...console_api,
  root: console_root,
  headers: strict_headers,
  async authenticate(request, client): Promise<Authentication> {
    const refusal = safe_methods.has(request.method)
      ? undefined
      : refusalOf(request, client, public_url);
    // A forged request is anonymous, even when the browser sent the cookie along.
    return refusal
      ? { caller: null, refusal }
      : { caller: await sessions.callerOf(request, client) };
  },
  recheck: (request, client) => sessions.recheck(request, client),
  unauthorized: () =>
    new HttpError(401, "signed_out", "You are not signed in. Sign in first.", {
      headers: { "www-authenticate": `Session realm="dossier"` },
    }),
});

const safe_methods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Protection against cross-site request forgery: why a request that changes something is refused,
 * or undefined if a page of this server sent it. Browsers send `Sec-Fetch-Site`; old ones, and
 * other programs, only `Origin`. If both are present, both must match.
 */
export function refusalOf(
  { headers }: Request,
  { host, secure }: Client,
  public_url: string | null,
): HttpError | undefined {
  const site = headers.get("sec-fetch-site");
  const origin = headers.get("origin");
  if (site !== null && site !== "same-origin")
    return crossSite("It was sent by a page of another site.");
  if (origin === null)
    return site === null
      ? crossSite(
          "It has neither a Sec-Fetch-Site nor an Origin header, so the page that sent it is " +
            "unknown.",
        )
      : undefined;
  // Protection against DNS rebinding: anybody can point a domain of theirs at this server and serve
  // pages under it. Once the server's own name is known, no other name is accepted.
  const hosts =
    public_url === null
      ? [host]
      : isName(host)
        ? [new URL(public_url).host]
        : [new URL(public_url).host, host];
  const origin_url = URL.canParse(origin) ? new URL(origin) : undefined;
  if (!origin_url || !hosts.some((allowed_host) => sameHost(allowed_host, origin_url.host)))
    return crossSite(
      `It was sent by a page of ${origin}, but the address of this server is ${host}. ` +
        "Behind a reverse proxy, set server.public_url to the address that people use.",
    );
  return secure && origin_url.protocol !== "https:"
    ? crossSite("It was sent by a page that was not loaded over HTTPS.")
    : undefined;
}

/** Neither an IP address nor `localhost`. */
function isName(host: string): boolean {
  const name = host.replace(/:\d+$/, "").toLowerCase();
  return (
    ipVersion(name.replace(/^\[|\]$/g, "")) === 0 &&
    name !== "localhost" &&
    !name.endsWith(".localhost")
  );
}

const crossSite = (reason: string): HttpError =>
  new HttpError(403, "cross_site", `This request was refused. ${reason}`);
