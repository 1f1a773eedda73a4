/**
 * A route is a value: method, path, schemas and descriptions. The host mounts it, checks requests
 * against it and documents it.
 */
import type { Static, TObject, TSchema } from "@sinclair/typebox";

/** Who is calling. Filled in by the gateway before any handler runs. */
export interface Caller {
  /** The user whose records these are. */
  readonly owner_id: string;
  /** The API key; on a surface other than the API its equivalent, such as a session. */
  readonly key_id: string;
  readonly scopes: readonly ("read" | "write")[];
  /** May call routes for administrators. */
  readonly admin?: boolean;
}

/** Where a request came from, as far as that can be trusted. */
export interface Client {
  /** The peer, or the address reported by a trusted proxy. */
  readonly address: string;
  /**
   * The other end of the connection itself, whatever it reports: its IP address, or `unix` on the
   * Unix socket.
   */
  readonly peer: string;
  /** The request used HTTPS: to this server, or to the trusted proxy in front of it. */
  readonly secure: boolean;
  /** The host as the client named it: `dossier.example.com`, `127.0.0.1:4780`. */
  readonly host: string;
  /** The path of the server's public address, which precedes each of its paths; often empty. */
  readonly base_path: string;
}

/** `HEAD` is answered by the route of `GET`, `OPTIONS` by the gateway. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/**
 * Status → meaning, or → code → meaning: `{ 409: { name_taken: "A document has this name." } }`. A
 * bare sentence describes the default code of the status. The document lists every code declared
 * here: whatever a handler throws has to be declared.
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
   * Operations that continue from here, with their parameters: `{ getNote: { noteId: "id" } }`
   * takes `id` of this response; a value that begins with `$` is a runtime expression of OpenAPI.
   */
  readonly links?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Further media types of the same response; a text without a schema. */
  readonly others?: Readonly<
    Record<string, { readonly schema?: TSchema; readonly example?: unknown }>
  >;
}

/** A request header in the document. */
export interface RequestHeader {
  readonly description: string;
  /** Documented only; the handler checks the value. */
  readonly pattern?: string;
}

/** A multipart body: the handler reads `request.body` itself, so that nothing is buffered. */
export interface Multipart {
  readonly multipart: {
    readonly part: string;
    readonly many?: boolean;
    /** The maximum number of parts, where `many` are accepted. */
    readonly files_max?: number;
    readonly description: string;
  };
  /**
   * JSON that the route accepts as well: it is in `body` then, which is undefined for a multipart
   * body.
   */
  readonly or_json?: TSchema;
  /** A media type with which the route accepts the bare bytes of the part as the body. */
  readonly or_media_type?: "application/zip";
}

/** What a route declares besides its method and path. */
export interface RouteShape {
  readonly summary: string;
  readonly description?: string;
  /** Groups operations in the document. */
  readonly tag: string;
  /** Unique camelCase name of the operation, used by client generators. */
  readonly operation: string;
  /** Examples of path parameters that no record of the document contains. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: TObject;
  /** A JSON schema, or a description of a multipart body. */
  readonly body?: TSchema | Multipart;
  /** Maximum size of the body, bytes. Default for JSON: 64 KiB. */
  readonly body_bytes_max?: number;
  /** Maximum number of values in a JSON body, for long lists of numbers. Default: 20,000. */
  readonly body_values_max?: number;
  /** The field of the JSON body that may be a long text: the handler may find it in `long_text`. */
  readonly body_long_text?: string;
  /** True when the body may be omitted. */
  readonly body_optional?: boolean;
  /** Needs no key. */
  readonly public?: boolean;
  /**
   * The only surface that has the route: `api`, or the name of another `Surface`. Default: all of
   * them. For the name of a `Protocol` the path is absolute, `/v1/models`.
   */
  readonly surface?: string;
  /**
   * Only administrators may call it: in the console, and with their keys if the route is part of
   * the API.
   */
  readonly admin?: boolean;
  /**
   * The path is at the root of the server, outside the API prefix and its document; such a route is
   * public.
   */
  readonly root?: boolean;
  /** The route supports `Prefer: wait`, and the document says so. */
  readonly waits?: boolean;
  /** Request headers that the route reads itself: name → meaning. */
  readonly request_headers?: Readonly<Record<string, string | RequestHeader>>;
  /**
   * Whether it goes into the audit log. Default: what changes something, that is every method but
   * GET unless the scope is `read`.
   */
  readonly audited?: boolean;
  /** The scope that the key needs. Default: `read` for GET, `write` for the rest. */
  readonly scope?: "read" | "write";
  /** The success responses of this route. */
  readonly answers: Readonly<Record<number, Answer>>;
  /** Problems beyond those shared by every route. */
  readonly errors?: Errors;
  readonly example?: unknown;
}

/** A declared route. `S` keeps the types of its schemas for the handler. */
export interface Route<
  Path extends string = string,
  S extends RouteShape = RouteShape,
> extends RouteShape {
  readonly method: Method;
  /**
   * Below the API prefix, with parameters as `:name`: `/folders/:folderId`. A path at the root may
   * end with `/*`, for everything below it.
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

/** A request that a handler sends to the API within this process. */
export interface LocalRequest {
  readonly method: Method;
  /** Below the API prefix, with the query: `/folders?per_page=200`. */
  readonly path: string;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Any other body; its `content-type` is in `headers`. */
  readonly body?: RequestInit["body"] | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Ends the request like a client that disconnects. */
  readonly signal?: AbortSignal;
}

/** The argument of a handler. */
export interface Call<P extends string = string, S extends RouteShape = RouteShape> {
  readonly caller: Caller;
  readonly params: Readonly<Record<ParamNames<P>, string>>;
  readonly query: QueryOf<S>;
  readonly body: BodyOf<S>;
  /**
   * UTF-8, valid until the handler ends: the text of the field `body_long_text` when it is too long
   * to be kept as a string. The field is empty then.
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
   * Whether the caller may still call this route: a long stream checks this before it sends. Does
   * not count as a use of the key or session.
   */
  readonly isAllowed: () => Promise<boolean>;
  /**
   * Calls the API within this process in the name of this caller: scopes, limits and schemas apply,
   * and no further request is counted. @throws HttpError what the API responds with
   */
  readonly api: (request: LocalRequest) => Promise<Response>;
  /**
   * Reports the id of the record that the request is about to the observers of requests, when
   * neither the path nor `Location` contains it. May be called for several records.
   */
  readonly about: (record: string) => void;
}

/** A success response other than plain 200 JSON. Made by `reply`. */
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

/** A handler returns the body for 200, a `Reply`, or a raw `Response` for bytes and streams. */
export type Handler<R> =
  R extends Route<infer P, infer S> ? (call: Call<P, S>) => unknown | Promise<unknown> : never;
/** One handler for each declared route: a missing one does not compile. */
export type HandlersOf<Rs> = { readonly [K in keyof Rs]: Handler<Rs[K]> };

const declare =
  (method: Method) =>
  <const P extends string, S extends RouteShape>(path: P, shape: S): Route<P, S> => ({
    ...shape,
    method,
    path,
  });

/** Declares a route: `route.get("/folders/:folderId", { … })`. */
export const route = {
  get: declare("GET"),
  post: declare("POST"),
  put: declare("PUT"),
  patch: declare("PATCH"),
  delete: declare("DELETE"),
};
