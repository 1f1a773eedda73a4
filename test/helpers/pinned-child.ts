/**
 * Asks the ports it is given as https://hook.test over 127.0.0.1 and prints, as JSON, the status or
 * the code of the error of each.
 */
import { errorCode, fetchPinned } from "../../core/outbound/pinned-fetch";
import { parseTarget } from "../../core/outbound/target";

const results: (number | string)[] = [];
for (const url of process.argv.slice(2)) {
  try {
    const response = await fetchPinned(parseTarget(url), ["127.0.0.1"], {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
      signal: AbortSignal.timeout(5_000),
    });
    results.push(response.status);
  } catch (error) {
    results.push(errorCode(error) || String(error));
  }
}
console.log(JSON.stringify(results));
