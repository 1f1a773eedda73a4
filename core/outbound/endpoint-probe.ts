/**
 * Checks that an OpenAI-compatible endpoint of the operator responds and accepts the key, by
 * requesting the list of models, which costs nothing.
 */
import {
  askEndpoint,
  hostOf,
  type EndpointAddress,
  type EndpointFinding,
} from "./endpoint-request";

/** Whether an endpoint can be used. */
export type EndpointStatus = Omit<EndpointFinding, "setting">;

/** Shorter than people wait for the page of health checks. */
const timeout_ms = 2_500;

/** Never throws. */
export async function probeEndpoint({
  base_url,
  api_key,
  section,
}: EndpointAddress): Promise<EndpointStatus> {
  const reply = await askEndpoint({ base_url, api_key, section }, { path: "/models", timeout_ms });
  const host = hostOf(base_url);
  const answers = { status: "ok", detail: `${host} responds.`, fix: null } as const;
  if ("json" in reply) return answers;
  const { detail, fix } = reply.finding;
  switch (reply.http_status) {
    // Not every server lists its models.
    case 404:
    case 405:
      return answers;
    case null:
    case 401:
    case 403:
      return { status: "fail", detail, fix };
    default:
      return { status: "warn", detail, fix };
  }
}
