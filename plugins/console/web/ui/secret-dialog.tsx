/** Shows a secret once: the dialog asks before it is closed uncopied. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Button } from "./button";
import { Secret } from "./copy";
import { Dialog } from "./dialog";
import { Note } from "./note";

interface SecretStrings {
  readonly once_title: string;
  readonly once_text: string;
  readonly once_label: string;
  readonly once_done: string;
  readonly once_leave: string;
  readonly once_leave_text: string;
  readonly once_leave_action: string;
  readonly once_back: string;
}

interface SecretDialogProps {
  readonly strings: SecretStrings;
  readonly secret: string;
  readonly wide?: boolean;
  readonly onClose: () => void;
  /** Content below the secret; `onCopied` is for further ways to copy it. */
  readonly children: (onCopied: () => void) => ComponentChildren;
}

/** The secret with a copy button, and the caller's content below it. */
export function SecretDialog({
  strings,
  secret,
  wide = false,
  onClose,
  children,
}: SecretDialogProps) {
  const [copied, setCopied] = useState(false);
  const [leaving, setLeaving] = useState(false);
  const onCopied = () => setCopied(true);
  const leave = () => {
    if (copied) onClose();
    else setLeaving(true);
  };
  return (
    <Dialog
      title={strings.once_title}
      onClose={leave}
      sticky
      wide={wide}
      foot={
        leaving ? (
          <>
            <Button onClick={() => setLeaving(false)}>{strings.once_back}</Button>
            <Button kind="danger-solid" onClick={onClose}>
              {strings.once_leave_action}
            </Button>
          </>
        ) : (
          <Button kind="primary" onClick={onClose}>
            {strings.once_done}
          </Button>
        )
      }
    >
      {leaving ? (
        <Note tone="bad" title={strings.once_leave} live>
          {strings.once_leave_text}
        </Note>
      ) : (
        <Note tone="warn">{strings.once_text}</Note>
      )}
      <Secret label={strings.once_label} text={secret} onCopied={onCopied} />
      {children(onCopied)}
    </Dialog>
  );
}
