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

/** Cleanup when it is left; an exception there does not block navigation. */
export class Leaving {
  private readonly works: (() => void)[] = [];
  private is_gone = false;

  readonly add = (work: () => void): void => {
    if (this.is_gone) run(work);
    else this.works.push(work);
  };

  leave(): void {
    this.is_gone = true;
    for (const work of this.works.splice(0)) run(work);
  }
}

function run(work: () => void): void {
  try {
    work();
  } catch (error) {
    reportError(error);
  }
}

function shownHost(leaving: Leaving): ShownHost {
  const roots = new ContentRoots();
  leaving.add(() => roots.clear());
  return {
    api: (path, init) => fetch(`${api_base}${path}`, { credentials: "same-origin", ...init }),
    call: (path, options) => api(path, options),
    theme: themeInEffect,
    onLeave: leaving.add,
    ui: componentsIn(roots),
  };
}

export interface SignedIn {
  readonly user: User;
  readonly navigate: (path: string) => void;
}

export const consoleHost = (leaving: Leaving, { user, navigate }: SignedIn): ConsoleHost => ({
  ...shownHost(leaving),
  navigate,
  user: { id: user.id, email: user.email, role: user.role },
  onChange: (listener) => leaving.add(onChange((change) => run(() => listener(change)))),
});

/** The record of the page, which is refetched while the panel is shown. */
export class ShownRecord<R> {
  private readonly listeners = new Set<(record: R) => void>();

  constructor(private now: R) {}

  update(record: R): void {
    if (record === this.now) return;
    this.now = record;
    for (const listener of this.listeners) run(() => listener(record));
  }

  readonly read = (): R => this.now;

  listen(listener: (record: R) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

export const panelHost = <W extends keyof PanelRecords>(
  leaving: Leaving,
  signed_in: SignedIn,
  record: ShownRecord<PanelRecords[W]>,
): PanelHost<PanelRecords[W]> => ({
  ...consoleHost(leaving, signed_in),
  record: record.read,
  onRecord: (listener) => leaving.add(record.listen(listener)),
});

export const signInHost = (leaving: Leaving): SignInHost => ({
  ...shownHost(leaving),
  signedIn: () => queries.invalidateQueries({ queryKey: keys.session }),
});
