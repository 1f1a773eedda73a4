/**
 * A simulated browser in front of the console's server: keeps cookies and sends the origin headers
 * of browsers.
 */
import { setDefaultTimeout } from "bun:test";
import type { TestServer } from "./host";
import { sha256 } from "../../plugins/accounts/token";

/** Five seconds are not enough for hashing passwords on a busy machine. */
setDefaultTimeout(60_000);

/** A response as a script on a page sees it, with its body parsed. */
export interface BrowserResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: any;
  readonly text: string;
}
/** One person's window: its cookies are its own. */
export interface Browser {
  /**
   * Sends a form, or JSON. A path below `/console/api/v1`, or, with two slashes, one at the root of
   * the server. A header of "" is left out.
   */
  send(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<BrowserResponse>;
  /** The cookie header, such as `dossier=dss_…`; empty when there is none. */
  cookie(): string;
  /** Replaces all cookies. */
  setCookies(cookie: string): void;
}
/** What the browser says about itself. */
export interface BrowserOptions {
  /** The page's address, as the browser shows it. */
  readonly origin?: string;
  /** On every request. */
  readonly headers?: Readonly<Record<string, string>>;
}
type Fetch = (request: Request) => Promise<Response>;

/** `base` is the address of requests: `http://dossier.test`. */
export function openBrowser(
  fetch: Fetch,
  base: string,
  { origin = base, headers: common_headers = {} }: BrowserOptions = {},
): Browser {
  const jar = new Map<string, string>();
  const cookieHeader = () => [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
  const setCookie = (pair: string) => {
    const at = pair.indexOf("=");
    jar.set(pair.slice(0, at).trim(), pair.slice(at + 1).trim());
  };
  return {
    cookie: cookieHeader,
    setCookies: (value) => {
      jar.clear();
      for (const pair of value.split(";")) if (pair.includes("=")) setCookie(pair);
    },
    async send(method, path, body, headers = {}) {
      const cookie = cookieHeader();
      const is_form = body instanceof FormData;
      const all_headers: Record<string, string> = {
        host: new URL(origin).host,
        ...(method === "GET" ? {} : { origin, "sec-fetch-site": "same-origin" }),
        ...(body === undefined || is_form ? {} : { "content-type": "application/json" }),
        ...(cookie === "" ? {} : { cookie }),
        ...common_headers,
        ...headers,
      };
      const response = await fetch(
        new Request(`${base}${path.startsWith("//") ? path.slice(1) : `/console/api/v1${path}`}`, {
          method,
          redirect: "manual",
          headers: Object.fromEntries(
            Object.entries(all_headers).filter(([, value]) => value !== ""),
          ),
          ...(body === undefined ? {} : { body: is_form ? body : JSON.stringify(body) }),
        }),
      );
      for (const set of response.headers.getSetCookie())
        if (/Max-Age=0/.test(set)) jar.delete(set.split("=")[0]!);
        else setCookie(set.split(";")[0]!);
      const text = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        text,
        body:
          text !== "" && /json/.test(response.headers.get("content-type") ?? "")
            ? JSON.parse(text)
            : null,
      };
    },
  };
}

/** A browser in front of a server in this process. */
export const visit = (
  server: TestServer,
  { address = "127.0.0.1", ...options }: BrowserOptions & { readonly address?: string } = {},
): Browser =>
  openBrowser((request) => server.fetch(request, address), "http://dossier.test", options);

/** The same, signed in as `usr_<who>`, without hashing a password. */
export async function signedIn(
  server: TestServer,
  who: string,
  { role = "member", ...options }: BrowserOptions & { readonly role?: "admin" | "member" } = {},
): Promise<Browser> {
  await server.key(who);
  await server.store.db
    .updateTable("accounts_users")
    .set({ role })
    .where("id", "=", `usr_${who}`)
    .execute();
  return signedInAs(server, `usr_${who}`, options);
}

/** Another session of an existing user. */
export async function signedInAs(
  server: TestServer,
  user_id: string,
  options: BrowserOptions = {},
): Promise<Browser> {
  const token = `dss_${crypto.randomUUID()}`;
  const now = Date.now();
  await server.store.db
    .insertInto("accounts_sessions")
    .values({
      id: `ses_${token.slice(-12)}`,
      user_id,
      token_sha256: sha256(token),
      created_at: now,
      last_seen_at: now,
      address: "127.0.0.1",
      user_agent: "test",
    })
    .execute();
  const browser = visit(server, options);
  browser.setCookies(`dossier=${token}`);
  return browser;
}
