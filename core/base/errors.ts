/**
 * Responses other than success: one class, thrown at any depth, turned into problem+json by the
 * gateway.
 */

/**
 * One invalid field. `pointer` is a JSON pointer into the body (`/name`) or names a query field
 * (`?page`).
 */
export interface FieldProblem {
  readonly pointer: string;
  readonly detail: string;
}

/** A response other than success. `detail` is a sentence for the person who has to act on it. */
export class HttpError extends Error {
  /** Headers of the response, such as `Retry-After`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The invalid fields of the request, if any. */
  readonly errors: readonly FieldProblem[] | undefined;
  constructor(
    readonly status: number,
    /** Stable and documented; clients may branch on it. */
    readonly code: string,
    readonly detail: string,
    extra: {
      readonly headers?: Readonly<Record<string, string>>;
      readonly errors?: readonly FieldProblem[];
    } = {},
  ) {
    super(detail);
    this.headers = extra.headers ?? {};
    this.errors = extra.errors;
  }
}

/** 400. Name the field, when there is one, so that the caller knows what to change. */
export const badRequest = (detail: string, pointer?: string, code = "invalid_request"): HttpError =>
  new HttpError(400, code, detail, pointer === undefined ? {} : { errors: [{ pointer, detail }] });
/** 403. */
export const forbidden = (detail: string, code = "forbidden"): HttpError =>
  new HttpError(403, code, detail);
/** 404. `kind` names what is missing, such as `folder`. */
export const notFound = (kind: string): HttpError =>
  new HttpError(404, "not_found", `The ${kind} could not be found.`);
/** 409. */
export const conflict = (detail: string, code = "conflict"): HttpError =>
  new HttpError(409, code, detail);
/** 413. */
export const tooLarge = (detail: string): HttpError => new HttpError(413, "too_large", detail);
/** 503 with `Retry-After`: the request may succeed when it is repeated after that many seconds. */
export const unavailable = (detail: string, retry_after_s: number): HttpError =>
  new HttpError(503, "unavailable", detail, { headers: { "retry-after": String(retry_after_s) } });

/**
 * 503 because the storage or the operating system failed before anything was saved. Requests that
 * would have changed something are told so.
 */
export class NothingSaved extends HttpError {
  constructor(detail: string, retry_after_s: number) {
    super(503, "unavailable", detail, { headers: { "retry-after": String(retry_after_s) } });
  }
  /** The error as told to a request that would have changed something. */
  forChange(): HttpError {
    const { status, code, detail, headers } = this;
    return new HttpError(status, code, `${detail} Nothing was saved.`, { headers });
  }
}

/** Names a field of the body in a sentence, by its JSON pointer. */
export const fieldName = (pointer: string): string =>
  pointer === "" ? "The body" : `\`${pointer.slice(1).replaceAll("/", ".")}\``;
