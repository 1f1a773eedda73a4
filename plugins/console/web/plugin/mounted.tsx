/**
 * Mounts and unmounts a plugin's module in the page. If it throws, or hangs, a card with the
 * plugin's name appears and the rest of the page keeps working.
 */
import { useEffect, useRef, useState } from "preact/hooks";
import type { MountedModule, ShownHost } from "../../page-contract";
import { problemOf } from "../api/client";
import { Button } from "../ui/button";
import { Note } from "../ui/note";
import { Skeleton } from "../ui/states";
import { common_strings } from "../strings/common";
import { part_strings as strings } from "../strings/plugin-parts";
import { Lifetime } from "./host";

/** After this time a notice says that the plugin does not respond; it may still render later. */
const slow_ms = 5_000;
/**
 * The start time of each module that is mounting right now, stored beyond the life of the tab: one
 * that blocked the tab is not mounted again automatically.
 */
const mounting_key = (module: string): string => `dossier.mounting ${module}`;
/** Another tab may be mounting it right now. */
const stuck_ms = 3_000;
const mounting_modules = new Set<string>();
function noteMounting(module: string, is_mounting: boolean): void {
  if (is_mounting) {
    mounting_modules.add(module);
    localStorage.setItem(mounting_key(module), String(Date.now()));
  } else {
    mounting_modules.delete(module);
    localStorage.removeItem(mounting_key(module));
  }
}
const wasStuck = (module: string): boolean => {
  const began = localStorage.getItem(mounting_key(module));
  return began !== null && !mounting_modules.has(module) && Date.now() - Number(began) > stuck_ms;
};
// A page that was left has not hung.
addEventListener("pagehide", () => {
  for (const module of mounting_modules) noteMounting(module, false);
});

type State = "mounting" | "slow" | "shown" | "stuck" | { readonly fault: unknown };

interface MountedProps<H> {
  readonly plugin: string;
  /** The path of the module. */
  readonly module: string;
  readonly hostOf: (lifetime: Lifetime) => H;
}

/** The element that a module fills, and notes about what went wrong. */
export function Mounted<H extends ShownHost>({ plugin, module, hostOf }: MountedProps<H>) {
  const root = useRef<HTMLDivElement>(null);
  const [attempt, setAttempt] = useState(0);
  const [state, setState] = useState<State>(wasStuck(module) ? "stuck" : "mounting");
  const [late_error, setLateError] = useState<string | null>(null);
  useEffect(() => {
    if (state === "stuck") return undefined;
    const lifetime = new Lifetime();
    const slow = setTimeout(() => setState("slow"), slow_ms);
    lifetime.add(() => clearTimeout(slow));
    lifetime.add(watchLateErrors(module, setLateError));
    let is_mounted = true;
    mount(root.current!, module, hostOf(lifetime), lifetime)
      .then(
        () => is_mounted && setState("shown"),
        (fault: unknown) => is_mounted && setState({ fault }),
      )
      .finally(() => clearTimeout(slow));
    return () => {
      is_mounted = false;
      lifetime.end();
      root.current?.replaceChildren();
    };
  }, [module, attempt]);
  const retry = () => {
    setLateError(null);
    setState("mounting");
    setAttempt(attempt + 1);
  };
  const failed = typeof state === "object" || state === "stuck";
  return (
    <>
      {state === "mounting" && <Skeleton rows={3} />}
      <Notes plugin={plugin} state={state} late_error={late_error} onRetry={retry} />
      <div ref={root} class="plugin-page stack" hidden={failed} />
    </>
  );
}

async function mount<H>(
  root: HTMLElement,
  module: string,
  host: H,
  lifetime: Lifetime,
): Promise<void> {
  noteMounting(module, true);
  let mounted: unknown;
  try {
    const loaded = (await import(module)) as MountedModule<H>;
    if (typeof loaded.default?.mount !== "function") throw new Error(strings.no_module);
    mounted = loaded.default.mount(root, host);
  } finally {
    noteMounting(module, false);
  }
  const cleanUp = await mounted;
  if (typeof cleanUp === "function") lifetime.add(cleanUp as () => void);
}

/** Reports later, asynchronous errors of the module. */
function watchLateErrors(module: string, onError: (message: string) => void): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  const isOfModule = (place: string | undefined) => place?.includes(module) ?? false;
  addEventListener(
    "error",
    ({ filename, message }) => {
      if (isOfModule(filename)) onError(message);
    },
    { signal },
  );
  addEventListener(
    "unhandledrejection",
    ({ reason }) => {
      if (reason instanceof Error && isOfModule(reason.stack)) onError(reason.message);
    },
    { signal },
  );
  return () => ending.abort();
}

function Notes({
  plugin,
  state,
  late_error,
  onRetry,
}: {
  readonly plugin: string;
  readonly state: State;
  readonly late_error: string | null;
  readonly onRetry: () => void;
}) {
  const retry_link = (
    <Button small icon="refresh" onClick={onRetry}>
      {common_strings.try_again}
    </Button>
  );
  if (state === "stuck")
    return (
      <Note tone="bad" title={strings.stuck_title(plugin)} actions={retry_link}>
        {strings.stuck_text}
      </Note>
    );
  if (state === "slow")
    return (
      <Note tone="warn" title={strings.slow_title(plugin)}>
        {strings.slow_text}
      </Note>
    );
  if (typeof state === "object")
    return (
      <Note tone="bad" title={strings.fault_title(plugin)} actions={retry_link} live>
        {problemOf(state.fault).sentence}
      </Note>
    );
  return late_error === null ? null : <Note tone="bad">{strings.mistake(plugin, late_error)}</Note>;
}
