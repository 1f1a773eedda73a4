/**
 * The problems that each operation may respond with: status → code → meaning. The source of the
 * document and of its list of codes.
 */
import { isMultipart } from "./body-reader";
import { sizeInWords } from "../lib/byte-sizes";
import { json_body_bytes_max } from "./body";
import type { Errors, Route } from "./route";
import type { Surface } from "./slots";

/** Code → its meaning as a sentence. */
export type Codes = Readonly<Record<string, string>>;

/** The code of a status that is described without one. */
const default_codes: Readonly<Record<number, string>> = {
  400: "invalid_request",
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  408: "body_timeout",
  409: "conflict",
  410: "gone",
  413: "too_large",
  415: "unsupported_media_type",
  416: "range_not_satisfiable",
  422: "refused",
  429: "rate_limited",
  500: "internal_error",
  503: "unavailable",
  507: "storage_full",
};

/** Codes that belong to no operation. */
export const unrouted_codes: Codes = {
  no_such_route: "There is no such path.",
  method_not_allowed: "The path exists, with the methods that `Allow` names.",
};

/** The description of a code shared by several operations, whatever each of them says. */
export const general_codes: Codes = {
  ...unrouted_codes,
  conflict: "The record is not in a state in which this is possible.",
  forbidden: "The record is another user's, or this is not allowed.",
  gone: "The record was deleted, and can be restored.",
  not_found: "There is no such record.",
  quota_exceeded: "A quota is reached: the detail names the limit in force.",
  rate_limited: "The rate limit is exceeded.",
  too_large: "The body or the file is larger than is accepted.",
  unavailable: "The server is busy, or can't do it at the moment: try again after `Retry-After`.",
  unsupported_media_type: "The body is of a media type that the operation does not take.",
};

type Described = Pick<Surface, "name" | "document">;

/** By status. The route's own description of a code wins over the shared one. */
export function problemsOf(
  route: Route<any, any>,
  described: Described,
): Record<number, Record<string, string>> {
  const problems: Record<number, Record<string, string>> = {};
  for (const errors of [
    requestErrors(route),
    callerErrors(route, described),
    serverErrors(route),
    (route.errors ?? {}) as Errors,
  ])
    for (const [status, meaning] of Object.entries(errors))
      Object.assign((problems[Number(status)] ??= {}), codesOf(Number(status), meaning));
  return Object.fromEntries(
    Object.entries(problems).filter(([, codes]) => Object.keys(codes).length > 0),
  );
}

/** A bare sentence describes the default code of the status. */
const codesOf = (status: number, meaning: string | Codes): Codes =>
  typeof meaning === "string" ? { [default_codes[status] ?? "error"]: meaning } : meaning;

function requestErrors(route: Route<any, any>): Errors {
  const { body, body_bytes_max = json_body_bytes_max } = route;
  const invalid_request = "The request is malformed; `errors` names the fields.";
  if (!body) return { 400: { invalid_request } };
  const is_multipart = isMultipart(body);
  const takes_json = !is_multipart || body.or_json !== undefined;
  return {
    400: {
      invalid_request,
      ...(takes_json && {
        malformed_json: "The body is not JSON in UTF-8, or nests too deeply.",
        too_many_values: "The body has more values than are accepted.",
      }),
      ...(is_multipart && { malformed_multipart: "The multipart body can't be read." }),
    },
    408: "The body came too slowly.",
    413: is_multipart
      ? "The body is too large."
      : `The body is larger than ${sizeInWords(body_bytes_max)}.`,
    415: "The body is of another media type.",
  };
}

function callerErrors(route: Route<any, any>, { document, name }: Described): Errors {
  const is_api = name === "api";
  const site: Codes =
    is_api || route.method === "GET"
      ? {}
      : { cross_site: "The request comes from a page of another site." };
  const not_found: Errors = {
    404: route.path.includes(":") ? "There is no such record." : {},
  };
  if (route.public) return { 403: site, ...not_found };
  return {
    401: document.unauthorized,
    403: {
      ...site,
      ...(route.admin && { admin_only: "Only administrators may do this." }),
      ...(is_api && { missing_scope: "The API key lacks the scope that this needs." }),
      ...(!route.admin && { forbidden: "The record is another user's." }),
    },
    ...not_found,
  };
}

const serverErrors = ({ method }: Route<any, any>): Errors => ({
  429: "The rate limit is exceeded.",
  500: "Something went wrong inside the server.",
  503: "The server is busy, or its storage can't be used at the moment.",
  507: method === "GET" ? {} : "The storage is full; nothing was saved.",
});
