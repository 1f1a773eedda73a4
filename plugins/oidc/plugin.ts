/**
 * Single sign-on by OpenID Connect: users of the operator's identity provider sign in to the
 * console, with the role that their claims give them.
 */
import { definePlugin, fill, fillWith } from "../../core/sdk";
import { Accounts } from "../accounts/contract";
import { TriedSections } from "../settings/contract";
import { callbackPath, SignIn } from "../sign-in/contract";
import { Provider } from "./provider";
import { clientOf, OidcConfig } from "./settings";
import { tryProvider } from "./provider-trial";
import { createSignInMethod, oidc_way } from "./sign-in-method";

export default definePlugin({
  name: "oidc",
  version: "1.0.0",
  config: OidcConfig,
  needs: { accounts: Accounts },
  checkConfig: (config) => {
    clientOf(config);
  },
  setup: (ctx) => {
    const { config, log, now_ms, public_url, services } = ctx;
    const wayNow = (): SignIn | null => {
      const settings = structuredClone(config);
      const client = clientOf(settings);
      const provider = client && new Provider(client, { now_ms });
      return provider && createSignInMethod({ ...services, log, provider, settings });
    };
    let way = wayNow();
    ctx.whenSettingsChange(() => {
      way = wayNow();
    });
    return {
      fills: [
        fillWith(SignIn, () => way),
        fill(TriedSections, {
          section: "oidc",
          title: "Single sign-on",
          group: "sign_in",
          address: "issuer",
          run: (settings: typeof config, signal: AbortSignal) =>
            tryProvider(settings, signal, {
              now_ms,
              callback_url: () => public_url() + callbackPath(oidc_way),
            }),
        }),
      ],
    };
  },
});
