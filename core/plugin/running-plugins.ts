/**
 * Which plugin files the server on a data directory is running, for commands beside it: files in
 * the plugins directory may be newer, or gone. A crash leaves this file behind: check first whether
 * there is a server.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A plugin file as it was when the server started. */
export interface RunningPlugin {
  readonly name: string;
  readonly version: string;
  readonly file: string;
  readonly sha256: string;
}

const fileIn = (data: string): string => join(data, "dossier.plugins.json");

/** Written when the server has started. */
export const writeRunningPlugins = (data: string, plugins: readonly RunningPlugin[]): void =>
  writeFileSync(fileIn(data), JSON.stringify(plugins), { mode: 0o600 });
/** Called when the server has stopped. */
export const removeRunningPlugins = (data: string): void => rmSync(fileIn(data), { force: true });

/** Empty when no server has written it. */
export function readRunningPlugins(data: string): readonly RunningPlugin[] {
  try {
    return JSON.parse(readFileSync(fileIn(data), "utf8")) as RunningPlugin[];
  } catch {
    return [];
  }
}
