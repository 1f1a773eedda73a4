/** Shows a component that is loaded when it is first needed. */
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { common_strings as strings } from "../strings/common";
import { Button } from "../ui/button";
import { Empty, Skeleton } from "../ui/states";

type Load<P> = () => Promise<{ readonly default: ComponentType<P> }>;
const loaded = new Map<unknown, unknown>();

/** Fetches it ahead, so that it is there at once. A failure waits until it is really wanted. */
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
  const Component = loaded.get(load) as ComponentType<P> | undefined;
  useEffect(() => {
    let here = true;
    const show = () => {
      if (here) setReady((count) => count + 1);
    };
    if (!loaded.has(load))
      load().then(
        (module) => {
          loaded.set(load, module.default);
          show();
        },
        () => {
          if (here) setFailed(true);
        },
      );
    // It was fetched ahead, and came between drawing and this.
    else if (!Component) show();
    return () => {
      here = false;
    };
  }, [load]);
  if (Component) return <Component {...props} />;
  // A chunk that is not there any more: the server has a newer build than this page.
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
