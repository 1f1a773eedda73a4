/**
 * Checks that an OpenAI-compatible endpoint of the operator answers and accepts the key: asks for
 * the list of models, which costs nothing.
 */

export interface EndpointStatus {
  readonly status: "ok" | "warn" | "fail";
  readonly detail: string;
  readonly fix: string | null;
}

/** Shorter than people wait for the page of health checks. */
const timeout_ms = 2_500;

/**
 * Never fails. `section` names the settings to look at: `answers`. A proxy of the environment is
 * not used.
 */
export async function probeEndpoint({
  base_url,
  api_key,
  section,
}: {
  readonly base_url: string;
  readonly api_key: string | undefined;
  readonly section: string;
}): Promise<EndpointStatus> {
  const { host } = new URL(base_url);
  const init = {
    redirect: "manual",
    proxy: false,
    signal: AbortSignal.timeout(timeout_ms),
    headers: {
      accept: "application/json",
      ...(api_key !== undefined && { authorization: `Bearer ${api_key}` }),
    },
  };
  try {
    const { status, body } = await fetch(`${base_url}/models`, init as RequestInit);
    await body?.cancel();
    if (status === 401 || status === 403)
      return {
        status: "fail",
        detail: `${host} refuses the key (${status}).`,
        fix: `Put the right key into ${section}.api_key.`,
      };
    // Not every server lists its models.
    if (status < 400 || status === 404 || status === 405)
      return { status: "ok", detail: `${host} answers.`, fix: null };
    return {
      status: "warn",
      detail: `${host} answers with ${status}.`,
      fix: `Look at the log of ${host}.`,
    };
  } catch {
    return {
      status: "fail",
      detail: `${host} does not answer.`,
      fix: `Start it, or correct ${section}.base_url.`,
    };
  }
}
