/** The work that imports leave for later. */
import { job, t } from "../../core/sdk";

/** Finds out what a run has to import. */
export const ListItems = job("imports.list", t.Object({ run_id: t.String() }));
/** Imports some items of one host; each host of a run has at most one such job. */
export const ImportItems = job("imports.items", t.Object({ run_id: t.String(), host: t.String() }));
/** Begins a run when its time has come. */
export const Tick = job("imports.tick", t.Object({ schedule_id: t.String(), at: t.Integer() }));
/** Forgets runs that ended long ago. */
export const Prune = job("imports.prune", t.Object({}));
