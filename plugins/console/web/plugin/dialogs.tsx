/**
 * Dialogs that plugins open: each resolves once, and is closed when its part of the page is
 * removed.
 */
import type { ComponentChildren } from "preact";
import type { ConsoleComponents, DialogOptions } from "../../page-contract";
import { ConfirmDialog, Dialog, FormDialog } from "../ui/dialog";
import { Place, type ContentRoots } from "./content-roots";

/** `true` if `confirmed` was called before `close`. */
function open(
  roots: ContentRoots,
  dialogOf: (close: () => void, confirmed: () => void) => ComponentChildren,
): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  let is_confirmed = false;
  const root = roots.show(
    dialogOf(
      () => {
        roots.remove(root);
        resolve(is_confirmed);
      },
      () => (is_confirmed = true),
    ),
    document.body,
  );
  return promise;
}

/** Opens a dialog. Resolves with whether `onSubmit` has succeeded. */
export const dialogIn = (
  roots: ContentRoots,
  { title, content, submit, danger, wide, onSubmit }: DialogOptions,
): Promise<boolean> =>
  open(roots, (close, confirmed) =>
    submit === undefined ? (
      <Dialog title={title} onClose={close} wide={wide ?? false}>
        <Place content={content} />
      </Dialog>
    ) : (
      <FormDialog
        title={title}
        onClose={close}
        submit_label={submit}
        danger={danger ?? false}
        wide={wide ?? false}
        onSubmit={async () => {
          await onSubmit?.();
          confirmed();
        }}
      >
        <Place content={content} />
      </FormDialog>
    ),
  );

/** Asks for confirmation. Resolves with whether it was given. */
export const confirmIn = (
  roots: ContentRoots,
  { title, text, submit, danger }: Parameters<ConsoleComponents["confirm"]>[0],
): Promise<boolean> =>
  danger
    ? open(roots, (close, confirmed) => (
        <ConfirmDialog
          title={title}
          confirm_label={submit}
          onClose={close}
          onConfirm={async () => confirmed()}
        >
          <Place content={text} />
        </ConfirmDialog>
      ))
    : dialogIn(roots, { title, content: text, submit });
