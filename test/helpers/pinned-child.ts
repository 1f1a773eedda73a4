/**
 * Asks the ports it is given as https://hook.test over 127.0.0.1 and prints, as JSON, the status or
 * the code of the error of each.
 */
import { codeOf, fetchPinned } from "../../core/outbound/connect";
import { readTarget } from "../../core/outbound/target";

const results: (number | string)[] = [];
for (const url of process.argv.slice(2)) {
  try {
    const response = await fetchPinned(readTarget(url), ["127.0.0.1"], {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
      signal: AbortSignal.timeout(5_000),
    });
    results.push(response.status);
  } catch (error) {
    results.push(codeOf(error) || String(error));
  }
}
console.log(JSON.stringify(results));
