/** The client of the API: JSON in, JSON out; every failure is an ApiProblem. */
import { signal } from "@preact/signals";
import { common_strings as strings } from "../strings/common";
import { forPeople } from "../ui/sentence";
import { console_base } from "./base";

/** The path of the console's API, which every path given to `api` is appended to. */
export const api_base = `${console_base}/api/v1`;

/** The problem of one field of a request; `pointer` is `/name` or `?page`. */
export interface FieldProblem {
  readonly pointer: string;
  readonly detail: string;
}
/** The kind of failure, which determines text and icon. */
export type Family = keyof typeof strings.errors;

/**
 * A response other than 2xx, or none at all (`status` 0, code `offline`). `message` is the server's
 * sentence.
 */
export class ApiProblem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly detail: string,
    readonly errors: readonly FieldProblem[] = [],
    readonly request_id: string | null = null,
    /** Seconds to wait before a retry, if the server says so. */
    readonly retry_after_s: number | null = null,
  ) {
    super(forPeople(detail));
  }
  /** The problem of this field (`/name`, `?page`), if any. */
  at(pointer: string): string | undefined {
    const field_problem = this.errors.find((error) => error.pointer === pointer);
    return field_problem && forPeople(field_problem.detail);
  }
  /** The kind of failure, which determines text and icon. */
  get family(): Family {
    if (this.status === 0) return "offline";
    if (this.status === 403) return "forbidden";
    if (this.status === 404 || this.status === 410) return "missing";
    if (this.status === 429) return "busy";
    return this.status >= 500 ? "server" : "refused";
  }
  /** The sentence to show; adds the seconds to wait unless the server's own has a number. */
  get sentence(): string {
    const has_seconds =
      this.retry_after_s === null || this.status !== 429 || /\d/.test(this.detail);
    return has_seconds
      ? this.message
      : `${this.message} ${strings.wait_seconds(this.retry_after_s!)}`;
  }
}

/** Turns errors of the page itself into problems too. */
export function problemOf(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error;
  return new ApiProblem(
    500,
    "page_fault",
    error instanceof Error && error.message ? error.message : strings.errors.server.next,
  );
}

/** Whether the last request could not reach the server. */
export const unreachable = signal(false);

type Listener = () => void;
let signedOut: Listener = () => undefined;
/** Called when the session has ended while the page was open. */
export const onSignedOut = (listener: Listener): void => {
  signedOut = listener;
};

/** Fields of a query; those that are null, undefined or empty are left out. */
export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** The path with its query; fields that are null, undefined or empty are left out. */
export function apiUrl(path: string, query: Query = {}): string {
  const fields = Object.entries(query)
    .filter(([, value]) => value !== undefined && value !== null && value !== "")
    .map(([key, value]) => [key, String(value)]);
  const search = new URLSearchParams(fields as [string, string][]).toString();
  return `${api_base}${path}${search && `?${search}`}`;
}

/** Options of a call; by default a GET without a body. */
export interface ApiOptions {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly query?: Query;
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The raw response, for streams and files. @throws ApiProblem */
export async function request(
  path: string,
  { method = "GET", body, query, signal: abort, headers = {} }: ApiOptions = {},
): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(apiUrl(path, query), {
      method,
      credentials: "same-origin",
      ...(abort ? { signal: abort } : {}),
      headers: {
        accept: "application/json, application/problem+json",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  } catch (error) {
    if (abort?.aborted) throw error;
    unreachable.value = true;
    throw offline();
  }
  unreachable.value = false;
  if (response.ok) return response;
  throw await readProblem(response, path);
}

/** The JSON of the response; undefined when it has no body. @throws ApiProblem */
export async function api<T>(path: string, options: ApiOptions = {}): Promise<T> {
  const response = await request(path, options);
  const text = await response.text();
  return (text === "" ? undefined : JSON.parse(text)) as T;
}

/** The problem of a call that got no response. */
export const offline = (): ApiProblem => new ApiProblem(0, "offline", strings.offline_detail);

async function readProblem(response: Response, path: string): Promise<ApiProblem> {
  return problemFrom(
    response.status,
    await response.text().catch(() => ""),
    (name) => response.headers.get(name),
    path,
  );
}

/** Reads application/problem+json; of any other body it uses what it can. */
export function problemFrom(
  status: number,
  text: string,
  header: (name: string) => string | null,
  path: string,
): ApiProblem {
  const body = parse(text);
  const retry_after = Number(header("retry-after") ?? NaN);
  const problem = new ApiProblem(
    status,
    body?.code ?? "unknown",
    body?.detail ??
      (text.length > 0 && text.length < 500 && !text.startsWith("<")
        ? text
        : strings.unexplained(status)),
    body?.errors ?? [],
    body?.request_id ?? header("x-request-id"),
    Number.isFinite(retry_after) ? retry_after : null,
  );
  if (
    status === 401 &&
    !path.startsWith("/session") &&
    !path.startsWith("/sign-in") &&
    !path.startsWith("/setup") &&
    !path.startsWith("/invite")
  )
    signedOut();
  return problem;
}

function parse(
  text: string,
): { code?: string; detail?: string; errors?: FieldProblem[]; request_id?: string } | null {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === "object" ? value : null;
  } catch {
    return null;
  }
}
