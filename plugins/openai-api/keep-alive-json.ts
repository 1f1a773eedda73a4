/**
 * A JSON response that takes long to produce: white space is sent first as a keep-alive, because
 * idle connections are closed after a minute, here and by proxies.
 */
import { pullStream } from "../../core/sdk";
import { settlesWithin } from "../../core/lib/timeout";

const silent_ms = 25_000;

/**
 * `close` is called when the client has gone away. @throws what `response` rejects with, if nothing
 * was sent yet; afterwards the response is aborted.
 */
export async function keepAliveJson(
  response: Promise<object>,
  close: () => void,
): Promise<Response> {
  if (await settlesWithin(response, silent_ms)) return Response.json(await response);
  let is_sent = false;
  const next = async (): Promise<string | null> => {
    if (is_sent) return null;
    if (!(await settlesWithin(response, silent_ms))) return " ";
    is_sent = true;
    return JSON.stringify(await response);
  };
  return new Response(pullStream(next, close, " "), {
    headers: { "content-type": "application/json" },
  });
}
