/**
 * One request to an endpoint of the operator, such as a language model: the JSON of the response,
 * or what is wrong, in words for the person who configures it. No proxy of the environment is used,
 * and no redirect is followed.
 */
import { fieldOf, parsedJson } from "../lib/json-values";
import { redact } from "../base/redaction";
import { errorCode } from "./pinned-fetch";

/** The address; `section` contains its settings: `answers`. */
export interface EndpointAddress {
  readonly base_url: string;
  readonly api_key: string | undefined;
  /** Looked up in the list of models when a request is refused. */
  readonly model?: string | undefined;
  readonly section: string;
  /** The setting with the address, if it is not `base_url` of the section. */
  readonly address_setting?: string;
}
/** What is requested of an endpoint. */
export interface EndpointRequest {
  /** Below `base_url`: `/models`. */
  readonly path: string;
  /**
   * Posted as JSON; each following one is tried when the endpoint refuses the previous. Without
   * bodies: GET.
   */
  readonly bodies?: readonly object[];
  /** For all of them together, milliseconds. */
  readonly timeout_ms: number;
  readonly signal?: AbortSignal | undefined;
}
/** What a request has shown about an endpoint. */
export interface EndpointFinding {
  readonly status: "ok" | "warn" | "fail";
  /** Sentences. They quote the endpoint with at most one line, without keys. */
  readonly detail: string;
  /** What to do about it; null when nothing is wrong. */
  readonly fix: string | null;
  /** The setting to look at: `answers.api_key`. */
  readonly setting: string | null;
}
/** The JSON of a success, or what is wrong. */
export type EndpointReply =
  /** `body`: the index of the accepted one. */
  | { readonly json: unknown; readonly took_ms: number; readonly body: number }
  /** `http_status`: null without a response. */
  | { readonly finding: EndpointFinding; readonly http_status: number | null };

/** Enough for a list of models, or a few vectors of the longest kind. */
const bytes_max = 2 * 2 ** 20;
/** For the list of models, after a request was refused. */
const models_ms_max = 3_000;
const quote_length_max = 200;
const names_max = 5;
/** How much of a refusal is searched for the name of the model. */
const searched_length_max = 2_000;

/** The statuses with which servers reject the form of a request. */
const isRefusal = (status: number): boolean => status === 400 || status === 422;

/** Never throws. */
export async function askEndpoint(
  endpoint: EndpointAddress,
  { path, bodies = [], timeout_ms, signal }: EndpointRequest,
): Promise<EndpointReply> {
  const began_ms = performance.now();
  const deadline = AbortSignal.timeout(timeout_ms);
  const signal_of_request = signal ? AbortSignal.any([deadline, signal]) : deadline;
  for (let body = 0; ; body++) {
    const response = await fetchOnce(endpoint, path, bodies[body], signal_of_request);
    if (response instanceof Error)
      return {
        finding: deadline.aborted
          ? timeoutFinding(endpoint, timeout_ms)
          : unreachable(endpoint, response),
        http_status: null,
      };
    if (isRefusal(response.status) && body + 1 < bodies.length) continue;
    const finding = await findingOf(endpoint, path, response, signal_of_request);
    if (finding !== null) return { finding, http_status: response.status };
    return { json: response.json, took_ms: performance.now() - began_ms, body };
  }
}

/** The endpoint responds, but with something other than requested. */
export const wrongShape = (endpoint: EndpointAddress, path: string): EndpointFinding =>
  failing(
    `${hostOf(endpoint.base_url)} responds, but not as ${path} of a compatible endpoint would.`,
    `Correct ${settingOf(endpoint)}: it must be the part of the address before ` +
      `${path}${endpoint.address_setting === undefined ? ", often with /v1 at its end." : "."}`,
    settingOf(endpoint),
  );

const settingOf = ({ section, address_setting }: EndpointAddress): string =>
  address_setting ?? `${section}.base_url`;

/** The host and the port of an address. @throws TypeError for an invalid one */
export const hostOf = (base_url: string): string => new URL(base_url).host;

interface EndpointResponse {
  readonly status: number;
  readonly headers: Headers;
  /** Empty when it was too long. */
  readonly text: string;
  /** The text parsed as JSON; undefined when it is not JSON. */
  readonly json: unknown;
}

async function fetchOnce(
  { base_url, api_key }: EndpointAddress,
  path: string,
  body: object | undefined,
  signal: AbortSignal,
): Promise<EndpointResponse | Error> {
  const init = {
    method: body === undefined ? "GET" : "POST",
    redirect: "manual",
    proxy: false,
    signal,
    headers: {
      accept: "application/json",
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(api_key !== undefined && { authorization: `Bearer ${api_key}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
  try {
    const response = await fetch(`${base_url}${path}`, init as RequestInit);
    const text = await textOf(response);
    return { status: response.status, headers: response.headers, text, json: parsedJson(text) };
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

async function textOf(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > bytes_max) return "";
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

const failing = (detail: string, fix: string, setting: string): EndpointFinding => ({
  status: "fail",
  detail,
  fix,
  setting,
});

function timeoutFinding(endpoint: EndpointAddress, timeout_ms: number): EndpointFinding {
  return failing(
    `${hostOf(endpoint.base_url)} is too slow: it did not respond within ${timeout_ms / 1_000} s.`,
    "Check that server: it may still be loading its model. If a firewall drops the " +
      `connection, correct ${settingOf(endpoint)} or the firewall.`,
    settingOf(endpoint),
  );
}

/** By error code: what is wrong, and what to do. */
const faults: readonly (readonly [
  codes: RegExp,
  detail: (url: URL) => string,
  fix: (setting: string, url: URL) => string,
])[] = [
  [
    /^(ENOTFOUND|ENODATA)$/,
    ({ hostname }) => `The name ${hostname} can't be resolved: it does not exist.`,
    (setting) => `Correct ${setting}.`,
  ],
  [
    /^(EAI_AGAIN|ESERVFAIL|EREFUSED|ETIMEOUT)$/,
    ({ hostname }) => `The name ${hostname} can't be resolved: the name server failed.`,
    (setting) => `Correct ${setting}, or check the name servers of this machine.`,
  ],
  [
    /^(ECONNREFUSED|ConnectionRefused|FailedToOpenSocket)$/,
    ({ host }) => `Nothing is listening at ${host}.`,
    (setting, { hostname }) =>
      `Start the server there, or correct ${setting}.` +
      (/^(localhost|127\.|\[::1\])/.test(hostname)
        ? ` In a container, ${hostname} is the container itself.`
        : ""),
  ],
  [
    /^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|ETIMEDOUT|ConnectionTimeout)$/,
    ({ host }) => `${host} can't be reached from this machine.`,
    (setting) => `Correct ${setting}, or check the network.`,
  ],
  [
    /^(EPROTO|ERR_SSL|ERR_TLS_HANDSHAKE)/,
    ({ host }) => `${host} does not speak TLS.`,
    (setting) => `Start ${setting} with http://, or use the port that speaks TLS.`,
  ],
  [
    /CERT|ALTNAME|HOSTNAME_MISMATCH|LEAF_SIGNATURE|ISSUER/,
    ({ host }) => `The certificate of ${host} is not trusted.`,
    (setting) =>
      `Use a certificate for the name in ${setting} that this machine trusts. For a ` +
      "private certificate authority, set the environment variable NODE_EXTRA_CA_CERTS to " +
      "the path of its certificate.",
  ],
  [
    /^(Malformed_HTTP|HPE_|InvalidHTTP)/,
    ({ host }) => `${host} does not speak HTTP.`,
    (setting) => `Correct ${setting}: another service is listening there.`,
  ],
  [
    /^(ECONNRESET|EPIPE|ConnectionClosed)$/,
    ({ host }) => `${host} accepts the connection, then closes it.`,
    (setting, { protocol }) =>
      protocol === "http:"
        ? `If it speaks TLS, start ${setting} with https://. Otherwise, check its log.`
        : `Correct ${setting}, or check the log of that server.`,
  ],
];

function unreachable(endpoint: EndpointAddress, error: Error): EndpointFinding {
  const url = new URL(endpoint.base_url);
  const setting = settingOf(endpoint);
  const code = errorCode(error);
  const fault = faults.find(([codes]) => codes.test(code));
  return fault
    ? failing(`${withCode(fault[1](url), code)}`, fault[2](setting, url), setting)
    : failing(`${url.host} is not responding.`, `Start it, or correct ${setting}.`, setting);
}
/** Certificate errors are only distinguished by their code. */
const withCode = (detail: string, code: string): string =>
  detail.startsWith("The certificate") ? `${detail.slice(0, -1)} (${code}).` : detail;

/** Null when the response is a success with JSON. */
async function findingOf(
  endpoint: EndpointAddress,
  path: string,
  response: EndpointResponse,
  ends: AbortSignal,
): Promise<EndpointFinding | null> {
  const { status, headers, json } = response;
  const { base_url, api_key, section } = endpoint;
  const host = hostOf(base_url);
  const quote = quotedFrom(json, api_key);
  // Some respond 200 to requests that they refuse.
  if (status < 300 && fieldOf(json, "error"))
    return refusalFinding(endpoint, `${host} refuses${quote}`);
  if (status < 300) return json === undefined ? wrongShape(endpoint, path) : null;
  if (status < 400) return redirectFinding(endpoint, headers);
  if (status === 401 || status === 403)
    return api_key === undefined
      ? failing(
          `${host} requires an API key (${status}), and none was sent.`,
          `Set ${section}.api_key.`,
          `${section}.api_key`,
        )
      : failing(
          `${host} rejects the API key (${status}).`,
          `Set ${section}.api_key to a key that may use this model.`,
          `${section}.api_key`,
        );
  if (status === 429)
    return {
      status: "warn",
      detail: `${host} accepts no more requests at the moment (429)${quote}`,
      fix: "Wait a while, or check the limits and the credit of that account.",
      setting: null,
    };
  if (status >= 500)
    return {
      ...failing(
        `${host} responds with status ${status}${quote}`,
        `Check the log of ${host}.`,
        settingOf(endpoint),
      ),
      setting: null,
    };
  return (
    (await missingModelFinding(endpoint, response, ends)) ??
    notFoundFinding(endpoint, path, status, quote)
  );
}

function notFoundFinding(
  endpoint: EndpointAddress,
  path: string,
  status: number,
  quote: string,
): EndpointFinding {
  const { base_url, address_setting } = endpoint;
  if (status !== 404 && status !== 405)
    return refusalFinding(endpoint, `${hostOf(base_url)} rejects the request (${status})${quote}`);
  const versioned =
    address_setting !== undefined || /\/v\d+(\/|$)/.test(new URL(base_url).pathname);
  return failing(
    `${hostOf(base_url)} responds, but has nothing at ${pathOf(base_url)}${path} (${status}).`,
    `Correct ${settingOf(endpoint)}${versioned ? "." : ": most end with /v1."}`,
    settingOf(endpoint),
  );
}
const pathOf = (base_url: string): string => new URL(base_url).pathname.replace(/\/$/, "");

const refusalFinding = (endpoint: EndpointAddress, detail: string): EndpointFinding =>
  failing(
    detail,
    endpoint.model === undefined
      ? "Check the log of that server."
      : `Check the log of that server, and ${endpoint.section}.model.`,
    endpoint.model === undefined ? settingOf(endpoint) : `${endpoint.section}.model`,
  );

function redirectFinding(endpoint: EndpointAddress, headers: Headers): EndpointFinding {
  const { base_url } = endpoint;
  const to = URL.parse(headers.get("location") ?? "", base_url)?.origin.slice(0, quote_length_max);
  return failing(
    `${hostOf(base_url)} redirects to ${to ?? "another address"}. Redirects are not followed.`,
    `Set ${settingOf(endpoint)} to the final address.`,
    settingOf(endpoint),
  );
}

/** The finding, if the request was refused because of the model; otherwise null. */
async function missingModelFinding(
  endpoint: EndpointAddress,
  { status, text }: EndpointResponse,
  ends: AbortSignal,
): Promise<EndpointFinding | null> {
  const { base_url, model, section } = endpoint;
  if (model === undefined || (status !== 404 && !isRefusal(status))) return null;
  const short_signal = AbortSignal.any([ends, AbortSignal.timeout(models_ms_max)]);
  const models_response = await fetchOnce(endpoint, "/models", undefined, short_signal);
  const names =
    models_response instanceof Error || models_response.status !== 200
      ? null
      : namesIn(models_response.json);
  // Ollama's list contains a tag that may be omitted: `llama3` is `llama3:latest`.
  if (names?.some((name) => name === model || name === `${model}:latest`)) return null;
  if (names === null && !/\bmodel/i.test(text.slice(0, searched_length_max))) return null;
  const model_list =
    names === null || names.length === 0
      ? ""
      : ` It has ${names.slice(0, names_max).join(", ")}${names.length > names_max ? ", …" : "."}`;
  return failing(
    `${hostOf(base_url)} has no model ${model}.${model_list}`,
    `Correct ${section}.model, or load the model on that server.`,
    `${section}.model`,
  );
}

/** Null when it is not a list of models. Only entries that look like names. */
function namesIn(json: unknown): string[] | null {
  const data = fieldOf(json, "data");
  if (!Array.isArray(data)) return null;
  return data
    .map((record) => fieldOf(record, "id"))
    .filter((id): id is string => typeof id === "string" && /^[\w./:@+-]{1,100}$/.test(id));
}

/** `: "…"`, a line of the endpoint's own message; `.` when there is none. */
function quotedFrom(json: unknown, api_key: string | undefined): string {
  const text = errorText(json);
  if (text === null) return ".";
  const without_key = api_key === undefined ? text : text.replaceAll(api_key, "[secret]");
  const line = redact(without_key)
    .replace(/\b(sk|pk|rk|key|gsk|hf|xai)[-_][\w-]{8,}/gi, "[secret]")
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim();
  if (line === "") return ".";
  const short = [...line].slice(0, quote_length_max).join("");
  return `: “${short}${short.length < line.length ? " …" : ""}”`;
}

/** From `{error: {message}}`, `{error: "…"}`, `{message: "…"}` or `{detail: "…"}`. */
function errorText(json: unknown): string | null {
  const error = fieldOf(json, "error");
  const texts = [
    fieldOf(error, "message"),
    error,
    fieldOf(json, "message"),
    fieldOf(json, "detail"),
  ];
  return texts.find((text): text is string => typeof text === "string") ?? null;
}
