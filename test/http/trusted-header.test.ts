/** A proxy that names who has signed in there, in this process. */
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

describe("the other end of the connection is believed", () => {
  const names = { name: "X-User", email: undefined, role: undefined };
  const from = (peer: string, headers: Sent) =>
    proxyIdentity(new Request("http://dossier.test/", { headers }), { peer }, names, trusted)?.name;
  const trusted = networkList(["10.0.0.0/8", "fd00::/8"]);
  const ada = { "x-user": "ada@example.com" };
  test.each([
    ["in a network of the list", "10.1.2.3", ada, "ada@example.com"],
    ["in one written as IPv6", "::ffff:10.1.2.3", ada, "ada@example.com"],
    ["in a network of IPv6", "fd00::1", ada, "ada@example.com"],
    ["on the Unix socket", "unix", ada, "ada@example.com"],
    ["nowhere else", "192.0.2.1", ada, undefined],
    ["without an address", "", ada, undefined],
    [
      "whatever it says of others",
      "192.0.2.1",
      { ...ada, "x-forwarded-for": "10.1.2.3" },
      undefined,
    ],
    ["not by another spelling", "10.1.2.3", { x_user: "ada@example.com" }, undefined],
    [
      "not when two came",
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
  ["a name that is none", { NAME: "X Forwarded" }, /signin_header\.name is not the name/],
  ["values of no header", { NAME: "X-User", ADMIN_VALUES: "a" }, /signin_header\.role is missing/],
  ["no network", { NAME: "X-User", NETWORKS: "here" }, /signin_header\.networks: here/],
  ["a way out that is none", { NAME: "X-User", SIGN_OUT_URL: "//evil.test" }, /sign_out_url must/],
] as const)("settings that do not fit are refused: %s", async (_, given, says) => {
  const env = Object.fromEntries(
    Object.entries(given).map(([key, value]) => [`DOSSIER_SIGNIN_HEADER_${key}`, value]),
  );
  await expect(startTestServer({ env })).rejects.toThrow(says);
});
