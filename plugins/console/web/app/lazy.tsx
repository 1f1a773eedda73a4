/** Shows a component that is loaded when it is first needed. */
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { api, offline, unreachable } from "../api/client";
import type { Session } from "../api/types";
import { common_strings as strings } from "../strings/common";
import { Button } from "../ui/button";
import { Empty, ErrorView, Skeleton } from "../ui/states";

type Load<P> = () => Promise<{ readonly default: ComponentType<P> }>;
const loaded = new Map<unknown, unknown>();

/** Loads it before it is needed. A failure is ignored: `Lazy` tries again and reports it. */
export function prefetch<P>(load: Load<P>): void {
  if (!loaded.has(load))
    void load().then(
      (module) => loaded.set(load, module.default),
      () => undefined,
    );
}

/** `props` are the component's own. */
export function Lazy<P extends object>({
  load,
  props,
}: {
  readonly load: Load<P>;
  readonly props: P;
}) {
  const [, setReady] = useState(0);
  const [failed, setFailed] = useState(false);
  const is_offline = unreachable.value;
  const Component = loaded.get(load) as ComponentType<P> | undefined;
  useEffect(() => {
    let is_mounted = true;
    setFailed(false);
    const show = () => {
      if (is_mounted) setReady((count) => count + 1);
    };
    if (!loaded.has(load))
      load().then(
        (module) => {
          loaded.set(load, module.default);
          show();
        },
        async () => {
          // Tells a chunk that is gone from a server that is.
          await api<Session>("/session").catch(() => undefined);
          if (is_mounted) setFailed(true);
        },
      );
    // The prefetch ended between the render and this effect.
    else if (!Component) show();
    return () => {
      is_mounted = false;
    };
    // When the server is back, it is loaded again.
  }, [load, is_offline]);
  if (Component) return <Component {...props} />;
  if (failed && is_offline) return <ErrorView error={offline()} />;
  // Most likely the chunk is gone, because the server has a newer build than this page.
  if (failed)
    return (
      <Empty
        icon="refresh"
        title={strings.stale_page}
        actions={
          <Button kind="primary" icon="refresh" onClick={() => location.reload()}>
            {strings.reload}
          </Button>
        }
      />
    );
  return <Skeleton rows={5} />;
}
