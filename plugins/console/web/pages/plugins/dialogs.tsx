/** Dialogs about plugins: adding one, disabling and removing one. */
import { useState } from "preact/hooks";
import { upload } from "../../api/upload";
import type { Answer } from "../../api/types";
import { ApiProblem } from "../../api/client";
import { ConfirmDialog, FormDialog } from "../../ui/dialog";
import { Checkbox, Field, TextField } from "../../ui/field";
import { toast } from "../../ui/toast";
import { plugin_strings as strings } from "../../strings/plugins";
import { disable, refreshPlugins, remove, type Plugin } from "./records";

/** Asks for a plugin file and its checksum. The server tests it before it is added. */
export function AddDialog({ onClose }: { readonly onClose: () => void }) {
  const [file, setFile] = useState<File | null>(null);
  const [sha256, setSha256] = useState("");
  const [replace, setReplace] = useState(false);
  const add = async () => {
    if (file === null) throw new ApiProblem(400, "no_file", strings.add_none);
    const query = { sha256: sha256.trim(), replace: replace || null };
    const added = await upload<Answer<"addPlugin">>("/plugins", file, { query });
    toast({ text: strings.added(added.name, added.version) });
    await refreshPlugins();
  };
  return (
    <FormDialog
      title={strings.add}
      submit_label={strings.add_submit}
      onClose={onClose}
      onSubmit={add}
    >
      <p>{strings.add_text}</p>
      <Field label={strings.add_file}>
        {(control) => (
          <input
            {...control}
            type="file"
            accept=".ts,.js"
            onChange={({ currentTarget }) => setFile(currentTarget.files?.[0] ?? null)}
          />
        )}
      </Field>
      <TextField
        label={strings.add_sha256}
        hint={strings.add_sha256_hint}
        value={sha256}
        onValue={setSha256}
        spellcheck={false}
      />
      <Checkbox label={strings.add_replace} checked={replace} onChecked={setReplace} />
    </FormDialog>
  );
}

interface AskProps {
  readonly plugin: Plugin;
  readonly onClose: () => void;
}

export const DisableDialog = ({ plugin, onClose }: AskProps) => (
  <ConfirmDialog
    title={strings.disable_title(plugin.name)}
    confirm_label={strings.disable}
    onClose={onClose}
    onConfirm={() => disable(plugin)}
  >
    <p>{strings.disable_text}</p>
  </ConfirmDialog>
);

export const RemoveDialog = ({ plugin, onClose }: AskProps) => (
  <ConfirmDialog
    title={strings.remove_title(plugin.name)}
    confirm_label={strings.remove}
    onClose={onClose}
    onConfirm={() => remove(plugin)}
  >
    <p>{strings.remove_text}</p>
  </ConfirmDialog>
);
