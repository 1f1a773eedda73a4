/** The words of the system page. */

export const system_words = {
  title: "System", text: (version: string, commit: string | null) => commit === null ? `Dossier ${version}` : `Dossier ${version} (${commit})`, parts: "System",
  tabs: { health: "Health", jobs: "Jobs", storage: "Storage", plugins: "Plugins", logs: "Logs", settings: "Settings" },
  uptime: (text: string) => `up ${text}`, check: "Check", status: "Status", checks_label: "Checks", fix: "What to do:",
  states: { ok: "OK", warn: "Warning", fail: "Failing" }, days: (count: number) => `${count} ${count === 1 ? "day" : "days"}`,
  job_states: { failed: "Failed", running: "Running", ready: "Waiting", done: "Done", cancelled: "Cancelled" } as Readonly<Record<string, string>>, job_filter: "Jobs", jobs_label: "Jobs", job: "Job", attempts: "Attempts", due: "Due",
  made: "Made", actions: "Actions",
  of: (attempts: number, most: number) => `${attempts} of ${most}`, run_again: "Run again", run_again_label: (name: string) => `Run again: ${name}`, running_again: "The job runs again.", no_jobs: "No such jobs",
  no_jobs_text: { failed: "Nothing has failed for good.", other: "There is nothing here now." },
  storage_title: "Data directory", database: "Database, with text and index", files: "Originals", free: "Free on this disk", low: "The disk is nearly full",
  low_text: "New documents are refused when it is. Make room, or move the data directory to a larger disk.",
  backup_title: "Backups", backup_text: "Stop the server and copy the data directory. Before a new version changes the database, it keeps a copy of it in backups/.",
  plugin: "Plugin", version: "Version", kind: "Kind", kinds: { built_in: "Built in", added: "Added" }, reason: "Reason", plugin_states: { loaded: "Running", failing: "Failing", left_out: "Left out" }, plugins_label: "Plugins",
  plugins_text: "Plugin files lie in the plugins directory; a restart loads them.",
  level: "Level", levels: { debug: "Everything", info: "Information and worse", warn: "Warnings and errors", error: "Errors" } as Readonly<Record<string, string>>, time: "Time", message: "Message", logs_label: "Log, newest first",
  no_logs: "Nothing was logged at this level since the start.",
  setting: "Setting", origin: "From", settings_label: "Settings in force", settings_text: "Read at the start, from dossier.toml in the data directory, the environment and flags. Secrets are hidden.", none: "none",
} as const;
