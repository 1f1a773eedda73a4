/** Creating, renaming and deleting folders. */
import { useState } from "preact/hooks";
import { api, type ApiProblem } from "../../api/client";
import { refresh } from "../../api/queries";
import type { Folder } from "../../api/types";
import { ConfirmDialog, FormDialog } from "../../ui/dialog";
import { Select, TextArea, TextField } from "../../ui/field";
import { toast } from "../../ui/toast";
import { folder_strings } from "../../strings/folders";
import { subtreeOf } from "./tree";

const strings = folder_strings.dialog;
const changed = () => refresh("folder");

interface Shared {
  readonly folders: readonly Folder[];
  readonly onClose: () => void;
}

/** `parent`: the root folder it goes into, or null for a new root folder. */
export function NewFolderDialog({
  folders,
  parent,
  onClose,
  onCreated,
}: Shared & { readonly parent: Folder | null; readonly onCreated?: (folder: Folder) => void }) {
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const [parent_id, setParentId] = useState(parent?.id ?? "");
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const roots = folders.filter(({ parentId }) => parentId === null);
  const create = async () => {
    const folder = await api<Folder>("/folders", {
      method: "POST",
      body: { name, description: description.trim() || null, parentId: parent_id || null },
    });
    await changed();
    if (onCreated) onCreated(folder);
    else toast({ text: strings.created(folder.name) });
  };
  return (
    <FormDialog
      title={parent ? strings.new_sub_title(parent.name) : strings.new_title}
      onClose={onClose}
      submit_label={strings.create}
      onSubmit={create}
      disabled={name.trim() === ""}
      field_pointers={["/name", "/description"]}
      onProblem={setProblem}
    >
      <TextField
        label={strings.name}
        value={name}
        onValue={setName}
        error={problem?.at("/name")}
        autofocus
      />
      <TextArea
        label={strings.description}
        hint={strings.description_hint}
        value={description}
        onValue={setDescription}
        error={problem?.at("/description")}
        rows={2}
      />
      {!parent && roots.length > 0 && (
        <Select
          label={strings.parent}
          value={parent_id}
          onValue={setParentId}
          options={[
            { value: "", label: strings.parent_none },
            ...roots.map(({ id, name: label }) => ({ value: id, label })),
          ]}
        />
      )}
    </FormDialog>
  );
}

export function EditFolderDialog({
  folder,
  onClose,
}: {
  readonly folder: Folder;
  readonly onClose: () => void;
}) {
  const [name, setName] = useState(folder.name);
  const [description, setDescription] = useState(folder.description ?? "");
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const save = async () => {
    await api<Folder>(`/folders/${folder.id}`, {
      method: "PUT",
      body: { name, description: description.trim() || null },
    });
    await changed();
  };
  return (
    <FormDialog
      title={strings.edit_title}
      onClose={onClose}
      submit_label={strings.save}
      onSubmit={save}
      disabled={name.trim() === ""}
      field_pointers={["/name", "/description"]}
      onProblem={setProblem}
    >
      <TextField
        label={strings.name}
        value={name}
        onValue={setName}
        error={problem?.at("/name")}
        autofocus
      />
      <TextArea
        label={strings.description}
        hint={strings.description_hint}
        value={description}
        onValue={setDescription}
        error={problem?.at("/description")}
        rows={2}
      />
    </FormDialog>
  );
}

/** Permanent, so the name must be typed, unless the folder is empty. */
export function DeleteFolderDialog({
  folder,
  folders,
  onClose,
  onDeleted,
}: Shared & { readonly folder: Folder; readonly onDeleted?: () => void }) {
  const { subfolders, documents } = subtreeOf(folder, folders);
  const empty = documents === 0 && subfolders.length === 0;
  const remove = async () => {
    await api(`/folders/${folder.id}`, { method: "DELETE" });
    toast({ text: strings.deleted(folder.name) });
    onDeleted?.();
    await refresh("folder", "document", "chat");
  };
  return (
    <ConfirmDialog
      title={strings.delete_title(folder.name)}
      confirm_label={strings.delete_action}
      onClose={onClose}
      onConfirm={remove}
      {...(empty ? {} : { typed_name: folder.name })}
    >
      <p>{empty ? strings.delete_empty : strings.delete_text(documents, subfolders.length)}</p>
    </ConfirmDialog>
  );
}
