/** Single sign-on at a real provider, in this process. */
import { startTestServer } from "../helpers/host";
import { singleSignOnCases } from "../cases/single-sign-on";

singleSignOnCases(async (env) => {
  const server = await startTestServer({ env });
  return Object.assign(server, { base: "http://dossier.test" });
});
