/**
 * Signing in to the console by other means than a password: runs the methods that plugins provide,
 * and has the switch for passwords.
 */
import { definePlugin, fill, forbidden, t, type Operations } from "../../core/sdk";
import { SessionRules, Sessions } from "../accounts/contract";
import { SignInCookies } from "./cookies";
import { SignIn } from "./contract";
import { routes, signInHandlers } from "./routes";
import { SignInService } from "./service";

export default definePlugin({
  name: "sign-in",
  version: "1.0.0",
  config: t.Object({
    password: t.Boolean({
      default: true,
      changes: "now",
      description:
        "Whether users can sign in with email and password, in addition to other ways. " +
        "`dossier config set sign_in.password true` allows it again.",
    }),
  }),
  needs: { sessions: Sessions },
  slots: { ways: SignIn },
  routes,
  setup: (ctx) => {
    const { config, log, operations, services, slots } = ctx;
    const ways = () => new Map(slots.ways().map((way) => [way.id, way]));
    const cookies = new SignInCookies(ctx);
    const service = new SignInService({
      ...ctx,
      ...services,
      ways,
      cookies,
      public_url: () => publicUrlOf(operations),
    });
    // Without any other method nobody could sign in.
    const passwordAllowed = () => config.password || ways().size === 0;
    return {
      fills: [
        fill(SessionRules, {
          passwordRefusal: () => (passwordAllowed() ? null : passwordOff(ways())),
          holds: (session, request, client) => service.holds(session, { request, client }),
          signedOut: (session, call) => service.signedOut(session, call),
        }),
      ],
      routes: signInHandlers({ log, ways, cookies, service, passwordAllowed }),
    };
  },
});

const passwordOff = (ways: ReadonlyMap<string, SignIn>) =>
  forbidden(
    "Signing in with a password is off. Use " +
      `“${[...ways.values()].map(({ title }) => title).join("” or “")}”.`,
    "password_off",
  );

/** The setting as given; null if it was not. */
const publicUrlOf = (operations: Operations): string | null =>
  (operations.settings().find(({ setting }) => setting === "server.public_url")?.value as
    | string
    | undefined) ?? null;
