/**
 * Requests https://hook.test over 127.0.0.1 on the given ports, by `fetch` or by `post`, and
 * prints, as JSON, the status or the error code of each.
 */
import { errorCode, fetchPinned } from "../../core/outbound/pinned-fetch";
import { postPinned } from "../../core/outbound/pinned-post";
import { parseTarget } from "../../core/outbound/target";

const [by, ...urls] = process.argv.slice(2);
const request = {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: "{}",
  answer: { bytes_max: 100, ms_max: 100 },
};
const results: (number | string)[] = [];
for (const url of urls) {
  try {
    const ask = by === "post" ? postPinned : fetchPinned;
    const { status } = await ask(parseTarget(url), ["127.0.0.1"], {
      ...request,
      signal: AbortSignal.timeout(5_000),
    });
    results.push(status);
  } catch (error) {
    results.push(errorCode(error) || String(error));
  }
}
console.log(JSON.stringify(results));
