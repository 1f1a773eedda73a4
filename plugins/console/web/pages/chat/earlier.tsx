/** Fetches earlier questions as somebody scrolls up to them; a button does it where that failed. */
import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../ui/button";
import { chat_strings as strings } from "../../strings/chat";

/** They are fetched when the first one is so near. */
const ahead = "800px 0px 0px";

/** `first`: the first question that is there. `onEarlier` fails for nobody to see. */
export function Earlier({
  first,
  onEarlier,
}: {
  readonly first: string | undefined;
  readonly onEarlier: () => Promise<unknown>;
}) {
  const place = useRef<HTMLDivElement>(null);
  const [busy, setBusy] = useState(false);
  const fetch = async () => {
    setBusy(true);
    await onEarlier();
    setBusy(false);
  };
  // Looks anew after each fetch: what came may be short.
  useEffect(() => {
    const observer = new IntersectionObserver(
      ([seen]) => {
        if (seen!.isIntersecting) void fetch();
      },
      { root: place.current!.closest(".chat-log"), rootMargin: ahead },
    );
    observer.observe(place.current!);
    return () => observer.disconnect();
  }, [first]);
  return (
    <div ref={place} class="chat-earlier">
      <Button small busy={busy} onClick={() => void fetch()}>
        {strings.earlier}
      </Button>
    </div>
  );
}
