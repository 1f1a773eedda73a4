/**
 * The configured provider, accessed through `openid-client`: discovery, code flow with PKCE,
 * signatures verified with the provider's keys.
 */
import type { ClientAuth, Configuration } from "openid-client";
import { leftUntil } from "../../core/lib/timeout";
import { fetchBounded, type Context } from "../../core/sdk";
import type { Claims } from "./claims";
import type { OidcClient } from "./settings";

/** Size limit of a provider's metadata, keys and userinfo. */
const bytes_max = 2 ** 20;
/** Keys and endpoints of a provider change rarely; its metadata is cached this long. */
const kept_ms = 60 * 60_000;

/** The library is loaded at the first sign-in. */
const library = () => import("openid-client");

/** The values of one sign-in, which the return must match. */
export interface Authorization {
  readonly callback_url: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}
/** Who has signed in at the provider. */
export interface Identified {
  readonly issuer: string;
  readonly claims: Claims;
  readonly id_token: string | undefined;
}
interface Discovered {
  readonly configuration: Configuration;
  readonly until_ms: number;
}

/** Discovers the provider when it is first needed. */
export class Provider {
  private discovered: Discovered | null = null;
  /** Concurrent callers share one request. */
  private asking: Promise<Configuration> | null = null;
  /** The client authentication method that worked last. */
  private auth: "basic" | "post" | null = null;

  constructor(
    readonly client: OidcClient,
    private readonly ctx: Pick<Context, "now_ms">,
  ) {}

  /** The provider's metadata. @throws errors of the library. */
  async configuration(): Promise<Configuration> {
    const { now_ms } = this.ctx;
    if (this.discovered && leftUntil(this.discovered.until_ms, now_ms(), kept_ms) > 0)
      return this.discovered.configuration;
    this.asking ??= this.discover()
      .then((configuration) => {
        this.discovered = { configuration, until_ms: now_ms() + kept_ms };
        return configuration;
      })
      .finally(() => {
        this.asking = null;
      });
    return this.asking;
  }

  /** Where the browser is sent to sign in. */
  async authorizationUrl({ callback_url, state, nonce, verifier }: Authorization): Promise<string> {
    const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await library();
    return buildAuthorizationUrl(await this.configuration(), {
      redirect_uri: callback_url,
      scope: this.client.scope,
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    }).href;
  }

  /** `isEnough`: whether the claims of the token suffice; otherwise userinfo is queried. */
  async identify(
    url: URL,
    { state, nonce, verifier }: Omit<Authorization, "callback_url">,
    isEnough: (claims: Claims) => boolean,
  ): Promise<Identified> {
    const { fetchUserInfo } = await library();
    const configuration = await this.configuration();
    const tokens = await this.grant(configuration, url, { state, nonce, verifier });
    const claims = tokens.claims();
    if (!claims) throw new Error("the provider has sent no ID token");
    const { issuer, userinfo_endpoint } = configuration.serverMetadata();
    const identified = { issuer, id_token: tokens.id_token };
    if (isEnough(claims) || userinfo_endpoint === undefined) return { ...identified, claims };
    const more = await fetchUserInfo(configuration, tokens.access_token, claims.sub);
    // Signed claims take precedence.
    return { ...identified, claims: { ...more, ...claims } };
  }

  /** Null if the provider has no page to sign out at. */
  async signOutUrl(id_token: string | null, back_url: string): Promise<string | null> {
    const { buildEndSessionUrl } = await library();
    const configuration = await this.configuration();
    if (configuration.serverMetadata().end_session_endpoint === undefined) return null;
    return buildEndSessionUrl(configuration, {
      post_logout_redirect_uri: back_url,
      ...(id_token !== null && { id_token_hint: id_token }),
    }).href;
  }

  /**
   * A provider is configured with one method of sending the secret, and most insist on it without
   * saying which. When the first method is refused, the other one is tried; nothing has been used
   * up by then.
   */
  private async grant(
    configuration: Configuration,
    url: URL,
    { state, nonce, verifier }: Omit<Authorization, "callback_url">,
  ) {
    const { authorizationCodeGrant } = await library();
    const checks = () => ({
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    });
    try {
      return await authorizationCodeGrant(configuration, url, checks());
    } catch (error) {
      const other = this.otherAuth(configuration, error);
      if (other === null) throw error;
      const reconfigured = await this.configured(configuration.serverMetadata(), other);
      const tokens = await authorizationCodeGrant(reconfigured, url, checks());
      this.auth = other;
      this.discovered = null;
      return tokens;
    }
  }

  private otherAuth(configuration: Configuration, error: unknown): "basic" | "post" | null {
    const { client_secret } = this.client;
    if (client_secret === undefined || !isInvalidClient(error)) return null;
    const other = this.authOf(configuration.serverMetadata()) === "basic" ? "post" : "basic";
    return methodsOf(configuration.serverMetadata()).includes(`client_secret_${other}`)
      ? other
      : null;
  }

  private authOf(metadata: Metadata): "basic" | "post" {
    const methods = methodsOf(metadata);
    return this.auth ?? (methods.includes("client_secret_basic") ? "basic" : "post");
  }

  private async discover(): Promise<Configuration> {
    const { allowInsecureRequests, customFetch, discovery } = await library();
    const { issuer, client_id } = this.client;
    const configuration = await discovery(issuer, client_id, undefined, undefined, {
      [customFetch]: this.fetch,
      timeout: this.client.timeout_ms / 1_000,
      execute: issuer.protocol === "http:" ? [allowInsecureRequests] : [],
    });
    const metadata = configuration.serverMetadata();
    return this.configured(metadata, this.authOf(metadata));
  }

  private async configured(metadata: Metadata, auth: "basic" | "post"): Promise<Configuration> {
    const oidc = await library();
    const { issuer, client_id, client_secret, timeout_ms } = this.client;
    const client_auth: ClientAuth =
      client_secret === undefined
        ? oidc.None()
        : auth === "basic"
          ? oidc.ClientSecretBasic(client_secret)
          : oidc.ClientSecretPost(client_secret);
    const configuration = new oidc.Configuration(metadata, client_id, undefined, client_auth);
    configuration[oidc.customFetch] = this.fetch;
    configuration.timeout = timeout_ms / 1_000;
    // Plain HTTP is allowed only if the administrator configured it; an HTTPS provider stays on
    // HTTPS.
    if (issuer.protocol === "http:") oidc.allowInsecureRequests(configuration);
    oidc.enableNonRepudiationChecks(configuration);
    return configuration;
  }

  private readonly fetch = (url: string, init: object): Promise<Response> =>
    fetchBounded(url, init as RequestInit, { timeout_ms: this.client.timeout_ms, bytes_max });
}

type Metadata = ReturnType<Configuration["serverMetadata"]>;

/** The default when metadata lists none (OpenID Connect Discovery). */
const methodsOf = ({ token_endpoint_auth_methods_supported }: Metadata): readonly string[] =>
  token_endpoint_auth_methods_supported ?? ["client_secret_basic"];

/** The provider rejects the client before it checks anything else. */
export const isInvalidClient = (error: unknown): boolean =>
  oauthErrorOf(error) === "invalid_client" || statusOf(error) === 401;

/** The OAuth error code, such as `invalid_grant`, if the provider sent one. */
export function oauthErrorOf(error: unknown): string | null {
  const code = (error as { readonly error?: unknown } | null)?.error;
  return typeof code === "string" && /^[\w.-]{1,60}$/.test(code) ? code : null;
}
const statusOf = (error: unknown): unknown =>
  (error as { readonly status?: unknown } | null)?.status;
