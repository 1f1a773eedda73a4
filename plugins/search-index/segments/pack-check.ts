/** The health check of packs: whether each is what its segments yield. */
import { counted } from "../../../core/lib/counted";
import type { Context, Db } from "../../../core/sdk";
import { ok, type CheckResult, type SystemCheck } from "../../doctor/contract";
import { deletePacks } from "../deletion-store";
import { findSegment } from "../store";
import { no_pauses } from "../workers/worker-protocol";
import { buildPack, type BuiltPack, type PackMember } from "./pack";
import { countPacks, findPack, listPacks } from "./pack-store";
import { fromStoredOrNull } from "./stored-segment";

/** Ids per read. */
const page_size = 500;

/** `deep` builds every pack again to compare it; the repair deletes those that differ. */
export class PackCheck implements SystemCheck {
  readonly name = "Index packs";
  /** Found by `deep`, for `mend`. */
  private damaged: readonly number[] = [];

  constructor(private readonly ctx: Pick<Context, "db" | "inDeletion">) {}

  readonly run = async (): Promise<CheckResult> =>
    ok(`${counted(await countPacks(this.ctx.db), "pack")}; dossier doctor --deep compares them.`);

  readonly deep = async (say: (progress: string) => void): Promise<CheckResult> => {
    const { db } = this.ctx;
    const damaged: number[] = [];
    let count = 0;
    for (let after = -1; ;) {
      const ids = await listPacks(db, after, page_size);
      for (const id of ids) {
        if (!(await isAsBuilt(db, id))) damaged.push(id);
        say(`${counted(++count, "pack")} so far`);
      }
      if (ids.length < page_size) break;
      after = ids.at(-1)!;
    }
    this.damaged = damaged;
    if (damaged.length === 0) return ok(`${counted(count, "pack")}, none damaged.`);
    return {
      status: "fail",
      detail:
        `${counted(damaged.length, "pack is", "packs are")} damaged. Searches may leave ` +
        "documents out, or find wrong passages.",
      fix: "Delete what is damaged: dossier doctor --deep --fix. Searches work without it.",
    };
  };

  readonly mend = async (): Promise<string> => {
    const { damaged, ctx } = this;
    await ctx.inDeletion((tx) => deletePacks(tx, damaged));
    return `${counted(damaged.length, "pack was", "packs were")} deleted. Searches make new ones.`;
  };
}

/** True as well for a pack that was deleted meanwhile. */
async function isAsBuilt(db: Db, id: number): Promise<boolean> {
  const stored = await findPack(db, id);
  if (stored === undefined) return true;
  const members: PackMember[] = [];
  for (const segment_id of stored.segment_ids) {
    const row = await findSegment(db, segment_id);
    const segment = row && fromStoredOrNull(row.data.slice());
    if (segment) members.push({ id: segment_id, segment });
  }
  const is_whole = members.length === stored.segment_ids.length;
  if (is_whole && isSame(stored, await buildPack(members, no_pauses))) return true;
  return (await findPack(db, id)) === undefined;
}

const isSame = (stored: BuiltPack, built: BuiltPack): boolean =>
  isEqual(stored.head, built.head) &&
  stored.parts.length === built.parts.length &&
  stored.parts.every((part, at) => isEqual(part, built.parts[at]!));
const isEqual = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;
