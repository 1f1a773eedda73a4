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

const own_routes = [...Object.values(coreRoutes), readyRoute];

export const reserved: readonly string[] = [
  ...[...coreSections.keys()].map(sectionClaim),
  ...own_routes.flatMap((route) => [routeClaim(route), operationClaim(route)]),
  ...core_commands.map((name) => commandClaim({ name })),
];
