/** The input for a question, with the folders and prompts to use for the answer. */
import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useFolders } from "../../api/queries";
import { Button } from "../../ui/button";
import { GrowingField } from "../../ui/growing-field";
import { Icon } from "../../ui/icons";
import { chat_strings as strings } from "../../strings/chat";
import { ScopeBar, type ScopeProps } from "./scope";
import { useUniqueId } from "../../ui/unique-id";

export interface ComposerProps extends ScopeProps {
  /** The initial text of the first question. */
  readonly initial_text: string | undefined;
  readonly onSend: (text: string) => Promise<void>;
  /** Set while an answer is being generated. */
  readonly onStop: (() => void) | undefined;
  readonly busy: boolean;
}

const isEmpty = ({ all, folders }: ComposerProps["scope"]): boolean => !all && folders.length === 0;

const text_max = 32_000;

/** The question field, the scope below it, and the button to ask or to stop. */
export function Composer({ initial_text, scope, onScope, onSend, onStop, busy }: ComposerProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [draft, setDraft] = useState("");
  const [is_scope_missing, setScopeMissing] = useState(false);
  const hint = useUniqueId();
  useInitialFocus(field);
  useEffect(() => {
    if (initial_text) setDraft((previous) => previous || initial_text);
  }, [initial_text]);
  const send = (event: Event) => {
    event.preventDefault();
    const text = draft.trim();
    if (text === "" || busy) return;
    if (isEmpty(scope)) return setScopeMissing(true);
    setDraft("");
    void onSend(text);
  };
  const sendOnEnter = (event: KeyboardEvent) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) send(event);
  };
  return (
    <form class="composer" onSubmit={send}>
      <IndexingNote scope={scope} />
      {is_scope_missing && isEmpty(scope) && (
        <p class="field-error" role="alert">
          <Icon name="alert" size={16} />
          {strings.needs_folder}
        </p>
      )}
      <div class="composer-card">
        <GrowingField
          field={field}
          class="composer-field"
          maxLength={text_max}
          aria-label={strings.ask_label}
          aria-describedby={hint}
          placeholder={strings.ask_placeholder}
          data-shortcut="/"
          value={draft}
          onInput={(event) => setDraft(event.currentTarget.value)}
          onKeyDown={sendOnEnter}
        />
        <div class="composer-foot">
          <ScopeBar scope={scope} onScope={onScope} />
          <SendOrStop blank={draft.trim() === ""} busy={busy} onStop={onStop} />
        </div>
      </div>
      <p id={hint} class="composer-hint">
        {strings.ask_hint}
      </p>
    </form>
  );
}

function SendOrStop({
  blank,
  busy,
  onStop,
}: Pick<ComposerProps, "busy" | "onStop"> & { readonly blank: boolean }) {
  if (onStop && blank)
    return (
      <Button icon="stop" onClick={onStop}>
        {strings.stop}
      </Button>
    );
  return (
    <Button kind="primary" type="submit" icon="arrow-up" disabled={blank} busy={busy}>
      {strings.ask}
    </Button>
  );
}

/** Not on a phone, where the keyboard would cover the conversation. */
function useInitialFocus(field: RefObject<HTMLTextAreaElement>): void {
  useEffect(() => {
    if (!matchMedia("(pointer: fine)").matches) return;
    const frame = requestAnimationFrame(() => field.current?.focus({ preventScroll: true }));
    return () => cancelAnimationFrame(frame);
  }, []);
}

/** Says which of the chosen folders can't answer yet. */
function IndexingNote({ scope: { all, folders: chosen } }: Pick<ComposerProps, "scope">) {
  const folders = useFolders();
  const covered =
    folders.data?.filter(
      ({ id, parentId }) =>
        all || chosen.includes(id) || (parentId !== null && chosen.includes(parentId)),
    ) ?? [];
  if (covered.length === 0) return null;
  const syncing = covered.reduce((sum, { status_counts }) => sum + status_counts.syncing, 0);
  const synced = covered.reduce((sum, { status_counts }) => sum + status_counts.synced, 0);
  if (syncing > 0)
    return (
      <p class="composer-note" role="status">
        <Icon name="clock" size={16} />
        {strings.indexing(syncing)}
      </p>
    );
  return synced === 0 ? (
    <p class="composer-note" role="status">
      <Icon name="info" size={16} />
      {strings.nothing_indexed}
    </p>
  ) : null;
}
