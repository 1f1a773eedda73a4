/** Acceptance: single sign-on with a real provider, on the executable. */
import { startExecutable } from "../helpers/executable";
import { singleSignOnCases } from "../cases/single-sign-on";

singleSignOnCases(async (env) => {
  const server = await startExecutable({ env });
  return Object.assign(server, { base: server.url(), fetch });
});
