/**
 * A route is a value: method, path, schemas and words. The host mounts it, checks requests by it
 * and documents it.
 */
import type { Static, TObject, TSchema } from "@sinclair/typebox";

/** Who is calling. Filled in by the gateway before any handler runs. */
export interface Caller {
  /** The user whose records these are. */
  readonly owner_id: string;
  /** The API key; on another surface than the API what stands for it there, such as a session. */
  readonly key_id: string;
  readonly scopes: readonly ("read" | "write")[];
  /** May call routes that are for administrators. */
  readonly admin?: boolean;
}

/** Where a request came from, as far as it can be believed. */
export interface Client {
  /** The peer, or what a trusted proxy says of it. */
  readonly address: string;
  /**
   * The other end of the connection itself, whatever it says of others: its IP address, or `unix`
   * on the Unix socket.
   */
  readonly peer: string;
  /** It came by HTTPS: to this server, or to the trusted proxy in front of it. */
  readonly secure: boolean;
  /** The host it was sent to, as the client named it: `dossier.example.com`, `127.0.0.1:4780`. */
  readonly host: string;
  /** The path of the server's public address, which comes before each of its paths; often empty. */
  readonly base_path: string;
}

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/**
 * Status → when, or → code → when: `{ 409: { name_taken: "A document has this name." } }`. A
 * sentence alone is about the code that is usual for the status. The document lists every code that
 * it finds here: what a handler throws has to be.
 */
export type Errors = Readonly<Record<number, string | Readonly<Record<string, string>>>>;

/** One documented answer. `schema` is absent for an empty body; `media_type` defaults to JSON. */
export interface Answer<S extends TSchema = TSchema> {
  readonly description: string;
  readonly schema?: S;
  readonly media_type?: string;
  /** Response headers beyond the ones that every response carries: name → meaning. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly example?: unknown;
  /**
   * Operations that go on from here, with their parameters: `{ getNote: { noteId: "id" } }` takes
   * `id` of this answer; what begins with `$` is a runtime expression of OpenAPI.
   */
  readonly links?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Further media types that the same answer may have; without a schema, texts. */
  readonly others?: Readonly<
    Record<string, { readonly schema?: TSchema; readonly example?: unknown }>
  >;
}

export interface RequestHeader {
  readonly description: string;
  /** What the document says of its values; the handler checks them. */
  readonly pattern?: string;
}

/** A multipart body: the handler reads `request.body` itself, so that nothing is buffered. */
export interface Multipart {
  readonly multipart: {
    readonly part: string;
    readonly many?: boolean;
    /** Parts that are taken, where `many` are. */
    readonly files_max?: number;
    readonly description: string;
  };
  /**
   * The route takes this as JSON, too: the handler then finds it in `body`, which is undefined for
   * a multipart body.
   */
  readonly or_json?: TSchema;
  /** The route takes the bytes of the part as they are, too: a body of this type. */
  readonly or_media_type?: "application/zip";
}

export interface RouteShape {
  readonly summary: string;
  readonly description?: string;
  /** Groups operations in the document. */
  readonly tag: string;
  /** Unique name of the operation, camelCase: client generators use it. */
  readonly operation: string;
  /** Examples of path parameters, where no record of the document shows one. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: TObject;
  /** A JSON schema, or a multipart description. */
  readonly body?: TSchema | Multipart;
  /** Largest body accepted, bytes. JSON: 64 KiB unless given. */
  readonly body_bytes_max?: number;
  /** Most values of the JSON body, where lists of numbers are long. Default: 20,000. */
  readonly body_values_max?: number;
  /** The field of the JSON body that may be a long text: the handler may find it in `long_text`. */
  readonly body_long_text?: string;
  /** True when a call without any body is fine. */
  readonly body_optional?: boolean;
  /** Needs no key. */
  readonly public?: boolean;
  /**
   * The only surface it is part of: `api`, or the name of another `Surface`. Default: every one.
   * The name of a `Protocol`: its path is whole then, `/v1/models`.
   */
  readonly surface?: string;
  /**
   * Only administrators may call it: in the console, and by a key of theirs where the route is
   * part of the API.
   */
  readonly admin?: boolean;
  /**
   * The path is at the root of the server, outside the API prefix and its document; such a route is
   * public.
   */
  readonly root?: boolean;
  /** The route honours `Prefer: wait`, and the document says so. */
  readonly waits?: boolean;
  /** Request headers that the route reads itself: name → meaning. */
  readonly request_headers?: Readonly<Record<string, string | RequestHeader>>;
  /**
   * Whether it goes into the audit log. Default: what changes something, which is every method but
   * GET unless the scope is `read`.
   */
  readonly audited?: boolean;
  /** What the key must be allowed to do. Default: `read` for GET, `write` for the rest. */
  readonly scope?: "read" | "write";
  /** The answers of this route; the errors that every route shares are added by the document. */
  readonly answers: Readonly<Record<number, Answer>>;
  /** Problems beyond those that every route shares. */
  readonly errors?: Errors;
  readonly example?: unknown;
}

export interface Route<
  Path extends string = string,
  S extends RouteShape = RouteShape,
> extends RouteShape {
  readonly method: Method;
  /**
   * Below the API prefix, parameters as `:name`: `/folders/:folderId`. A path at the root may end
   * with `/*`: everything below it.
   */
  readonly path: Path;
  readonly shape?: S;
}

type ParamNames<P extends string> = P extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamNames<Rest>
  : P extends `${string}:${infer Name}`
    ? Name
    : never;
type QueryOf<S> = S extends { readonly query: infer Q extends TSchema } ? Static<Q> : {};
type BodyOf<S> = S extends { readonly body: infer B }
  ? B extends TSchema
    ? Static<B>
    : B extends { readonly or_json: infer J extends TSchema }
      ? Static<J> | undefined
      : undefined
  : undefined;

/** What a handler asks the API in this process. */
export interface LocalRequest {
  readonly method: Method;
  /** Below the API prefix, with its query: `/folders?per_page=200`. */
  readonly path: string;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Any other body, with its `content-type` in `headers`. */
  readonly body?: RequestInit["body"] | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Ends it, as a client does that goes away. */
  readonly signal?: AbortSignal;
}

/** What a handler is given. */
export interface Call<P extends string = string, S extends RouteShape = RouteShape> {
  readonly caller: Caller;
  readonly params: Readonly<Record<ParamNames<P>, string>>;
  readonly query: QueryOf<S>;
  readonly body: BodyOf<S>;
  /**
   * UTF-8, until the handler ends: the text of the field `body_long_text`, when it is longer than
   * should be in memory as a string. The field is empty then.
   */
  readonly long_text?: Uint8Array | undefined;
  /** The request itself: headers, and the unread body of a multipart route. */
  readonly request: Request;
  readonly request_id: string;
  readonly client: Client;
  /** Fires when the server stops: ends long waits. */
  readonly stopping: AbortSignal;
  /**
   * How long the caller wants to wait for a change (`Prefer: wait=…`, at most 30 s); 0 without the
   * header.
   */
  readonly wait_ms: number;
  /**
   * Whether the caller may still call this route: a long stream asks before it sends. No further
   * use of a key or session.
   */
  readonly isAllowed: () => Promise<boolean>;
  /**
   * Asks the API in this process, in the name of this caller: its scopes, limits and shapes hold,
   * and no further request is counted. @throws HttpError what the API refuses
   */
  readonly api: (request: LocalRequest) => Promise<Response>;
  /**
   * Names the record that the request is about, where neither the path nor `Location` does: an id,
   * for those who observe requests. Called again, it names a further one.
   */
  readonly about: (record: string) => void;
}

/** A success other than plain 200 JSON. Made by `reply`. */
export class Reply {
  constructor(
    readonly status: number,
    readonly body: unknown,
    readonly headers: Readonly<Record<string, string>>,
  ) {}
}
/** `reply(201, folder, { location: … })`. A body of `undefined` sends none. */
export const reply = (
  status: number,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Reply => new Reply(status, body, headers);

/** A handler returns the 200 body, a `Reply`, or a raw `Response` for bytes and streams. */
export type Handler<R> =
  R extends Route<infer P, infer S> ? (call: Call<P, S>) => unknown | Promise<unknown> : never;
/** One handler for each declared route: forgetting one does not compile. */
export type HandlersOf<Rs> = { readonly [K in keyof Rs]: Handler<Rs[K]> };

const make =
  (method: Method) =>
  <const P extends string, S extends RouteShape>(path: P, shape: S): Route<P, S> => ({
    ...shape,
    method,
    path,
  });

/** Declares a route: `route.get("/folders/:folderId", { … })`. */
export const route = {
  get: make("GET"),
  post: make("POST"),
  put: make("PUT"),
  patch: make("PATCH"),
  delete: make("DELETE"),
};
