/** The users on a server that runs a plugin under development. */
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A user with an API key. */
export interface Person {
  readonly id: string;
  readonly email: string;
  readonly role: "admin" | "member";
  /** An API key with every scope. */
  readonly key: string;
}
/** Ada is an administrator, Bob is not. */
export type People = Readonly<Record<"ada" | "bob", Person>>;

/** The location in a plugin's `.dossier` of the plugin that creates them. */
const plugin_source = "runtime/people-plugin.ts";

/**
 * Installs the plugin that creates them into a plugins directory. `support`: the path of
 * `.dossier`.
 */
export function installPeople(support: string, plugins: string): void {
  mkdirSync(plugins, { recursive: true });
  copyFileSync(join(support, plugin_source), join(plugins, "people-of-the-bench.ts"));
}

/** Once the server has started. */
export const readPeople = (data: string): People =>
  JSON.parse(readFileSync(join(data, ".people.json"), "utf8")) as People;
