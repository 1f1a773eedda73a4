/** Strings of the backups page. */

export const backup_strings = {
  title: "Backups",
  text: (schedule: string | null, keep: number, directory: string) =>
    `${schedule === null ? "No schedule is set" : `Made by schedule (${schedule}, UTC)`}; the ` +
    `newest ${keep} are kept in ${directory}.`,
  label: "Backups, newest first",
  make: "Make a backup",
  made_at: "Made",
  rehearsed: "Read back",
  name: "Backup",
  size: "Size",
  status: "Status",
  actions: "Actions",
  actions_of: (name: string) => `Actions for ${name}`,
  download: "Download",
  rehearse: "Rehearse",
  remove: "Delete",
  delete_title: (name: string) => `Delete ${name}?`,
  delete_text: "The file is gone for good. What is in use now stays as it is.",
  deleted: "The backup was deleted.",
  good: "Ready",
  bad: "Can’t be relied on",
  contents: (originals: number, elsewhere: number, version: string) =>
    `${originals} originals${elsewhere > 0 ? `, ${elsewhere} of them in earlier backups` : ""}, ` +
    `Dossier ${version}`,
  with_secrets: "with secrets",
  empty_title: "There is no backup",
  empty_text:
    "One holds the database, the originals and the settings in one file. It is made while " +
    "everyone goes on working, and counts once it was read back and opened.",
  begun: "The backup is being made.",
  failed_title: "The last backup failed",
  overdue_title: "A backup is overdue",
  overdue_text: (last: string | null) =>
    last === null ? "None was made since the start." : `The last one is of ${last}.`,
  old_title: "The newest backup is old",
  old_text: (last: string) =>
    `It is of ${last}. Set backups.schedule, so that the server makes them itself.`,
  next: "Next",
  under_way: { backup: "A backup is being made", rehearsal: "A backup is being rehearsed" },
  stages: {
    originals: "holding the originals",
    database: "copying the database",
    questions: "asking the copy",
    archive: "writing the archive",
    rehearsal: "reading it back",
  } as Readonly<Record<string, string>>,
  restore_title: "Restoring",
  restore_text: "On the machine of the server, into a directory that is empty or new:",
} as const;
