/** Renaming, deleting and restoring a chat, and deleting it permanently. */
import { useState } from "preact/hooks";
import { changeChat, deleteChat, deleteChatForGood, restoreChat, type Chat } from "../../api/chats";
import type { MenuItem } from "../../ui/menu";
import { ConfirmDialog, FormDialog } from "../../ui/dialog";
import { TextField } from "../../ui/field";
import { toast, toastError } from "../../ui/toast";
import { chat_strings as strings } from "../../strings/chat";
import { titleOf, type Titled } from "./messages";
import type { ExportFormat } from "./export";

/** Deletes without asking first, because it can be undone. Returns whether it worked. */
export async function deleteWithUndo(chat: Pick<Chat, "id"> & Titled): Promise<boolean> {
  try {
    await deleteChat(chat.id);
  } catch (error) {
    toastError(error);
    return false;
  }
  toast({
    text: strings.deleted(titleOf(chat)),
    action: { label: strings.undo, run: () => void restore(chat) },
  });
  return true;
}

/** Pins or unpins a chat; a failure is shown as a toast. */
export async function pin(chat: Pick<Chat, "id">, pinned: boolean): Promise<void> {
  await changeChat(chat.id, { pinned }).catch(toastError);
}

/** Exporting a chat with its quotes. The code for it is loaded on demand. */
export const exportItems = (
  { id }: Pick<Chat, "id">,
  navigate: (path: string) => void,
): readonly MenuItem[] => {
  const save = (format: ExportFormat) =>
    void import("./export").then(({ saveChat }) => saveChat(id, format)).catch(toastError);
  return [
    { label: strings.export_markdown, icon: "download", run: () => save("markdown") },
    { label: strings.export_json, icon: "download", run: () => save("json") },
    { label: strings.print, icon: "printer", run: () => navigate(`/chats/${id}/print`) },
  ];
};

/** Restores a deleted chat; both outcomes are shown as a toast. */
export async function restore(chat: Pick<Chat, "id"> & Titled): Promise<void> {
  try {
    await restoreChat(chat.id);
    toast({ text: strings.restored(titleOf(chat)) });
  } catch (error) {
    toastError(error);
  }
}

/** Asks for a new name; an empty one removes the name. */
export function RenameChatDialog({
  chat,
  onClose,
}: {
  readonly chat: Pick<Chat, "id" | "name">;
  readonly onClose: () => void;
}) {
  const [name, setName] = useState(chat.name ?? "");
  return (
    <FormDialog
      title={strings.rename_title}
      submit_label={strings.rename}
      onClose={onClose}
      onSubmit={() => changeChat(chat.id, { name: name.trim() || null })}
    >
      <TextField label={strings.name} value={name} onValue={setName} maxLength={255} autofocus />
    </FormDialog>
  );
}

export function DeleteForGoodDialog({
  chat,
  onClose,
}: {
  readonly chat: Pick<Chat, "id"> & Titled;
  readonly onClose: () => void;
}) {
  return (
    <ConfirmDialog
      title={strings.delete_for_good_title(titleOf(chat))}
      confirm_label={strings.delete_for_good}
      onClose={onClose}
      onConfirm={async () => {
        await deleteChatForGood(chat.id);
        toast({ text: strings.deleted_for_good(titleOf(chat)) });
      }}
    >
      <p>{strings.delete_for_good_text}</p>
    </ConfirmDialog>
  );
}
