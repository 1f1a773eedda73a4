/** A question, and the form to rephrase it. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button, IconButton } from "../../ui/button";
import { GrowingField } from "../../ui/growing-field";
import { chat_strings as strings } from "../../strings/chat";

const text_max = 32_000;

/** `onAsk` asks the new question at the end of the conversation. */
export function Question({
  text,
  onAsk,
}: {
  readonly text: string;
  readonly onAsk?: (text: string) => Promise<void>;
}) {
  const [editing, setEditing] = useState(false);
  const opener = useRef<HTMLDivElement>(null);
  const close = () => {
    setEditing(false);
    requestAnimationFrame(() => opener.current?.querySelector("button")?.focus());
  };
  if (editing && onAsk)
    return (
      <EditedQuestion
        text={text}
        onCancel={close}
        onAsk={(next) => {
          setEditing(false);
          void onAsk(next);
        }}
      />
    );
  return (
    <div ref={opener} class="question-row">
      {onAsk && (
        <IconButton
          small
          class="question-edit"
          icon="edit"
          label={strings.edit_question}
          onClick={() => setEditing(true)}
        />
      )}
      <h2 class="question">
        <span class="vh">{strings.you}: </span>
        {text}
      </h2>
    </div>
  );
}

function EditedQuestion({
  text,
  onAsk,
  onCancel,
}: {
  readonly text: string;
  readonly onAsk: (text: string) => void;
  readonly onCancel: () => void;
}) {
  const [draft, setDraft] = useState(text);
  const field = useRef<HTMLTextAreaElement>(null);
  const blank = draft.trim() === "";
  useLayoutEffect(() => {
    field.current!.focus({ preventScroll: true });
    field.current!.setSelectionRange(text.length, text.length);
  }, []);
  const ask = (event: Event) => {
    event.preventDefault();
    if (!blank) onAsk(draft.trim());
  };
  return (
    <form class="question-form" onSubmit={ask}>
      <GrowingField
        field={field}
        class="input"
        maxLength={text_max}
        aria-label={strings.edited_question}
        value={draft}
        onInput={(event) => setDraft(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") onCancel();
          if (event.key === "Enter" && !event.shiftKey && !event.isComposing) ask(event);
        }}
      />
      <div class="question-buttons">
        <p class="small muted">{strings.edit_hint}</p>
        <Button small kind="ghost" onClick={onCancel}>
          {strings.cancel}
        </Button>
        <Button small kind="primary" type="submit" disabled={blank}>
          {strings.ask}
        </Button>
      </div>
    </form>
  );
}
