/** The host object of a plugin's module: calls, components, and notifications while it is shown. */
import type {
  ConsoleHost,
  PanelHost,
  PanelRecords,
  ShownHost,
  SignInHost,
} from "../../page-contract";
import { api, api_base } from "../api/client";
import { keys, queries } from "../api/queries";
import type { User } from "../api/types";
import { onChange } from "../app/live-updates";
import { themeInEffect } from "../app/theme";
import { componentsIn } from "./components";
import { ContentRoots } from "./content-roots";

/**
 * The time during which a plugin's page or panel is shown. Its cleanup functions run at the end; an
 * exception in one of them does not block navigation.
 */
export class Lifetime {
  private readonly clean_ups: (() => void)[] = [];
  private has_ended = false;

  readonly add = (cleanUp: () => void): void => {
    if (this.has_ended) run(cleanUp);
    else this.clean_ups.push(cleanUp);
  };

  /** Runs every cleanup function; what is added later runs at once. */
  end(): void {
    this.has_ended = true;
    for (const cleanUp of this.clean_ups.splice(0)) run(cleanUp);
  }
}

function run(work: () => void): void {
  try {
    work();
  } catch (error) {
    reportError(error);
  }
}

function shownHost(lifetime: Lifetime): ShownHost {
  const roots = new ContentRoots();
  lifetime.add(() => roots.clear());
  return {
    api: (path, init) => fetch(`${api_base}${path}`, { credentials: "same-origin", ...init }),
    call: (path, options) => api(path, options),
    theme: themeInEffect,
    onLeave: lifetime.add,
    ui: componentsIn(roots),
  };
}

/** What the host of a page needs from the component that mounts it. */
export interface SignedIn {
  readonly user: User;
  readonly navigate: (path: string) => void;
}

/** The host of a plugin's page. */
export const consoleHost = (lifetime: Lifetime, { user, navigate }: SignedIn): ConsoleHost => ({
  ...shownHost(lifetime),
  navigate,
  user: { id: user.id, email: user.email, role: user.role },
  onChange: (listener) => lifetime.add(onChange((change) => run(() => listener(change)))),
});

/** The record of the page, which is refetched while the panel is shown. */
export class ShownRecord<R> {
  private readonly listeners = new Set<(record: R) => void>();

  constructor(private current: R) {}

  /** Sets the record and calls the listeners if it is another object. */
  update(record: R): void {
    if (record === this.current) return;
    this.current = record;
    for (const listener of this.listeners) run(() => listener(record));
  }

  readonly read = (): R => this.current;

  /** Returns a function that removes the listener. */
  listen(listener: (record: R) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

/** The host of a panel on the page of a record. */
export const panelHost = <W extends keyof PanelRecords>(
  lifetime: Lifetime,
  signed_in: SignedIn,
  record: ShownRecord<PanelRecords[W]>,
): PanelHost<PanelRecords[W]> => ({
  ...consoleHost(lifetime, signed_in),
  record: record.read,
  onRecord: (listener) => lifetime.add(record.listen(listener)),
});

/** The host of a panel of the sign-in page. */
export const signInHost = (lifetime: Lifetime): SignInHost => ({
  ...shownHost(lifetime),
  signedIn: () => queries.invalidateQueries({ queryKey: keys.session }),
});
