/** Acceptance: a proxy that names who has signed in there, on the executable. */
import { startExecutable } from "../helpers/executable";
import { trustedHeaderCases } from "../cases/trusted-header";

trustedHeaderCases(async (env) => {
  const server = await startExecutable({ env });
  return Object.assign(server, { base: server.url(), fetch });
});
