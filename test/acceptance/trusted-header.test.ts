/** Acceptance: sign-in by a proxy's user header, on the executable. */
import { startExecutable } from "../helpers/executable";
import { trustedHeaderCases } from "../cases/trusted-header";

trustedHeaderCases(async (env) => {
  const server = await startExecutable({ env });
  return Object.assign(server, { base: server.url(), fetch });
});
