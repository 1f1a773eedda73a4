/** The claims of the host itself, which no plugin may make: see `order`. */
import { commandClaim, operationClaim, routeClaim, sectionClaim } from "../plugin/order";
import { coreRoutes } from "./application";
import { coreSections } from "./config-sources";
import { readyRoute } from "./readiness";

/** The commands in `dossier --help` that come from no plugin. */
const core_commands = [
  "serve",
  "config",
  "openapi",
  "compact",
  "files",
  "migrate-to",
  "plugin",
  "version",
  "health",
  "completions",
  "help",
];

const core_routes = [...Object.values(coreRoutes), readyRoute];

/** As `order` takes them: `the route GET /health`. */
export const reserved: readonly string[] = [
  ...[...coreSections.keys()].map(sectionClaim),
  ...core_routes.flatMap((route) => [routeClaim(route), operationClaim(route)]),
  ...core_commands.map((name) => commandClaim({ name })),
];
