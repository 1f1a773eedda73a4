/** The id of a request: the header `X-Request-Id` when it is acceptable, otherwise a new one. */
import { newId } from "../base/ids";
import { redact } from "../base/redaction";

/** Ids made by clients and proxies: UUIDs, hex digits, ULIDs, base64, `Root=1-67891233`. */
const pattern = /^[\w.:=+/-]{1,128}$/;

/**
 * Anything that looks like a key or another secret is not accepted: ids are kept in places where
 * secrets must never be.
 */
export function requestIdOf({ headers }: Pick<Request, "headers">): string {
  const received_id = headers.get("x-request-id");
  return received_id !== null && pattern.test(received_id) && redact(received_id) === received_id
    ? received_id
    : newId("req");
}
