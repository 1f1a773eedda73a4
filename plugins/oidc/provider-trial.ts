/**
 * Tests the settings of single sign-on: whether the provider is reachable and knows this client.
 */
import { messageOf } from "../../core/lib/error-message";
import { askEndpoint, type Context, type EndpointFinding } from "../../core/sdk";
import { isInvalidClient, oauthErrorOf, Provider } from "./provider";
import { clientOf, type OidcClient, type OidcSettings } from "./settings";

const path = "/.well-known/openid-configuration";

/** What the test needs besides `Context`. */
export interface ProviderTrialContext extends Pick<Context, "now_ms"> {
  readonly callback_url: () => string;
}

/** @throws ConfigError when the settings are inconsistent. */
export async function tryProvider(
  settings: OidcSettings,
  signal: AbortSignal,
  { now_ms, callback_url }: ProviderTrialContext,
): Promise<EndpointFinding> {
  const client = clientOf(settings);
  if (client === null) return ok("Single sign-on is off: oidc.issuer is not set.");
  const at = {
    base_url: client.issuer.href.replace(/\/$/, ""),
    api_key: undefined,
    section: "oidc",
    address_setting: "oidc.issuer",
  };
  const { timeout_ms } = client;
  const reply = await askEndpoint(at, { path, timeout_ms, signal });
  if ("finding" in reply) return reply.finding;
  const provider = new Provider(client, { now_ms });
  const problem = await provider.configuration().then(
    () => null,
    (error: unknown) => unusable(reply.json, client, error),
  );
  return problem ?? knownClient(provider, callback_url());
}

/** Sends an invented code: a provider that knows the client refuses only the code. */
async function knownClient(provider: Provider, callback_url: string): Promise<EndpointFinding> {
  const { issuer, client_secret } = provider.client;
  const url = new URL(`${callback_url}?code=dossier-tries-its-settings&state=trial`);
  const iss = (await provider.configuration()).serverMetadata().issuer;
  url.searchParams.set("iss", iss);
  const login = { state: "trial", nonce: "trial", verifier: "a".repeat(43) };
  const refused: unknown = await provider.identify(url, login, () => true).catch((e: unknown) => e);
  const back = `Register ${callback_url} as a redirect address with the provider.`;
  if (isInvalidClient(refused))
    return fail(
      `${issuer.host} does not accept the client ${provider.client.client_id}` +
        `${client_secret === undefined ? ": no secret was sent." : " with this secret."}`,
      "Correct oidc.client_id and oidc.client_secret. They must be those of the client " +
        "registered with the provider.",
      client_secret === undefined ? "oidc.client_secret" : "oidc.client_id",
    );
  if (oauthErrorOf(refused) !== null)
    return ok(`${issuer.host} responds and knows this server. ${back}`);
  return {
    status: "warn",
    detail: `${issuer.host} responds, but does not say whether it knows this server. ${back}`,
    fix: "Sign in once in another browser to check it.",
    setting: null,
  };
}

function unusable(document: unknown, { issuer }: OidcClient, error: unknown): EndpointFinding {
  const named = (document as { readonly issuer?: unknown } | null)?.issuer;
  const is_other =
    typeof named === "string" && URL.canParse(named) && new URL(named).href !== issuer.href;
  return is_other
    ? fail(
        `${issuer.host} identifies itself as ${named.slice(0, 200)}, not ${issuer.href}.`,
        "Set oidc.issuer to exactly that address.",
      )
    : fail(
        `The configuration published by ${issuer.host} can't be used: ` +
          `${messageOf(error).slice(0, 200)}.`,
        "Correct oidc.issuer: another service may be listening there.",
      );
}

const ok = (detail: string): EndpointFinding => ({
  status: "ok",
  detail,
  fix: null,
  setting: null,
});
const fail = (detail: string, fix: string, setting = "oidc.issuer"): EndpointFinding => ({
  status: "fail",
  detail,
  fix,
  setting,
});
