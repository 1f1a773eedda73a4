/** The wire format of an error: RFC 9457 problem+json. Decided only here. */
import { HttpError, NothingSaved } from "../base/errors";
import type { Route } from "./route";

const titles: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  409: "Conflict",
  410: "Gone",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  416: "Range Not Satisfiable",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  451: "Unavailable For Legal Reasons",
  500: "Internal Server Error",
  502: "Bad Gateway",
  503: "Service Unavailable",
  507: "Insufficient Storage",
};

/** The title of a status, as RFC 9110 names it. */
export const titleOf = (status: number): string => titles[status] ?? "Error";

/** The error itself, or a 500 without any internals. */
export const toHttpError = (error: unknown): HttpError =>
  error instanceof HttpError
    ? error
    : new HttpError(
        500,
        "internal_error",
        "Something went wrong on the server. The server's log has the cause under this " +
          "request id.",
      );

/**
 * The error as the client gets it: to a request that was to change something it says that nothing
 * was saved.
 */
export const errorFor = (error: unknown, route: Route<any, any> | null): unknown =>
  error instanceof NothingSaved && route && route.method !== "GET" && route.scope !== "read"
    ? error.forChange()
    : error;

/** An unknown error becomes a 500 without any internals: no stack, path or SQL. */
export function problemResponse(error: unknown, request_id: string): Response {
  const { status, code, detail, errors, headers } = toHttpError(error);
  const body = {
    type: "about:blank",
    title: titleOf(status),
    status,
    detail,
    code,
    ...(errors ? { errors } : {}),
    request_id,
  };
  return new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/problem+json", ...headers },
  });
}
