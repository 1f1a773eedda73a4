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
export interface EndpointFinding {
  readonly status: "ok" | "warn" | "fail";
  /** Sentences. They quote the endpoint with at most one line, without keys. */
  readonly detail: string;
  /** What to do about it; null when nothing is wrong. */
  readonly fix: string | null;
  /** The setting to look at: `answers.api_key`. */
  readonly setting: string | null;
}
export type EndpointReply =
  /** `body`: the index of the accepted one. */
  | { readonly json: unknown; readonly took_ms: number; readonly body: number }
  /** `http_status`: null without a response. */
  | { readonly finding: EndpointFinding; readonly http_status: number | null };

/** Enough for a list of models, or a few vectors of the longest kind. */
const bytes_max = 2 * 2 ** 20;
/** For the list of models, after a request was refused. */
const models_ms_max = 3_000;
const said_length_max = 200;
const names_max = 5;
/** How much of a refusal is searched for the name of the model. */
const looked_at_max = 2_000;

/** The statuses with which servers reject the form of a request. */
const isRefusal = (status: number): boolean => status === 400 || status === 422;

/** Never throws. */
export async function askEndpoint(
  at: EndpointAddress,
  { path, bodies = [], timeout_ms, signal }: EndpointRequest,
): Promise<EndpointReply> {
  const began_ms = performance.now();
  const deadline = AbortSignal.timeout(timeout_ms);
  const ends = signal ? AbortSignal.any([deadline, signal]) : deadline;
  for (let body = 0; ; body++) {
    const got = await fetchOnce(at, path, bodies[body], ends);
    if (got instanceof Error)
      return {
        finding: deadline.aborted ? tooLate(at, timeout_ms) : unreachable(at, got),
        http_status: null,
      };
    if (isRefusal(got.status) && body + 1 < bodies.length) continue;
    const finding = await findingOf(at, path, got, ends);
    if (finding !== null) return { finding, http_status: got.status };
    return { json: got.json, took_ms: performance.now() - began_ms, body };
  }
}

/** The endpoint responds, but with something other than requested. */
export const wrongShape = (at: EndpointAddress, path: string): EndpointFinding =>
  failing(
    `${hostOf(at.base_url)} responds, but not as ${path} of a compatible endpoint would.`,
    `Correct ${settingOf(at)}: it must be the part of the address before ` +
      `${path}${at.address_setting === undefined ? ", often with /v1 at its end." : "."}`,
    settingOf(at),
  );

const settingOf = ({ section, address_setting }: EndpointAddress): string =>
  address_setting ?? `${section}.base_url`;

export const hostOf = (base_url: string): string => new URL(base_url).host;

interface Got {
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
): Promise<Got | Error> {
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

function tooLate(at: EndpointAddress, timeout_ms: number): EndpointFinding {
  return failing(
    `${hostOf(at.base_url)} is too slow: it did not respond within ${timeout_ms / 1_000} s.`,
    "Check that server: it may still be loading its model. If a firewall drops the " +
      `connection, correct ${settingOf(at)} or the firewall.`,
    settingOf(at),
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

function unreachable(at: EndpointAddress, error: Error): EndpointFinding {
  const url = new URL(at.base_url);
  const setting = settingOf(at);
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
  at: EndpointAddress,
  path: string,
  got: Got,
  ends: AbortSignal,
): Promise<EndpointFinding | null> {
  const { status, headers, json } = got;
  const { base_url, api_key, section } = at;
  const host = hostOf(base_url);
  const says = quotedFrom(json, api_key);
  // Some respond 200 to requests that they refuse.
  if (status < 300 && fieldOf(json, "error")) return refusal(at, `${host} refuses${says}`);
  if (status < 300) return json === undefined ? wrongShape(at, path) : null;
  if (status < 400) return redirected(at, headers);
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
      detail: `${host} accepts no more requests at the moment (429)${says}`,
      fix: "Wait a while, or check the limits and the credit of that account.",
      setting: null,
    };
  if (status >= 500)
    return {
      ...failing(
        `${host} responds with status ${status}${says}`,
        `Check the log of ${host}.`,
        settingOf(at),
      ),
      setting: null,
    };
  return (await missingModel(at, got, ends)) ?? nothingThere(at, path, status, says);
}

function nothingThere(
  at: EndpointAddress,
  path: string,
  status: number,
  says: string,
): EndpointFinding {
  const { base_url, address_setting } = at;
  if (status !== 404 && status !== 405)
    return refusal(at, `${hostOf(base_url)} rejects the request (${status})${says}`);
  const versioned =
    address_setting !== undefined || /\/v\d+(\/|$)/.test(new URL(base_url).pathname);
  return failing(
    `${hostOf(base_url)} responds, but has nothing at ${pathOf(base_url)}${path} (${status}).`,
    `Correct ${settingOf(at)}${versioned ? "." : ": most end with /v1."}`,
    settingOf(at),
  );
}
const pathOf = (base_url: string): string => new URL(base_url).pathname.replace(/\/$/, "");

const refusal = (at: EndpointAddress, detail: string): EndpointFinding =>
  failing(
    detail,
    at.model === undefined
      ? "Check the log of that server."
      : `Check the log of that server, and ${at.section}.model.`,
    at.model === undefined ? settingOf(at) : `${at.section}.model`,
  );

function redirected(at: EndpointAddress, headers: Headers): EndpointFinding {
  const { base_url } = at;
  const to = URL.parse(headers.get("location") ?? "", base_url)?.origin.slice(0, said_length_max);
  return failing(
    `${hostOf(base_url)} redirects to ${to ?? "another address"}. Redirects are not followed.`,
    `Set ${settingOf(at)} to the final address.`,
    settingOf(at),
  );
}

/** The finding, if the request was refused because of the model; otherwise null. */
async function missingModel(
  at: EndpointAddress,
  { status, text }: Got,
  ends: AbortSignal,
): Promise<EndpointFinding | null> {
  const { base_url, model, section } = at;
  if (model === undefined || (status !== 404 && !isRefusal(status))) return null;
  const soon = AbortSignal.any([ends, AbortSignal.timeout(models_ms_max)]);
  const listed = await fetchOnce(at, "/models", undefined, soon);
  const names = listed instanceof Error || listed.status !== 200 ? null : namesIn(listed.json);
  // Ollama's list contains a tag that may be omitted: `llama3` is `llama3:latest`.
  if (names?.some((name) => name === model || name === `${model}:latest`)) return null;
  if (names === null && !/\bmodel/i.test(text.slice(0, looked_at_max))) return null;
  const others =
    names === null || names.length === 0
      ? ""
      : ` It has ${names.slice(0, names_max).join(", ")}${names.length > names_max ? ", …" : "."}`;
  return failing(
    `${hostOf(base_url)} has no model ${model}.${others}`,
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
  const known = api_key === undefined ? text : text.replaceAll(api_key, "[secret]");
  const line = redact(known)
    .replace(/\b(sk|pk|rk|key|gsk|hf|xai)[-_][\w-]{8,}/gi, "[secret]")
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim();
  if (line === "") return ".";
  const short = [...line].slice(0, said_length_max).join("");
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
