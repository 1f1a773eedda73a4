/**
 * `dossier migrate-to`: moves everything from the embedded database into PostgreSQL, or from there
 * into a new data directory or another database, and verifies that both are equal.
 */
import { counted } from "../../lib/counted";
import type { Command as Commander } from "commander";
import { mebibytes } from "../../lib/byte-sizes";
import { commit, version } from "../../base/version";
import { coreSchema } from "../../plugin/migrations";
import { order } from "../../plugin/order";
import { lockDirectory } from "../../store/lock";
import {
  compare,
  makeIndexes,
  moveRows,
  prepare,
  type MovedAmount,
  type MoveEnds,
} from "../../store/move/mover";
import type { Table } from "../../store/move/rows";
import { move_table, type Measured, type Side, type TargetSide } from "../../store/move/side";
import { MoveState, type MoveOrigin } from "../../store/move/state";
import { compareSteps, differingTables, type ComparedSteps } from "../../store/move/steps";
import { isPostgresUrl } from "../../store/postgres/connections";
import type { Schema } from "../../store/schema";
import type { Bootstrap } from "../bootstrap";
import { bootstrapBy, flagsOf, withData, type ProgramOptions } from "../command-options";
import {
  inspectDatabase,
  inspectDirectory,
  createTables,
  openSource,
  requireFreeSpace,
  requireTarget,
  targetOf,
  reasonOf,
  type Cleanup,
  type Target,
} from "./source-and-target";
import { copyFiles, originalsIn } from "./files";
import { Progress } from "./progress";
import { nextSteps } from "./next-steps";

/** Adds `dossier migrate-to`. */
export function addMigrateTo(program: Commander, options: ProgramOptions): void {
  withData(program.command("migrate-to"))
    .description(
      "Move all data to a PostgreSQL database, or from there to a new data directory, " +
        "while no server is running. The source is not changed. If interrupted, run it again " +
        "to continue.",
    )
    .argument("<target>", "postgres://user@host/name, or a new or empty directory")
    .option("--password-stdin", "read the password of the target from standard input")
    .option("--check", "only check whether the move is possible")
    .action(async (target: string, parsed) => {
      const boot = await bootstrapBy(options, flagsOf(parsed), "error");
      requireTarget(target, boot);
      const password = parsed.passwordStdin === true ? await options.stdin() : null;
      await new Move(boot, options, withPassword(target, password)).run(parsed.check === true);
    });
}

function withPassword(target: string, password: string | null): string {
  if (password === null || !isPostgresUrl(target)) return target;
  const url = new URL(target);
  url.password = encodeURIComponent(password);
  return url.href;
}

/** The result of the checks before anything is moved. */
interface MovePlan {
  readonly source: Side;
  readonly tables: readonly Table[];
  readonly steps: ComparedSteps;
  readonly total: MovedAmount;
  readonly target: TargetSide | null;
}

class Move {
  private readonly target: Target;
  private readonly cleanup: Cleanup = [];
  private readonly print: (line: string) => void;
  private readonly progress: Progress;

  constructor(
    private readonly boot: Bootstrap,
    private readonly options: ProgramOptions,
    target: string,
  ) {
    this.target = targetOf(target, boot);
    this.print = options.print;
    this.progress = new Progress(options.print, process.stderr);
  }

  async run(only_check: boolean): Promise<void> {
    try {
      const plan = await this.check();
      if (only_check) return this.print("The check found no problems. Nothing was changed.");
      await this.move(plan);
    } finally {
      for (const release of this.cleanup.toReversed()) await release();
    }
  }

  /** @throws Error that names every obstacle. */
  private async check(): Promise<MovePlan> {
    const [problems, notes]: [string[], string[]] = [[], []];
    this.print("checking source and target …");
    const source = await openSource(this.boot, problems, this.cleanup);
    const inspected = source && (await this.inspectSource(source, problems, notes));
    const { is_directory } = this.target;
    const target = is_directory
      ? await inspectDirectory(this.target, problems, this.cleanup)
      : await inspectDatabase(this.target, problems, notes, this.cleanup);
    if (is_directory && inspected) {
      const originals = await originalsIn(this.boot.located.data);
      requireFreeSpace(this.target, inspected.total.bytes + originals.bytes / 2, problems);
    }
    for (const note of notes) this.print(`note: ${note}.`);
    if (problems.length > 0 || !source || !inspected)
      throw new Error(
        `nothing was moved:\n${problems.map((problem) => `- ${problem}.`).join("\n")}`,
      );
    return { source, ...inspected, target };
  }

  private async inspectSource(source: Side, problems: string[], notes: string[]) {
    try {
      const tables = await source.tables();
      if (!tables.some(({ name }) => name === "core_migrations"))
        throw new Error(`${source.display_name} has no Dossier tables`);
      const steps = await compareSteps((text) => source.query(text), this.schemas());
      problems.push(...steps.problems, ...(await source.dangling()));
      if (steps.is_behind)
        notes.push(
          "the source was written by an earlier version. It is moved as it is, and the " +
            "next start of the server updates the tables of the target",
        );
      let rows = 0;
      let bytes = 0;
      for (const table of tables) {
        const measured: Measured = await source.measure(table);
        rows += measured.rows;
        bytes += measured.bytes;
        problems.push(...measured.problems);
        notes.push(...measured.changes);
      }
      this.print(
        `${source.display_name}: ${counted(rows, "row")} in ${counted(tables.length, "table")}, ` +
          `${mebibytes(bytes)} without indexes`,
      );
      return { tables, steps, total: { rows, bytes } };
    } catch (error) {
      problems.push(reasonOf(error));
      return null;
    }
  }

  /** In the order in which a start creates their tables. */
  private schemas(): Schema[] {
    const { built_in } = this.options;
    const dropped_in = this.boot.dropped_in.map(({ plugin }) => plugin);
    return [coreSchema, ...order(built_in).sorted, ...dropped_in];
  }

  private async move({ source, tables, steps, total, target: opened }: MovePlan): Promise<void> {
    const target = opened ?? (await this.openNew());
    const state = new MoveState(target);
    const ends: MoveEnds = { source, target, state };
    const origin: MoveOrigin = {
      place: source.display_name,
      mark: await source.mark(),
      program: `${version} ${commit ?? ""}`,
    };
    await this.begin(ends, origin);
    if ((await state.stage()) === "tables") await this.prepare(ends, steps.schemas, tables);
    if ((await state.stage()) === "rows") await this.moveRows(ends, tables, total);
    if ((await state.stage()) === "indexes")
      await makeIndexes(ends, (done, of) => {
        if (done === 0) this.print(`creating ${of} indexes and references …`);
      });
    if (this.target.is_directory) await this.copyFiles();
    await this.compare(ends, tables, total);
    if ((await source.mark()) !== origin.mark)
      throw new Error(
        `${source.display_name} was written to during the move, by a command or another program. ` +
          "Run this again; it starts over",
      );
    await finish(target);
    for (const line of nextSteps(this.boot, this.target)) this.print(line);
  }

  private async openNew(): Promise<TargetSide> {
    const target = await this.target.open();
    this.cleanup.push(() => target.close());
    this.cleanup.push(lockDirectory(this.target.data));
    return target;
  }

  /** Resumes a move, or begins one; starts over when the content of the source may have changed. */
  private async begin({ target, state }: MoveEnds, origin: MoveOrigin): Promise<void> {
    const unfinished_move = await state.origin();
    if (unfinished_move !== undefined && unfinished_move.place !== origin.place)
      throw new Error(
        `${target.display_name} is the unfinished target of a move from ` +
          `${unfinished_move.place}, not from ${origin.place}. Finish that move, or choose an ` +
          "empty target",
      );
    if (
      unfinished_move !== undefined &&
      unfinished_move.mark === origin.mark &&
      unfinished_move.program === origin.program
    ) {
      this.print("continuing where it was interrupted …");
      return;
    }
    if (unfinished_move !== undefined) {
      this.print(
        unfinished_move.program === origin.program
          ? "the source was written to after the interruption: starting over …"
          : "the move was started by another version of the program: starting over …",
      );
      await target.clear();
    }
    await state.begin(origin);
  }

  private async prepare(
    ends: MoveEnds,
    schemas: readonly Schema[],
    tables: readonly Table[],
  ): Promise<void> {
    this.print("creating the tables …");
    await createTables(this.target, schemas, this.boot.log);
    const differences = differingTables(tables, await ends.target.tables());
    if (differences.length > 0)
      throw new Error(
        `the tables of both are not the same, and nothing was moved:\n${differences.join("\n")}`,
      );
    await prepare(ends, tables);
  }

  private async moveRows(
    ends: MoveEnds,
    tables: readonly Table[],
    total: MovedAmount,
  ): Promise<void> {
    this.progress.begin({ name: "moving", ...total });
    await moveRows(ends, tables, (done, was_there) => this.progress.add(done, was_there));
    this.progress.end(`moved ${counted(total.rows, "row")}, ${mebibytes(total.bytes)}.`);
  }

  private async copyFiles(): Promise<void> {
    const { data } = this.boot.located;
    const { count, bytes } = await originalsIn(data);
    this.progress.begin({ name: "copying originals", rows: count, bytes });
    await copyFiles(data, this.target.data, (copied) =>
      this.progress.add({ rows: 1, bytes: copied }),
    );
    this.progress.end(`copied ${counted(count, "original")}, ${mebibytes(bytes)}.`);
  }

  private async compare(
    ends: MoveEnds,
    tables: readonly Table[],
    total: MovedAmount,
  ): Promise<void> {
    this.progress.begin({ name: "comparing", ...total });
    const differences = await compare(ends, tables, (done) => this.progress.add(done));
    if (differences.length > 0) {
      this.progress.end("the two are not equal.");
      throw new Error(
        "source and target are not equal, so the target can't be used:\n" +
          `${differences.map((words) => `- ${words}`).join("\n")}\n` +
          "One of them was changed during the move. Empty the target, and run this again",
      );
    }
    this.progress.end(
      `compared ${counted(total.rows, "row")} in ${counted(tables.length, "table")} by their ` +
        "SHA-256: source and target are equal.",
    );
  }
}

/**
 * The last transaction: jobs that were running when the source was stopped become ready again, the
 * processes of the source are removed, and the target is marked complete.
 */
const finish = (target: TargetSide): Promise<void> =>
  target.transaction(async () => {
    await target.query(
      "update core_jobs set state = 'ready', lease_until = null, lease_token = null " +
        "where state = 'running'",
    );
    if ((await target.tables()).some(({ name }) => name === "core_nodes"))
      await target.query("delete from core_nodes");
    await target.query(`drop table ${move_table}`);
  });
