/**
 * JSON that takes long to make: white space is sent ahead of it as a keep-alive, because
 * connections on which nothing is sent for a minute are cut off, here and by proxies.
 */
import { pullStream } from "../../core/sdk";
import { settlesWithin } from "../../core/lib/timeout";

const silent_ms = 25_000;

/**
 * `close` is called when nobody waits for it any more. @throws what `made` rejects with, before
 * anything is sent; after it, the answer breaks off.
 */
export async function keepAliveJson(made: Promise<object>, close: () => void): Promise<Response> {
  if (await settlesWithin(made, silent_ms)) return Response.json(await made);
  let is_sent = false;
  const next = async (): Promise<string | null> => {
    if (is_sent) return null;
    if (!(await settlesWithin(made, silent_ms))) return " ";
    is_sent = true;
    return JSON.stringify(await made);
  };
  return new Response(pullStream(next, close, " "), {
    headers: { "content-type": "application/json" },
  });
}
