/** Sign-in by a proxy's header that names the user, in this process. */
import { describe, expect, test } from "bun:test";
import { networkList } from "../../core/base/networks";
import { proxyIdentity } from "../../plugins/signin-header/proxy-identity";
import { trustedHeaderCases } from "../cases/trusted-header";
import { startTestServer } from "../helpers/host";

trustedHeaderCases(async (env) => {
  const server = await startTestServer({ env });
  return Object.assign(server, { base: "http://dossier.test" });
});

type Sent = ConstructorParameters<typeof Headers>[0];

describe("which connections may name the user", () => {
  const names = { name: "X-User", email: undefined, role: undefined };
  const from = (peer: string, headers: Sent) =>
    proxyIdentity(new Request("http://dossier.test/", { headers }), { peer }, names, trusted)?.name;
  const trusted = networkList(["10.0.0.0/8", "fd00::/8"]);
  const ada = { "x-user": "ada@example.com" };
  test.each([
    ["a listed network", "10.1.2.3", ada, "ada@example.com"],
    ["a listed network, as an IPv4-mapped address", "::ffff:10.1.2.3", ada, "ada@example.com"],
    ["a listed IPv6 network", "fd00::1", ada, "ada@example.com"],
    ["the Unix socket", "unix", ada, "ada@example.com"],
    ["no other network", "192.0.2.1", ada, undefined],
    ["not one without an address", "", ada, undefined],
    [
      "not one that only forwards for a listed address",
      "192.0.2.1",
      { ...ada, "x-forwarded-for": "10.1.2.3" },
      undefined,
    ],
    ["not with a misspelled header", "10.1.2.3", { x_user: "ada@example.com" }, undefined],
    [
      "not with the header twice",
      "10.1.2.3",
      [
        ["x-user", "eve@example.com"],
        ["x-user", "ada@example.com"],
      ],
      undefined,
    ],
  ] as [string, string, Sent, string | undefined][])("%s", (_, peer, headers, name) => {
    expect(from(peer, headers)).toBe(name as never);
  });
});

test.each([
  ["an invalid header name", { NAME: "X Forwarded" }, /signin_header\.name is not the name/],
  ["values, no header", { NAME: "X-User", ADMIN_VALUES: "a" }, /signin_header\.role is required/],
  ["an invalid network", { NAME: "X-User", NETWORKS: "here" }, /signin_header\.networks: here/],
  ["an invalid sign-out URL", { NAME: "X-User", SIGN_OUT_URL: "//evil.test" }, /sign_out_url must/],
] as const)("invalid settings are refused: %s", async (_, setting, says) => {
  const env = Object.fromEntries(
    Object.entries(setting).map(([key, value]) => [`DOSSIER_SIGNIN_HEADER_${key}`, value]),
  );
  await expect(startTestServer({ env })).rejects.toThrow(says);
});
