/** The folders and prompts of a chat: removable chips, and dialogs to choose from all. */
import { useState } from "preact/hooks";
import { useAnswering, usePrompts } from "../../api/chats";
import { useFolders } from "../../api/queries";
import { Button } from "../../ui/button";
import { Icon, type IconName } from "../../ui/icons";
import { chat_strings as strings } from "../../strings/chat";
import { FolderDialog, PromptDialog } from "./scope-dialogs";

/** What a chat's answers are based on: ids of folders and of prompts. */
export interface Scope {
  /** Every folder, including future ones; `folders` is ignored then. */
  readonly all: boolean;
  readonly folders: readonly string[];
  readonly prompts: readonly string[];
}
/** A scope, and how to change it. `onScope` rejects if it could not be saved. */
export interface ScopeProps {
  readonly scope: Scope;
  readonly onScope: (scope: Scope) => Promise<unknown>;
}

/** The scope with these folders; with none, it covers all. */
const withFolders = (scope: Scope, folders: readonly string[]): Scope => ({
  ...scope,
  folders,
  all: folders.length === 0,
});

const chips_shown = 2;

/** The scope as chips below the question field. */
export function ScopeBar({ scope: { all, ...chosen }, onScope }: ScopeProps) {
  const [choosing, setChoosing] = useState<"folders" | "prompts" | null>(null);
  const folders = useFolders();
  const with_prompts = useAnswering().data?.uses_prompts ?? false;
  const scope: Scope = { ...chosen, all, folders: all ? [] : chosen.folders };
  // Many chips would take space from the conversation.
  const is_collapsed = scope.folders.length > chips_shown + 1;
  return (
    <div class="scope" role="group" aria-label={strings.scope_title}>
      {all && (
        <span class="chip chip-plain">
          <Icon name="folder" size={14} />
          {strings.all_folders}
        </span>
      )}
      {(is_collapsed ? scope.folders.slice(0, chips_shown) : scope.folders).map((id) => {
        const name =
          folders.data?.find((folder) => folder.id === id)?.name ??
          (folders.data ? strings.gone_folder : "…");
        return (
          <Chip
            key={id}
            icon="folder"
            name={name}
            label={strings.remove_folder(name)}
            onRemove={() => void onScope(withFolders(scope, without(scope.folders, id)))}
          />
        );
      })}
      {is_collapsed && (
        <Button small onClick={() => setChoosing("folders")}>
          {strings.further_folders(scope.folders.length - chips_shown)}
        </Button>
      )}
      <PromptChips scope={scope} onScope={onScope} />
      <Button
        small
        kind="ghost"
        icon={scope.folders.length === 0 ? "folder-plus" : "plus"}
        onClick={() => setChoosing("folders")}
      >
        {scope.folders.length === 0 ? strings.choose_folders : strings.add_folders}
      </Button>
      {with_prompts && (
        <Button small kind="ghost" icon="plus" onClick={() => setChoosing("prompts")}>
          {strings.add_prompts}
        </Button>
      )}
      {choosing === "folders" && (
        <FolderDialog
          chosen={scope.folders}
          onClose={() => setChoosing(null)}
          onChosen={(ids) => onScope(withFolders(scope, ids))}
        />
      )}
      {choosing === "prompts" && (
        <PromptDialog
          chosen={scope.prompts}
          onClose={() => setChoosing(null)}
          onChosen={(ids) => onScope({ ...scope, prompts: ids })}
        />
      )}
    </div>
  );
}

const without = (ids: readonly string[], id: string) => ids.filter((other) => other !== id);

function PromptChips({ scope, onScope }: ScopeProps) {
  const prompts = usePrompts();
  return (
    <>
      {scope.prompts.map((id) => {
        const name =
          prompts.data?.find((prompt) => prompt.id === id)?.name ??
          (prompts.data ? strings.gone_prompt : "…");
        return (
          <Chip
            key={id}
            icon="prompt"
            name={name}
            label={strings.remove_prompt(name)}
            onRemove={() => void onScope({ ...scope, prompts: without(scope.prompts, id) })}
          />
        );
      })}
    </>
  );
}

const Chip = ({
  icon,
  name,
  label,
  onRemove,
}: {
  readonly icon: IconName;
  readonly name: string;
  readonly label: string;
  readonly onRemove: () => void;
}) => (
  <span class="chip">
    <Icon name={icon} size={14} />
    <span class="clip">{name}</span>
    <button type="button" class="chip-remove" aria-label={label} title={label} onClick={onRemove}>
      <Icon name="close" size={12} />
    </button>
  </span>
);
