/**
 * Dialogs and drawers on the native `<dialog>`: it keeps the focus inside, closes on Escape and
 * gives the focus back.
 */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { ApiProblem } from "../api/client";
import { common_strings as strings } from "../strings/common";
import { Button, IconButton } from "./button";
import { TextField } from "./field";
import { Problem } from "./note";
import { useUniqueId } from "./unique-id";

interface ModalProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/**
 * The focused element before each dialog. A dialog opened from another one returns the focus to
 * where it was before the first.
 */
const openers = new WeakMap<Element, Element | null>();
function openerNow(): Element | null {
  const outer_dialog = document.activeElement?.closest("dialog");
  return outer_dialog ? (openers.get(outer_dialog) ?? null) : document.activeElement;
}

/**
 * Shows the element as a modal while it is mounted. `onClose` is called on Escape and on a click
 * outside.
 */
function useModal(onClose: () => void) {
  const ref = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = ref.current!;
    const opener = openerNow();
    openers.set(dialog, opener);
    if (!dialog.open) dialog.showModal();
    // Closing it before removal returns the focus, unless the element that had it is gone.
    return () => {
      dialog.close();
      const is_focus_lost =
        document.activeElement === document.body || dialog.contains(document.activeElement);
      if (is_focus_lost && opener instanceof HTMLElement && opener.isConnected)
        opener.focus({ preventScroll: true });
    };
  }, []);
  return {
    ref,
    onCancel: (event: Event) => {
      if (event.target !== ref.current) return;
      event.preventDefault();
      onClose();
    },
    onPointerDown: (event: PointerEvent) => {
      if (event.target === ref.current) onClose();
    },
  };
}

/**
 * `foot` holds the buttons. `wide`: 720 instead of 520 px. `sticky`: a click outside does not close
 * it.
 */
export function Dialog({
  title,
  onClose,
  children,
  foot,
  wide,
  sticky,
}: ModalProps & {
  readonly foot?: ComponentChildren;
  readonly wide?: boolean;
  readonly sticky?: boolean;
}) {
  const { onPointerDown, ...modal } = useModal(onClose);
  const id = useUniqueId();
  return (
    <dialog
      {...modal}
      class={`dialog${wide ? " dialog-wide" : ""}`}
      aria-labelledby={id}
      onPointerDown={sticky ? undefined : onPointerDown}
    >
      <div class="dialog-head">
        <h2 id={id}>{title}</h2>
        {!sticky && <IconButton label={strings.close} icon="close" small onClick={onClose} />}
      </div>
      <div class="dialog-body stack">{children}</div>
      {foot && <div class="dialog-foot">{foot}</div>}
    </dialog>
  );
}

/** A panel at the edge of the window. */
export function Drawer({
  title,
  onClose,
  children,
  side = "end",
}: ModalProps & { readonly side?: "start" | "end" }) {
  const modal = useModal(onClose);
  const id = useUniqueId();
  return (
    <dialog {...modal} class={`drawer drawer-${side}`} aria-labelledby={id}>
      <div class="card-head">
        <h2 id={id} class="clip">
          {title}
        </h2>
        <IconButton label={strings.close} icon="close" small onClick={onClose} />
      </div>
      <div class="drawer-body">{children}</div>
    </dialog>
  );
}

interface FormDialogProps extends ModalProps {
  readonly submit_label: string;
  readonly danger?: boolean;
  readonly wide?: boolean;
  readonly disabled?: boolean;
  /** Closes on success; an error is shown in the dialog, which stays open. */
  readonly onSubmit: () => Promise<unknown>;
  /** Fields whose errors are shown beside the field: `["/name"]`. */
  readonly field_pointers?: readonly string[];
  readonly onProblem?: (problem: ApiProblem | null) => void;
}

/** A dialog that is a form: Enter submits, Escape cancels, errors are shown above the buttons. */
export function FormDialog({
  title,
  onClose,
  children,
  submit_label,
  danger,
  wide,
  disabled,
  onSubmit,
  field_pointers = [],
  onProblem,
}: FormDialogProps) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);
  const form = useUniqueId();
  const send = async (event: Event) => {
    event.preventDefault();
    if (busy || disabled) return;
    setBusy(true);
    setProblem(null);
    onProblem?.(null);
    try {
      await onSubmit();
      onClose();
    } catch (error) {
      setProblem(error);
      if (error instanceof ApiProblem) onProblem?.(error);
      setBusy(false);
    }
  };
  const is_beside_field =
    problem instanceof ApiProblem && field_pointers.some((pointer) => problem.at(pointer));
  return (
    <Dialog
      title={title}
      onClose={onClose}
      wide={wide ?? false}
      foot={
        <>
          <Button onClick={onClose}>{strings.cancel}</Button>
          <Button
            type="submit"
            form={form}
            kind={danger ? "danger-solid" : "primary"}
            busy={busy}
            disabled={disabled ?? false}
          >
            {submit_label}
          </Button>
        </>
      }
    >
      <form id={form} class="stack" onSubmit={send} noValidate>
        {children}
        {problem !== null && !is_beside_field && <Problem error={problem} />}
      </form>
    </Dialog>
  );
}

/** Asks for confirmation. With `typed_name` the name must be typed. */
export function ConfirmDialog({
  title,
  children,
  confirm_label,
  typed_name,
  onConfirm,
  onClose,
}: ModalProps & {
  readonly confirm_label: string;
  readonly typed_name?: string;
  readonly onConfirm: () => Promise<unknown>;
}) {
  const [typed, setTyped] = useState("");
  const ready = typed_name === undefined || typed.trim() === typed_name.trim();
  return (
    <FormDialog
      title={title}
      onClose={onClose}
      submit_label={confirm_label}
      danger
      disabled={!ready}
      onSubmit={onConfirm}
    >
      <div class="stack-small">{children}</div>
      {typed_name !== undefined && (
        <TextField
          label={strings.type_name(typed_name)}
          value={typed}
          onValue={setTyped}
          autofocus
          spellcheck={false}
        />
      )}
    </FormDialog>
  );
}
