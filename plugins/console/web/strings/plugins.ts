/** Strings of the pages about plugins. */
import { counted } from "../ui/format";

export const plugin_strings = {
  title: "Plugins",
  text: (directory: string) => `Built-in plugins, and plugin files in ${directory}`,
  label: "Plugins",
  plugin: "Plugin",
  version: "Version",
  kind: "Kind",
  kinds: { built_in: "Built in", added: "Added" },
  status: "Status",
  actions: "Actions",
  actions_of: (name: string) => `Actions for ${name}`,
  states: {
    loaded: "Running",
    failing: "Failing",
    left_out: "Left out",
    disabled: "Disabled",
    not_loaded: "Waiting for restart",
  },
  next: {
    added: "It is loaded when the server restarts.",
    replaced: "The new file is loaded when the server restarts.",
    removed: "Its file was removed. It keeps running until the server restarts.",
    enabled: "It is loaded when the server restarts.",
    disabled: "It stops when the server restarts.",
  },
  restart_title: "Restart the server",
  restart_text: (count: number) =>
    `${counted(count, "change takes", "changes take")} effect after a restart. ` +
    "On the server’s machine, run:",
  restart_command: "systemctl restart dossier",
  restart_other:
    "With containers, run docker compose restart. Otherwise, stop the server and start it " +
    "again.",
  enable: "Enable",
  disable: "Disable",
  disable_title: (name: string) => `Disable ${name}?`,
  disable_text: "It stops working when the server restarts. Its data is kept.",
  enabled: (name: string) => `${name} will be loaded when the server restarts.`,
  disabled: (name: string) => `${name} will be disabled when the server restarts.`,
  remove: "Remove",
  remove_title: (name: string) => `Remove ${name}?`,
  remove_text: "Its file is deleted. Its data in the database is kept.",
  removed: (name: string) => `${name} removed. It keeps running until the server restarts.`,
  add: "Add a plugin",
  add_text:
    "A plugin is a single file. It is first tested on temporary data, and loaded when " +
    "the server restarts. A plugin can do everything that the server can: add only " +
    "plugins you trust.",
  add_file: "File",
  add_sha256: "SHA-256",
  add_sha256_hint: "Optional. The checksum given by the plugin’s publisher.",
  add_replace: "Replace the plugin with the same name",
  add_submit: "Test and add",
  add_none: "Choose a file.",
  added: (name: string, version: string) =>
    `${name} ${version} will be loaded when the server restarts.`,
  not_here_title: "Plugins can’t be added or removed here",
  not_here_text:
    "Plugins can run any code on this machine, so this is off by default. The operator " +
    "can enable it with plugins.install_in_console = true in dossier.toml, or add a " +
    "plugin on the server:",
  not_here_command: "dossier plugin add FILE",
  settings: "Settings",
  no_settings: "This plugin has no settings.",
  outside: (settings: readonly string[]) =>
    `Only the operator can set ${settings.join(", ")}, when starting the server.`,
  save: "Save",
  saved: "Settings saved.",
  saved_for_start: "Settings saved. They take effect when the server restarts.",
  nothing_to_save: "No changes to save.",
  unsaved: "Unsaved changes",
  facts: "Details",
  fact_labels: {
    file: "File",
    sha256: "SHA-256",
    routes: "Routes",
    needs: "Needs",
    provides: "Provides",
    reads: "Reads slots",
    fills: "Fills slots",
    jobs: "Handles jobs and events",
    schedules: "Schedules",
    events: "Emits events",
    tables: "Tables",
    commands: "Commands",
  },
  rows: (name: string, rows: number) => `${name}, ${counted(rows, "row")}`,
} as const;
