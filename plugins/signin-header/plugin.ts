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
        "The header in which a trusted proxy names who has signed in there, such as " +
        "X-Forwarded-User; none: nobody signs in this way. The proxy must set it on every request.",
    }),
  ),
  email: t.Optional(
    t.String({
      ...outside,
      description:
        "The header with their email address, such as X-Forwarded-Email; none: the name is one.",
    }),
  ),
  role: t.Optional(
    t.String({
      ...outside,
      description:
        "The header with their roles or groups, such as X-Forwarded-Groups, read at every " +
        "sign-in; none: new users are members, and roles are given here.",
    }),
  ),
  admin_values: List("string", {
    ...outside,
    description: "Values of that header that make an administrator.",
  }),
  member_values: List("string", {
    ...outside,
    description:
      "Values of that header that make a member; whoever has none of either stays out. None: " +
      "everybody else is a member.",
  }),
  networks: List("string", {
    ...outside,
    description: "Networks of the proxies that are believed; none: server.trusted_proxies.",
  }),
  create_users: t.Boolean({
    ...outside,
    default: true,
    description: "Who comes for the first time becomes a user.",
  }),
  link_by_email: OneOf(["nobody", "members", "everybody"], {
    ...outside,
    default: "nobody",
    description:
      "Which users who are here already are taken for somebody with the same address: nobody, " +
      "members, or everybody, which is administrators too.",
  }),
  title: t.String({
    ...outside,
    default: "Sign in",
    maxLength: 80,
    description: "What the button says that somebody finds who has signed out.",
  }),
  sign_out_url: t.Optional(
    t.String({
      ...outside,
      description: "Where who signs out here signs out at the proxy, such as /oauth2/sign_out.",
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
