/** Renaming documents, putting them into other folders, and pasting text as a new one. */
import { useState } from "preact/hooks";
import type { ApiProblem } from "../../api/client";
import { createText, linkDocument, renameDocument, unlinkDocument } from "../../api/documents";
import { useFolders } from "../../api/queries";
import type { Document } from "../../api/types";
import { FormDialog } from "../../ui/dialog";
import { Segments, Select, TextArea, TextField } from "../../ui/field";
import { toast } from "../../ui/toast";
import { folder_words } from "../../words/folders";
import { forEach, refreshDocuments } from "./actions";
import { folderOptions } from "./tree";

const words = folder_words.actions_of_document;

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
  const taken = problem?.status === 409 ? problem.detail : problem?.at("/name");
  return (
    <FormDialog
      title={words.rename_title}
      onClose={onClose}
      submit_label={words.rename}
      onSubmit={save}
      disabled={name.trim() === "" || name === document.name}
      own_pointers={["/name"]}
      onProblem={setProblem}
    >
      <TextField
        label={words.name}
        value={name}
        onValue={setName}
        error={problem?.status === 409 ? undefined : taken}
        autofocus
      />
    </FormDialog>
  );
}

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
    toast({ text: words.pasted });
    await refreshDocuments();
  };
  return (
    <FormDialog
      title={words.paste_title}
      onClose={onClose}
      submit_label={words.paste_action}
      onSubmit={add}
      disabled={text.trim() === ""}
      own_pointers={["/name", "/content"]}
      onProblem={setProblem}
      wide
    >
      <TextField
        label={words.paste_name}
        hint={words.paste_name_hint}
        value={name}
        onValue={setName}
        error={problem?.at("/name")}
      />
      <TextArea
        label={words.paste_text}
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
  documents,
  folder_id,
  onClose,
  onDone,
}: {
  readonly documents: readonly Document[];
  readonly folder_id: string | null;
  readonly onClose: () => void;
  readonly onDone?: () => void;
}) {
  const folders = useFolders().data ?? [];
  const [target, setTarget] = useState("");
  const [mode, setMode] = useState<"move" | "add">(folder_id ? "move" : "add");
  const what =
    documents.length === 1 ? `“${documents[0]!.name}”` : folder_words.documents(documents.length);
  const held = documents.length === 1 ? documents[0]!.folder_ids : [];
  const options = folderOptions(folders).filter(
    ({ value }) => value !== folder_id && !held.includes(value),
  );
  const go = async () => {
    const name = folders.find(({ id }) => id === target)!.name;
    const done = await forEach(documents, async ({ id }) => {
      await linkDocument(id, target);
      if (mode === "move" && folder_id) await unlinkDocument(id, folder_id);
    });
    if (done.length === documents.length)
      toast({ text: mode === "move" ? words.moved(what, name) : words.added(what, name) });
    onDone?.();
  };
  return (
    <FormDialog
      title={
        documents.length === 1
          ? words.place_title(documents[0]!.name)
          : words.place_title_many(documents.length)
      }
      onClose={onClose}
      submit_label={mode === "move" ? words.move : words.add}
      onSubmit={go}
      disabled={target === ""}
    >
      {options.length === 0 ? (
        <p class="muted">{words.no_target}</p>
      ) : (
        <Select
          label={words.target}
          value={target}
          onValue={setTarget}
          options={[{ value: "", label: words.choose, disabled: true }, ...options]}
          autofocus
        />
      )}
      {folder_id && options.length > 0 && (
        <Segments
          label={words.mode}
          value={mode}
          onValue={(value) => setMode(value as "move" | "add")}
          options={[
            { value: "move", label: words.move },
            { value: "add", label: words.add },
          ]}
        />
      )}
    </FormDialog>
  );
}
