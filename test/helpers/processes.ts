/**
 * Several simulated processes on one database, within the process of the test: they communicate
 * only by facts and messages.
 */
import { SQL } from "bun";
import { LocalNotifier, type Notifier } from "../../core/base/notifier";
import { jsonLog } from "../../core/base/log";
import { Presence } from "../../core/shared/presence";
import { DistributedShared } from "../../core/shared/shared";
import { PostgresState } from "../../core/store/postgres/postgres-state";
import { LocalState, type SharedState } from "../../core/store/shared-state";

/** What one simulated process shares with the others. */
export interface Process {
  readonly id: string;
  readonly shared: DistributedShared;
  readonly state: SharedState;
  readonly notifier: Hub;
}
/** All simulated processes. */
export interface Processes extends AsyncDisposable {
  readonly all: readonly Process[];
  /** The processes that others consider alive. */
  readonly alive: Set<string>;
  /** Messages between processes are lost from now on. */
  loseMessages(): void;
}

/** Messages arrive at the other processes a moment later. */
class Hub extends LocalNotifier {
  readonly other_hubs: Hub[] = [];
  is_deaf = false;

  override publish: Notifier["publish"] = (about, key, message) => {
    super.publish(about, key, message);
    for (const other of this.other_hubs)
      setImmediate(() => {
        if (!other.is_deaf) other.deliver(about.id, key, message, false);
      });
  };
}

const log = jsonLog("error", () => undefined);

/** `url`: a database with the tables of core; without one, facts are in memory. */
export function processesOn(url: string | null, count = 3): Processes {
  const memory = new LocalState(Date.now);
  const states: PostgresState[] = [];
  const stateOf = (): SharedState => {
    if (url === null) return memory;
    const options = { url, connections: 1, statement_ms_max: 10_000 };
    const state = new PostgresState(options, log);
    states.push(state);
    return state;
  };
  const alive = new Set<string>();
  const hubs = Array.from({ length: count }, () => new Hub());
  for (const hub of hubs) hub.other_hubs.push(...hubs.filter((other) => other !== hub));
  const all = hubs.map((notifier, at): Process => {
    const id = `node_${at}`;
    alive.add(id);
    const presence = new Presence({ id, alive: async () => new Set(alive), notifier });
    const state = stateOf();
    return { id, state, notifier, shared: new DistributedShared({ state, presence, notifier }) };
  });
  return {
    all,
    alive,
    loseMessages: () => {
      for (const hub of hubs) hub.is_deaf = true;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(states.map((state) => state.close()));
    },
  };
}

/** A database on this server with an empty table of facts; returns its address. */
export async function databaseOfFacts(server_url: string, name: string): Promise<string> {
  const admin = new SQL(server_url, { max: 1 });
  await admin.unsafe(`create database ${name}`);
  await admin.close();
  const url = new URL(server_url);
  url.pathname = `/${name}`;
  const database = new SQL(url.href, { max: 1 });
  await database.unsafe(
    "create table core_shared (scope text, name text, value text not null, " +
      "version bigint not null, until_ms bigint not null, primary key (scope, name))",
  );
  await database.close();
  return url.href;
}
