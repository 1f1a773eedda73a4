/** What belongs to the host itself and to no plugin, in the words of claims: see `order`. */
import { commandClaim, operationClaim, routeClaim, sectionClaim } from "../plugin/order";
import { coreRoutes } from "./application";
import { coreSections } from "./config-sources";
import { readyRoute } from "./readiness";

/** Those that `dossier --help` lists without a plugin. */
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
