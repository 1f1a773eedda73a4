/** Single sign-on as a sign-in method: to the provider, back from it, and signing out. */
import type { Context } from "../../core/sdk";
import type { Accounts } from "../accounts/contract";
import type { SignIn } from "../sign-in/contract";
import { externalUserOf, isComplete } from "./claims";
import { throwReadable } from "./failure";
import type { Provider } from "./provider";
import type { OidcSettings } from "./settings";

/**
 * Below the limit of what a session can keep; a longer token would not fit into an address either.
 */
const token_length_max = 6_000;

/** What the method needs besides `Context`. */
export interface SignInMethodContext extends Pick<Context, "log"> {
  readonly accounts: Pick<Accounts, "ensureUser">;
  readonly provider: Provider;
  readonly settings: OidcSettings;
}

/** The id of this sign-in method. */
export const oidc_way = "oidc";

/** The method for the provider in the settings. */
export const createSignInMethod = ({
  accounts,
  log,
  provider,
  settings,
}: SignInMethodContext): SignIn => ({
  id: oidc_way,
  title: settings.title,
  async start({ state, callback_url }) {
    const nonce = randomText();
    const verifier = randomText();
    try {
      const redirect = await provider.authorizationUrl({ callback_url, state, nonce, verifier });
      return { redirect, remember: `${nonce} ${verifier}` };
    } catch (error) {
      return throwReadable(error, log);
    }
  },
  async callback({ url, state, remembered }) {
    const [nonce = "", verifier = ""] = remembered.split(" ");
    try {
      const { issuer, claims, id_token } = await provider.identify(
        url,
        { state, nonce, verifier },
        (identity) => isComplete(identity, settings),
      );
      const user = await accounts.ensureUser(externalUserOf(issuer, claims, settings));
      const kept = id_token !== undefined && id_token.length <= token_length_max ? id_token : "";
      return { user, kept };
    } catch (error) {
      return throwReadable(error, log);
    }
  },
  signOut: async ({ kept, back_url }) =>
    settings.sign_out ? provider.signOutUrl(kept || null, back_url) : null,
});

/** The minimum of random bits that PKCE requires (RFC 7636). */
const randomText = (): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
