/** Strings of the backups page. */
import { counted } from "../ui/format";

export const backup_strings = {
  title: "Backups",
  text: (schedule: string | null, keep: number, directory: string) =>
    `${schedule === null ? "No schedule" : `Scheduled (${schedule}, UTC)`}; the newest ` +
    `${keep} are kept in ${directory}.`,
  label: "Backups, newest first",
  make: "Create backup",
  made_at: "Created",
  rehearsed: "Rehearsed",
  name: "Backup",
  size: "Size",
  status: "Status",
  actions: "Actions",
  actions_of: (name: string) => `Actions for ${name}`,
  download: "Download",
  rehearse: "Rehearse",
  remove: "Delete",
  delete_title: (name: string) => `Delete ${name}?`,
  delete_text: "The file is deleted permanently. Your current data is not affected.",
  deleted: "Backup deleted.",
  good: "Ready",
  bad: "Unusable",
  contents: (originals: number, elsewhere: number, version: string) =>
    counted(originals, "original") +
    (elsewhere > 0 ? `, ${elsewhere} of them in earlier backups` : "") +
    `, Dossier ${version}`,
  with_secrets: "with secrets",
  empty_title: "No backups yet",
  empty_text:
    "A backup is one file with the database, the originals and the settings. It is " +
    "created while everyone keeps working, and counts only once it has been read back " +
    "and opened.",
  begun: "Creating a backup …",
  failed_title: "The last backup failed",
  overdue_title: "A backup is overdue",
  overdue_text: (last: string | null) =>
    last === null
      ? "None has been created since the server started."
      : `The last one is from ${last}.`,
  old_title: "The newest backup is old",
  old_text: (last: string) =>
    `It is from ${last}. Set backups.schedule to have the server create backups regularly.`,
  under_way: { backup: "A backup is being created", rehearsal: "A backup is being rehearsed" },
  stages: {
    originals: "reserving the originals",
    database: "copying the database",
    questions: "querying the copy",
    archive: "writing the archive",
    rehearsal: "reading it back",
  } as Readonly<Record<string, string>>,
  restore_title: "Restoring",
  restore_text: "Run this on the server’s machine, with a new or empty directory:",
} as const;
