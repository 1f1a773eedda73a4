/** Renaming documents, adding them to other folders, and pasting text as a new one. */
import { useState } from "preact/hooks";
import type { ApiProblem } from "../../api/client";
import { batch_size, createText, renameDocument } from "../../api/documents";
import { useFolders } from "../../api/queries";
import type { Document } from "../../api/types";
import { FormDialog } from "../../ui/dialog";
import { Segments, Select, TextArea, TextField } from "../../ui/field";
import { toast } from "../../ui/toast";
import { folder_strings } from "../../strings/folders";
import type { DocumentSelection } from "./selection";
import { moveOrAdd, refreshDocuments } from "./document-actions";
import { folderOptions } from "./tree";

const strings = folder_strings.actions_of_document;

export function RenameDialog({
  document,
  onClose,
}: {
  readonly document: Document;
  readonly onClose: () => void;
}) {
  const [name, setName] = useState(document.name);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const save = async () => {
    await renameDocument(document.id, name);
    await refreshDocuments();
  };
  const name_problem = problem?.status === 409 ? problem.detail : problem?.at("/name");
  return (
    <FormDialog
      title={strings.rename_title}
      onClose={onClose}
      submit_label={strings.rename}
      onSubmit={save}
      disabled={name.trim() === "" || name === document.name}
      field_pointers={["/name"]}
      onProblem={setProblem}
    >
      <TextField
        label={strings.name}
        value={name}
        onValue={setName}
        error={problem?.status === 409 ? undefined : name_problem}
        autofocus
      />
    </FormDialog>
  );
}

/** Asks for a text, which becomes a document of the folder. */
export function PasteDialog({
  folder_id,
  onClose,
}: {
  readonly folder_id: string;
  readonly onClose: () => void;
}) {
  const [name, setName] = useState("");
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const add = async () => {
    await createText(folder_id, name, text);
    toast({ text: strings.pasted });
    await refreshDocuments();
  };
  return (
    <FormDialog
      title={strings.paste_title}
      onClose={onClose}
      submit_label={strings.paste_action}
      onSubmit={add}
      disabled={text.trim() === ""}
      field_pointers={["/name", "/content"]}
      onProblem={setProblem}
      wide
    >
      <TextField
        label={strings.paste_name}
        hint={strings.paste_name_hint}
        value={name}
        onValue={setName}
        error={problem?.at("/name")}
      />
      <TextArea
        label={strings.paste_text}
        value={text}
        onValue={setText}
        error={problem?.at("/content")}
        rows={12}
        autofocus
      />
    </FormDialog>
  );
}

/** `folder_id`: where they are now; without it they can only be added. */
export function PlaceDialog({
  chosen,
  folder_id,
  onClose,
  onDone,
}: {
  readonly chosen: DocumentSelection;
  readonly folder_id: string | null;
  readonly onClose: () => void;
  readonly onDone?: () => void;
}) {
  const folders = useFolders().data ?? [];
  const [target, setTarget] = useState("");
  const [mode, setMode] = useState<"move" | "add">(folder_id ? "move" : "add");
  const options = folderOptions(folders).filter(
    ({ value }) => value !== folder_id && !chosen.folder_ids.includes(value),
  );
  const submit = async () => {
    const { name } = folders.find(({ id }) => id === target)!;
    const placed = moveOrAdd(chosen, {
      from_folder_id: folder_id,
      to_folder_id: target,
      name,
      move: mode === "move",
    });
    // Many take a while: the folder's panel shows the progress.
    if (chosen.count <= batch_size) await placed;
    onDone?.();
  };
  return (
    <FormDialog
      title={
        chosen.name === null
          ? strings.place_title_many(chosen.count)
          : strings.place_title(chosen.name)
      }
      onClose={onClose}
      submit_label={mode === "move" ? strings.move : strings.add}
      onSubmit={submit}
      disabled={target === ""}
    >
      {options.length === 0 ? (
        <p class="muted">{strings.no_target}</p>
      ) : (
        <Select
          label={strings.target}
          value={target}
          onValue={setTarget}
          options={[{ value: "", label: strings.choose, disabled: true }, ...options]}
          autofocus
        />
      )}
      {folder_id && options.length > 0 && (
        <Segments
          label={strings.mode}
          value={mode}
          onValue={(value) => setMode(value as "move" | "add")}
          options={[
            { value: "move", label: strings.move },
            { value: "add", label: strings.add },
          ]}
        />
      )}
    </FormDialog>
  );
}
