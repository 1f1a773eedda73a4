/** Toasts: short messages at the edge of the window, often with an undo. */
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { problemOf } from "../api/client";
import { common_strings as strings } from "../strings/common";
import { Button, IconButton } from "./button";

/** A toast disappears after 5 s, or after 10 s if it has an action. */
export interface ToastOptions {
  readonly text: string;
  readonly tone?: "plain" | "bad";
  /** Such as "Undo". The toast closes when it is used. */
  readonly action?: { readonly label: string; readonly run: () => void };
}
interface Shown extends ToastOptions {
  readonly id: number;
}

const visible = signal<readonly Shown[]>([]);
let last_id = 0;

/** Shows a message. Returns a function that removes it early. */
export function toast(options: ToastOptions): () => void {
  const id = ++last_id;
  visible.value = [...visible.value.slice(-2), { id, ...options }];
  const timer = setTimeout(() => close(id), options.action ? 10_000 : 5_000);
  return () => {
    clearTimeout(timer);
    close(id);
  };
}

/** Reports the failure of an action where no form can show it. */
export function toastError(error: unknown): void {
  toast({ text: problemOf(error).sentence, tone: "bad" });
}

const close = (id: number) => {
  visible.value = visible.value.filter((entry) => entry.id !== id);
};

/** The container of toasts. A popover, because that is shown above dialogs too. */
export function Toasts() {
  const region = useRef<HTMLDivElement>(null);
  const { value } = visible;
  useEffect(() => {
    const element = region.current!;
    if (element.matches(":popover-open")) element.hidePopover();
    if (value.length > 0) element.showPopover();
  }, [value]);
  return (
    <div ref={region} popover="manual" class="toasts" role="status" aria-label={strings.messages}>
      {value.map(({ id, text, tone, action }) => (
        <div key={id} class={`toast${tone === "bad" ? " toast-bad" : ""}`}>
          <span class="grow">{text}</span>
          {action && (
            <Button
              small
              onClick={() => {
                close(id);
                action.run();
              }}
            >
              {action.label}
            </Button>
          )}
          <IconButton label={strings.dismiss} icon="close" small onClick={() => close(id)} />
        </div>
      ))}
    </div>
  );
}
