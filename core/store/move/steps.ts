/**
 * Matches the migration steps of a database with those of this program: a target gets the same and
 * no others, so that a source of an earlier version is moved as it is.
 */
import { copy_row } from "../migration-copies";
import type { Schema } from "../schema";
import type { Table } from "./rows";
import type { Query } from "./side";

/** Which tables the target gets, and whether this program can create them. */
export interface ComparedSteps {
  readonly schemas: readonly Schema[];
  /** Why this program can't create the tables, as sentences. */
  readonly problems: readonly string[];
  /** It was written by an earlier version: the next start migrates its tables. */
  readonly is_behind: boolean;
}

/** `schemas_known`: in the order in which their tables are created. */
export async function compareSteps(
  query: Query,
  schemas_known: readonly Schema[],
): Promise<ComparedSteps> {
  const applied = new Map<string, string[]>();
  for (const [plugin, id] of await query(
    `select plugin, id from core_migrations where plugin <> '${copy_row}' order by plugin, id`,
  ))
    applied.set(String(plugin), [...(applied.get(String(plugin)) ?? []), String(id)]);
  const problems: string[] = [];
  for (const [plugin, ids] of applied) {
    const schema = schemas_known.find(({ name }) => name === plugin);
    const newer = ids.filter((id) => !schema?.migrations.some((step) => step.id === id));
    if (schema === undefined)
      problems.push(
        `the plugin ${plugin} has tables in the source but is not loaded, so its tables ` +
          "can't be created in the target. Put its file back or enable it, or delete its " +
          `data with \`dossier plugin remove ${plugin} --purge\``,
      );
    else if (newer.length > 0)
      problems.push(
        "it was written by a newer version of " +
          `${plugin === "core" ? "this program" : `the plugin ${plugin}`} (migration ` +
          `${newer[0]!}). Use that version`,
      );
  }
  const present = schemas_known.filter(({ name }) => applied.has(name));
  const schemas = present.map(({ name, version, tables, migrations }) => ({
    name,
    version,
    tables,
    migrations: migrations.filter(({ id }) => applied.get(name)!.includes(id)),
  }));
  const countSteps = (list: readonly Schema[]): number =>
    list.reduce((sum, { migrations }) => sum + migrations.length, 0);
  return { schemas, problems, is_behind: countSteps(schemas) < countSteps(present) };
}

/** Differences between the tables of the two, as sentences. */
export function differingTables(source: readonly Table[], target: readonly Table[]): string[] {
  const shapes = (tables: readonly Table[]) =>
    new Map(
      tables.flatMap(({ name, columns, key }) => [
        [name, `key ${key.join(", ")}`] as const,
        ...columns.map((column) => [`${name}.${column.name}`, column.kind] as const),
      ]),
    );
  const source_shapes = shapes(source);
  const target_shapes = shapes(target);
  return [...new Set([...source_shapes.keys(), ...target_shapes.keys()])]
    .filter((name) => source_shapes.get(name) !== target_shapes.get(name))
    .map(
      (name) =>
        `${name} is ${source_shapes.get(name) ?? "not there"} in the source and ` +
        `${target_shapes.get(name) ?? "not there"} in the target`,
    );
}
