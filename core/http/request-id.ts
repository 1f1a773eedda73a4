/** The id of a request: that of the header `X-Request-Id` when it will do, else a new one. */
import { newId } from "../base/ids";
import { redact } from "../base/redact";

/** Ids as clients and proxies make them: UUIDs, hex digits, ULIDs, base64, `Root=1-67891233`. */
const pattern = /^[\w.:=+/-]{1,128}$/;

/**
 * What looks like a key or another secret is no id: ids are kept where secrets must never be.
 */
export function requestIdOf({ headers }: Pick<Request, "headers">): string {
  const given = headers.get("x-request-id");
  return given !== null && pattern.test(given) && redact(given) === given ? given : newId("req");
}
