/** API calls in the notation of tests. */

/** A response that was read to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON, the text of any other type, or undefined when there is none. */
  readonly body: any;
  readonly text: string;
}
/** Headers by name. */
export type HeaderFields = Readonly<Record<string, string>>;

/** The arguments for `fetch`. `path` is complete: `/api/dev/v1/folders`. */
export function callOf(
  key: string | null,
  method: string,
  path: string,
  body: unknown,
  headers: HeaderFields,
): { readonly path: string; readonly init: RequestInit } {
  const is_json = isJson(body);
  const sent_body = is_json ? JSON.stringify(body) : (body as NonNullable<RequestInit["body"]>);
  return {
    path: fullPath(path),
    init: {
      method,
      redirect: "manual",
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(is_json ? { "content-type": "application/json" } : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { body: sent_body }),
    },
  };
}

function fullPath(path: string): string {
  if (path.startsWith("//")) return path.slice(1);
  return path === "/health" || path.startsWith("/api/") ? path : `/api/dev/v1${path}`;
}

/** Whether to send a body as JSON. */
function isJson(body: unknown): boolean {
  if (body === undefined || typeof body === "string") return false;
  if (body === null || typeof body !== "object" || Array.isArray(body)) return true;
  return Object.getPrototypeOf(body) === Object.prototype;
}

/** Reads a response. @throws SyntaxError when it says that it is JSON and is not */
export async function answerOf(response: Response): Promise<Answer> {
  const { status, headers } = response;
  const text = await response.text();
  const is_json = /^application\/([\w.+-]*\+)?json\b/.test(headers.get("content-type") ?? "");
  return {
    status,
    headers,
    body: text === "" ? undefined : is_json ? JSON.parse(text) : text,
    text,
  };
}
