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
import { Leaving } from "./host";

/** After this time a notice says that the plugin does not respond; it may still render later. */
const slow_ms = 5_000;
/**
 * The start time of each module that is mounting right now, stored beyond the life of the tab: one
 * that blocked the tab is not mounted again automatically.
 */
const running_key = (module: string): string => `dossier.mounting ${module}`;
/** Another tab may be mounting it right now. */
const stuck_ms = 3_000;
const running = new Set<string>();
function noteRunning(module: string, runs: boolean): void {
  if (runs) {
    running.add(module);
    localStorage.setItem(running_key(module), String(Date.now()));
  } else {
    running.delete(module);
    localStorage.removeItem(running_key(module));
  }
}
const wasStuck = (module: string): boolean => {
  const began = localStorage.getItem(running_key(module));
  return began !== null && !running.has(module) && Date.now() - Number(began) > stuck_ms;
};
// A page that was left has not hung.
addEventListener("pagehide", () => {
  for (const module of running) noteRunning(module, false);
});

type State = "mounting" | "slow" | "shown" | "stuck" | { readonly fault: unknown };

interface MountedProps<H> {
  readonly plugin: string;
  /** The path of the module. */
  readonly module: string;
  readonly hostOf: (leaving: Leaving) => H;
}

export function Mounted<H extends ShownHost>({ plugin, module, hostOf }: MountedProps<H>) {
  const root = useRef<HTMLDivElement>(null);
  const [attempt, setAttempt] = useState(0);
  const [state, setState] = useState<State>(wasStuck(module) ? "stuck" : "mounting");
  const [mistake, setMistake] = useState<string | null>(null);
  useEffect(() => {
    if (state === "stuck") return undefined;
    const leaving = new Leaving();
    const slow = setTimeout(() => setState("slow"), slow_ms);
    leaving.add(() => clearTimeout(slow));
    leaving.add(watchMistakes(module, setMistake));
    let is_mounted = true;
    mount(root.current!, module, hostOf(leaving), leaving)
      .then(
        () => is_mounted && setState("shown"),
        (fault: unknown) => is_mounted && setState({ fault }),
      )
      .finally(() => clearTimeout(slow));
    return () => {
      is_mounted = false;
      leaving.leave();
      root.current?.replaceChildren();
    };
  }, [module, attempt]);
  const retry = () => {
    setMistake(null);
    setState("mounting");
    setAttempt(attempt + 1);
  };
  const failed = typeof state === "object" || state === "stuck";
  return (
    <>
      {state === "mounting" && <Skeleton rows={3} />}
      <Notes plugin={plugin} state={state} mistake={mistake} onRetry={retry} />
      <div ref={root} class="plugin-page stack" hidden={failed} />
    </>
  );
}

async function mount<H>(
  root: HTMLElement,
  module: string,
  host: H,
  leaving: Leaving,
): Promise<void> {
  noteRunning(module, true);
  let mounted: unknown;
  try {
    const loaded = (await import(module)) as MountedModule<H>;
    if (typeof loaded.default?.mount !== "function") throw new Error(strings.no_module);
    mounted = loaded.default.mount(root, host);
  } finally {
    noteRunning(module, false);
  }
  const cleanUp = await mounted;
  if (typeof cleanUp === "function") leaving.add(cleanUp as () => void);
}

/** Reports later, asynchronous errors of the module. */
function watchMistakes(module: string, tell: (message: string) => void): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  const isOfModule = (place: string | undefined) => place?.includes(module) ?? false;
  addEventListener(
    "error",
    ({ filename, message }) => {
      if (isOfModule(filename)) tell(message);
    },
    { signal },
  );
  addEventListener(
    "unhandledrejection",
    ({ reason }) => {
      if (reason instanceof Error && isOfModule(reason.stack)) tell(reason.message);
    },
    { signal },
  );
  return () => ending.abort();
}

function Notes({
  plugin,
  state,
  mistake,
  onRetry,
}: {
  readonly plugin: string;
  readonly state: State;
  readonly mistake: string | null;
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
  return mistake === null ? null : <Note tone="bad">{strings.mistake(plugin, mistake)}</Note>;
}
