/** The routes of backups, for administrators. Only part of the console. */
import {
  OneOf,
  Nullable,
  reply,
  rfc3339,
  rfc3339OrNull,
  route,
  t,
  Timestamp,
  type Context,
  type HandlersOf,
  named,
} from "../../core/sdk";
import { MakeBackup, RehearseBackup } from "./jobs";
import type { BackupService, Listed } from "./service";

const surface = "console";
const tag = "Backups";

const BackupRecord = named(
  "Backup",
  t.Object({
    name: t.String(),
    bytes: t.Integer(),
    made_at: Nullable(Timestamp(), "Null when the file can't be read as a backup."),
    made_by: Nullable(t.String(), "The version of Dossier."),
    rows: Nullable(t.Integer(), "Of all tables."),
    originals: Nullable(t.Integer()),
    originals_elsewhere: Nullable(t.Integer(), "Of the originals, those in earlier backups."),
    with_secrets: Nullable(t.Boolean()),
    rehearsed_at: Nullable(Timestamp(), "When all of it was read and opened last, here."),
    problem: Nullable(t.String(), "Why it can't be relied on."),
  }),
);
const BackupsRecord = named(
  "Backups",
  t.Object({
    data: t.Array(BackupRecord),
    total: t.Integer({ description: "`data` has the newest 500." }),
    directory: t.String(),
    schedule: Nullable(t.String()),
    keep: t.Integer(),
    next_at: Nullable(Timestamp()),
    last_success_at: Nullable(Timestamp()),
    overdue: t.Boolean(),
    failure: Nullable(t.Object({ at: Timestamp(), error: t.String() }), "Of the last one."),
    current: Nullable(
      t.Object({
        kind: OneOf(["backup", "rehearsal"]),
        name: Nullable(t.String()),
        stage: Nullable(t.String()),
        done: t.Integer(),
        total: Nullable(t.Integer()),
      }),
      "What is under way in this process.",
    ),
  }),
);

const backup_example = {
  name: "dossier-20261121T030000000Z.zip",
  bytes: 10_485_760,
  made_at: "2026-11-21T03:00:00.000Z",
  made_by: "0.1.0",
  rows: 48_211,
  originals: 312,
  originals_elsewhere: 0,
  with_secrets: false,
  rehearsed_at: "2026-11-21T03:00:09.000Z",
  problem: null,
};

const running = { backup_running: "A backup or a rehearsal is under way." };

const params = { name: backup_example.name };

export const routes = {
  list: route.get("/backups", {
    summary: "List backups",
    tag,
    operation: "listBackups",
    surface,
    admin: true,
    description: "Those of `backups.directory`, the newest first, and what is under way.",
    answers: {
      200: {
        description: "The backups.",
        schema: BackupsRecord,
        example: {
          data: [backup_example],
          total: 1,
          directory: "/srv/dossier/backups",
          schedule: "0 3 * * *",
          keep: 7,
          next_at: "2026-11-22T03:00:00.000Z",
          last_success_at: "2026-11-21T03:00:09.000Z",
          overdue: false,
          failure: null,
          current: null,
        },
      },
    },
  }),
  make: route.post("/backups", {
    summary: "Make a backup",
    tag,
    operation: "makeBackup",
    surface,
    admin: true,
    description: "In the background; the list tells how far it is, and when it has failed.",
    body: t.Object({
      with_secrets: t.Optional(
        t.Boolean({ description: "With secret.key and the secrets of dossier.toml." }),
      ),
    }),
    example: { with_secrets: false },
    answers: { 202: { description: "It was begun." } },
    errors: {
      409: {
        ...running,
        database_elsewhere: "The database is PostgreSQL: back it up by its tools.",
      },
    },
  }),
  download: route.get("/backups/:name/file", {
    summary: "Download a backup",
    tag,
    operation: "downloadBackup",
    params,
    surface,
    admin: true,
    audited: true,
    answers: { 200: { description: "The archive.", media_type: "application/zip" } },
  }),
  remove: route.delete("/backups/:name", {
    summary: "Delete a backup",
    tag,
    operation: "deleteBackup",
    params,
    surface,
    admin: true,
    answers: { 204: { description: "It is deleted." } },
    errors: {
      409: { ...running, needed: "A younger backup needs its originals." },
    },
  }),
  rehearse: route.post("/backups/:name/rehearse", {
    summary: "Rehearse a backup",
    tag,
    operation: "rehearseBackup",
    params,
    surface,
    admin: true,
    description:
      "Reads all of it, opens its database, and compares; in the background, as making one.",
    answers: { 202: { description: "It was begun." } },
    errors: { 409: running },
  }),
};

export const backupHandlers = (
  { db, enqueue }: Pick<Context, "db" | "enqueue">,
  backups: BackupService,
): HandlersOf<typeof routes> => ({
  async list() {
    const [listed, { next, last_success, overdue, failure }] = await Promise.all([
      backups.list(),
      backups.standing(),
    ]);
    const { current, settings } = backups;
    return {
      data: listed.backups.map(toRecord),
      total: listed.total,
      directory: settings.directory,
      schedule: settings.schedule,
      keep: settings.keep,
      next_at: rfc3339OrNull(next),
      last_success_at: rfc3339OrNull(last_success),
      overdue,
      failure: failure && { at: rfc3339(failure.at), error: failure.error },
      current: current && {
        kind: current.kind,
        name: current.name,
        stage: current.progress?.stage ?? null,
        done: current.progress?.done ?? 0,
        total: current.progress?.total ?? null,
      },
    };
  },
  async make({ body }) {
    backups.requireIdle();
    await enqueue(db, MakeBackup, { with_secrets: body.with_secrets ?? false });
    return reply(202, undefined, { location: "/console/api/v1/backups", "retry-after": "1" });
  },
  async download({ params, about }) {
    about(params.name);
    const file = Bun.file(await backups.require(params.name));
    return new Response(file, {
      headers: {
        "content-type": "application/zip",
        "content-length": String(file.size),
        "content-disposition": `attachment; filename="${params.name}"`,
        "cache-control": "no-store",
      },
    });
  },
  async remove({ params, about }) {
    about(params.name);
    await backups.remove(params.name);
    return reply(204);
  },
  async rehearse({ params, about }) {
    about(params.name);
    await backups.require(params.name);
    backups.requireIdle();
    await enqueue(db, RehearseBackup, { name: params.name });
    return reply(202, undefined, { location: "/console/api/v1/backups", "retry-after": "1" });
  },
});

const toRecord = ({ name, bytes, summary, problem, rehearsed_at, failure }: Listed) => ({
  name,
  bytes,
  made_at: summary?.at ?? null,
  made_by: summary?.by ?? null,
  rows: summary?.rows ?? null,
  originals: summary?.originals ?? null,
  originals_elsewhere: summary?.elsewhere ?? null,
  with_secrets: summary?.with_secrets ?? null,
  rehearsed_at: rfc3339OrNull(rehearsed_at),
  problem: problem ?? failure,
});
