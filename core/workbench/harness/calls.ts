/** API calls in the notation of tests. */

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON, the text of any other type, or undefined when there is none. */
  readonly body: any;
  readonly text: string;
}
export type Headed = Readonly<Record<string, string>>;

/** The arguments for `fetch`. `path` is complete: `/api/dev/v1/folders`. */
export function callOf(
  key: string | null,
  method: string,
  path: string,
  body: unknown,
  headers: Headed,
): { readonly path: string; readonly init: RequestInit } {
  const json = isJson(body);
  const sent = json ? JSON.stringify(body) : (body as NonNullable<RequestInit["body"]>);
  return {
    path: wholePath(path),
    init: {
      method,
      redirect: "manual",
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(json ? { "content-type": "application/json" } : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { body: sent }),
    },
  };
}

function wholePath(path: string): string {
  if (path.startsWith("//")) return path.slice(1);
  return path === "/health" || path.startsWith("/api/") ? path : `/api/dev/v1${path}`;
}

/** Whether to send a body as JSON. */
function isJson(body: unknown): boolean {
  if (body === undefined || typeof body === "string") return false;
  if (body === null || typeof body !== "object" || Array.isArray(body)) return true;
  return Object.getPrototypeOf(body) === Object.prototype;
}

export async function answerOf(response: Response): Promise<Answer> {
  const { status, headers } = response;
  const text = await response.text();
  const json = /^application\/([\w.+-]*\+)?json\b/.test(headers.get("content-type") ?? "");
  return {
    status,
    headers,
    body: text === "" ? undefined : json ? JSON.parse(text) : text,
    text,
  };
}
