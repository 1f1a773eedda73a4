/**
 * Calls of the API within this process, in the name of the original caller, so that another
 * protocol needs no rules of its own.
 */
import { errorFields, type Log } from "../base/log";
import { HttpError } from "../base/errors";
import { notifyObservers } from "../base/observers";
import { loop_turns } from "../lib/loop-turns";
import type { CallOrigin, RequestContext } from "./compiled-route";
import { toHttpError, errorFor } from "./problem";
import { prefix, type Router } from "./router";
import type { LocalRequest } from "./route";
import type { ServedRequest } from "./slots";

interface LocalApiOptions {
  readonly router: Router;
  readonly observers: readonly ((request: ServedRequest) => void)[];
  readonly log: Log;
}

/** The API as handlers call it. */
export class LocalApi {
  private options: LocalApiOptions | undefined;

  /** Completes the object: routes are compiled before there is a router. */
  open(options: LocalApiOptions): void {
    this.options = options;
  }

  /**
   * The response of the route, with the usual checks of scope, size, type and shape; the rate
   * limiter counts nothing. Observers are called as for any other request. @throws HttpError what
   * the route throws, or 500 for an internal error.
   */
  async call(
    { surface, caller, client, request_id, recheck }: CallOrigin,
    { method, path, json, body, headers, signal }: LocalRequest,
  ): Promise<Response> {
    const { router, observers, log } = this.options!;
    const began_ms = performance.now();
    // A route may ask many times; each request takes turns with everything else.
    const turn = loop_turns.enter(caller.owner_id);
    if (turn) await turn;
    const context: RequestContext = {
      surface,
      caller,
      client,
      request_id,
      is_local: true,
      recheck,
      route: null,
      params: {},
      about: [],
    };
    const request_body = json === undefined ? body : JSON.stringify(json);
    const request = new Request(`http://dossier.internal${prefix}${path}`, {
      method,
      headers: { ...(json !== undefined && { "content-type": "application/json" }), ...headers },
      ...(request_body !== undefined && request_body !== null && { body: request_body }),
      ...(signal && { signal }),
    });
    let failure: HttpError | undefined;
    const response = await router.handle(request, context).catch((error: unknown) => {
      if (!(error instanceof HttpError) && !signal?.aborted)
        log.error("request failed", { method, path: path.split("?")[0], ...errorFields(error) });
      failure = toHttpError(errorFor(error, context.route));
      return null;
    });
    const status = response?.status ?? failure!.status;
    if (observers.length > 0)
      notifyObservers(
        observers,
        {
          request_id,
          surface,
          owner_id: caller.owner_id,
          key_id: caller.key_id,
          client,
          method,
          route: context.route,
          params: context.params,
          about: context.about[0] ?? null,
          also_about: context.about.slice(1),
          status,
          location: response?.headers.get("location") ?? null,
          duration_ms: performance.now() - began_ms,
        },
        log,
      );
    if (response === null) throw failure!;
    return response;
  }
}
