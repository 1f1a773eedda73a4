/**
 * Whether an OpenAI-compatible endpoint of the operator's answers, and takes the key: asked for its
 * models, which costs nothing.
 */

export interface EndpointState {
  readonly status: "ok" | "warn" | "fail";
  readonly detail: string;
  readonly fix: string | null;
}

/** Below the patience of whoever looks at the system. */
const ask_ms_max = 2_500;

/**
 * Never fails. `section` names the settings to look at: `answers`. A proxy of the environment is
 * not used.
 */
export async function askEndpoint({
  base_url,
  api_key,
  section,
}: {
  readonly base_url: string;
  readonly api_key: string | undefined;
  readonly section: string;
}): Promise<EndpointState> {
  const { host } = new URL(base_url);
  const init = {
    redirect: "manual",
    proxy: false,
    signal: AbortSignal.timeout(ask_ms_max),
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
