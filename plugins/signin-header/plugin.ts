/**
 * Signing in by a header that a trusted proxy sets, which has signed people in itself. From anybody
 * else the header is nothing.
 */
import {
  OneOf,
  ConfigError,
  definePlugin,
  fill,
  List,
  networkSetting,
  t,
  type Operations,
  type Static,
} from "../../core/sdk";
import { Accounts } from "../accounts/contract";
import { SignIn } from "../sign-in/contract";
import { createSignInMethod } from "./sign-in-method";

/** It decides who is believed: only whoever starts the server says so. */
const outside = { changes: "outside" } as const;

const HeaderConfig = t.Object({
  name: t.Optional(
    t.String({
      ...outside,
      description:
        "The header in which a trusted proxy sends the name of the signed-in user, such as " +
        "X-Forwarded-User. Without it, this sign-in is off. The proxy must set the header on " +
        "every request.",
    }),
  ),
  email: t.Optional(
    t.String({
      ...outside,
      description:
        "The header with the user's email address, such as X-Forwarded-Email. Without it, " +
        "the name is the email address.",
    }),
  ),
  role: t.Optional(
    t.String({
      ...outside,
      description:
        "The header with the user's roles or groups, such as X-Forwarded-Groups, read at " +
        "every sign-in. Without it, new users are members, and roles are assigned here.",
    }),
  ),
  admin_values: List("string", {
    ...outside,
    description: "Values of that header that make a user an administrator.",
  }),
  member_values: List("string", {
    ...outside,
    description:
      "Values of that header that make a user a member; users with none of these or of " +
      "`admin_values` can't sign in. Without any, everybody else is a member.",
  }),
  networks: List("string", {
    ...outside,
    description: "Networks of the trusted proxies; by default those in server.trusted_proxies.",
  }),
  create_users: t.Boolean({
    ...outside,
    default: true,
    description: "Whether a user account is created at a person's first sign-in.",
  }),
  link_by_email: OneOf(["nobody", "members", "everybody"], {
    ...outside,
    default: "nobody",
    description:
      "Which existing accounts are linked to a person with the same email address: none, " +
      "those of members, or all, including administrators.",
  }),
  title: t.String({
    ...outside,
    default: "Sign in",
    maxLength: 80,
    description: "The label of the sign-in button that is shown after signing out.",
  }),
  sign_out_url: t.Optional(
    t.String({
      ...outside,
      description:
        "The address for signing out at the proxy when a user signs out here, such as " +
        "/oauth2/sign_out.",
    }),
  ),
});
type HeaderSettings = Static<typeof HeaderConfig>;

export default definePlugin({
  name: "signin-header",
  version: "1.0.0",
  config: HeaderConfig,
  needs: { accounts: Accounts },
  checkConfig,
  setup: ({ config, log, operations, services }) => {
    const { name, email, role } = config;
    if (!name) return {};
    const list = config.networks.length > 0 ? config.networks : trustedProxies(operations);
    if (list.length === 0)
      log.warn(
        "signin_header.name is set, but no proxy is trusted except on the Unix socket: set " +
          "server.trusted_proxies or signin_header.networks",
      );
    const trusted = networkSetting("signin_header.networks", list);
    return {
      fills: [
        fill(
          SignIn,
          createSignInMethod({ ...services, names: { name, email, role }, trusted, rules: config }),
        ),
      ],
    };
  },
});

function checkConfig({
  name,
  email,
  role,
  networks,
  sign_out_url,
  ...rules
}: HeaderSettings): void {
  const problems = Object.entries({ name, email, role })
    .filter(([, header]) => header !== undefined && !/^[\w!#$%&'*+.^`|~-]{1,100}$/.test(header))
    .map(([key]) => `signin_header.${key} is not the name of a header.`);
  if (role === undefined && rules.admin_values.length + rules.member_values.length > 0)
    problems.push(
      "signin_header.role is required when role values are set. Set it to the name of the " +
        "header.",
    );
  if (sign_out_url !== undefined && !/^(https?:\/\/[^\s/]|\/(?![/\\]))\S*$/.test(sign_out_url))
    problems.push("signin_header.sign_out_url must start with /, https:// or http://.");
  if (problems.length > 0) throw new ConfigError(problems);
  networkSetting("signin_header.networks", networks);
}

/** As it was written: a list in dossier.toml, a text with commas in the environment. */
function trustedProxies(operations: Operations): readonly string[] {
  const written = operations
    .settings()
    .find(({ setting }) => setting === "server.trusted_proxies")?.value;
  return [written ?? []]
    .flat()
    .flatMap((text) => String(text).split(","))
    .map((text) => text.trim())
    .filter((text) => text !== "");
}
