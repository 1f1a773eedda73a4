/** Fetches earlier questions when the user scrolls up to them; after a failure a button does it. */
import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../ui/button";
import { chat_strings as strings } from "../../strings/chat";

/** They are fetched when the first one is this close. */
const root_margin = "800px 0px 0px";

/** `first`: the first loaded question. A failure of `onEarlier` is not shown here. */
export function Earlier({
  first,
  onEarlier,
}: {
  readonly first: string | undefined;
  readonly onEarlier: () => Promise<unknown>;
}) {
  const element = useRef<HTMLDivElement>(null);
  const [busy, setBusy] = useState(false);
  const fetch = async () => {
    setBusy(true);
    await onEarlier();
    setBusy(false);
  };
  // Checks again after each fetch: the new part may be short.
  useEffect(() => {
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry!.isIntersecting) void fetch();
      },
      { root: element.current!.closest(".chat-log"), rootMargin: root_margin },
    );
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, [first]);
  return (
    <div ref={element} class="chat-earlier">
      <Button small busy={busy} onClick={() => void fetch()}>
        {strings.earlier}
      </Button>
    </div>
  );
}
