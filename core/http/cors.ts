/**
 * Cross-origin requests (CORS): which pages of other origins may call the API. Only the API with
 * its keys: what a cookie opens is never shared, and no response allows credentials.
 */
import { ConfigError } from "../base/config";

/** Allowed for an unknown path: the request itself gets the error. */
const methods_of_all = ["DELETE", "GET", "HEAD", "PATCH", "POST", "PUT"];
const headers_of_all = "Authorization, Content-Type, Last-Event-ID, Prefer, Range";
/** Headers that a page may read besides the CORS-safelisted ones. */
const exposed =
  "Accept-Ranges, Allow, Content-Disposition, Content-Range, Deprecation, ETag, Link, Location, " +
  "Preference-Applied, Retry-After, Warning, WWW-Authenticate, X-Request-Id, " +
  "X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset";
const preflight_holds_s = 600;

/** The origins in the settings, and the headers for them. */
export class Cors {
  private constructor(
    private readonly origins: ReadonlySet<string>,
    private readonly allows_any: boolean,
  ) {}

  /** Null when no origin is allowed. @throws ConfigError naming an invalid origin. */
  static of(origins: readonly string[]): Cors | null {
    const problems = origins
      .filter((origin) => origin !== "*" && !isOrigin(origin))
      .map(
        (origin) =>
          "server.cors_origins must hold origins such as https://app.example, without a path, " +
          `or *: ${JSON.stringify(origin)} is neither.`,
      );
    if (problems.length > 0) throw new ConfigError(problems);
    const exact_origins = origins
      .filter((origin) => origin !== "*")
      .map((origin) => new URL(origin).origin);
    return origins.length === 0 ? null : new Cors(new Set(exact_origins), origins.includes("*"));
  }

  /** Lets a page of an allowed origin read this response, including errors. */
  share(request: Request, headers: Headers): void {
    headers.append("vary", "Origin");
    const allowed_origin = this.allowed(request);
    if (allowed_origin === null) return;
    headers.set("access-control-allow-origin", allowed_origin);
    headers.set("access-control-expose-headers", exposed);
  }

  /** The response to OPTIONS for a path with these methods; empty when there is no such path. */
  preflight(request: Request, methods: readonly string[]): Response {
    const headers = new Headers({
      vary: "Access-Control-Request-Method, Access-Control-Request-Headers",
    });
    if (methods.length > 0) headers.set("allow", [...methods, "OPTIONS"].join(", "));
    if (this.allowed(request) !== null) {
      headers.set(
        "access-control-allow-methods",
        (methods.length > 0 ? methods : methods_of_all).join(", "),
      );
      headers.set(
        "access-control-allow-headers",
        request.headers.get("access-control-request-headers") || headers_of_all,
      );
      headers.set("access-control-max-age", String(preflight_holds_s));
    }
    return new Response(null, { status: 204, headers });
  }

  /** Whether pages of this origin may call the API. */
  allows(origin: string): boolean {
    return this.allows_any || this.origins.has(origin);
  }

  private allowed({ headers }: Request): string | null {
    const origin = headers.get("origin");
    if (origin === null || !this.allows(origin)) return null;
    return this.allows_any ? "*" : origin;
  }
}

/** `https://app.example`, `http://localhost:5173`; a trailing slash is accepted. */
const isOrigin = (text: string): boolean =>
  /^https?:\/\/[^/?#@*]+\/?$/.test(text) && URL.canParse(text);
