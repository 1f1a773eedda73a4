/**
 * The folders and prompts that a chat uses: chips to remove one, and dialogs to choose from all.
 */
import { useState } from "preact/hooks";
import { usePrompts } from "../../api/chats";
import { useFolders } from "../../api/queries";
import type { Folder } from "../../api/types";
import { Button, ButtonLink } from "../../ui/button";
import { FormDialog } from "../../ui/dialog";
import { Checkbox, TextField } from "../../ui/field";
import { Icon, type IconName } from "../../ui/icons";
import { Empty, Loading } from "../../ui/states";
import { chat_strings as strings } from "../../strings/chat";

export interface Scope {
  readonly folders: readonly string[];
  readonly prompts: readonly string[];
}
export interface ScopeProps {
  readonly scope: Scope;
  readonly onScope: (scope: Scope) => Promise<unknown>;
}

const chips_shown = 2;

export function ScopeBar({ scope, onScope }: ScopeProps) {
  const [choosing, setChoosing] = useState<"folders" | "prompts" | null>(null);
  const folders = useFolders();
  const prompts = usePrompts();
  // Many chips would take space from the conversation.
  const crowded = scope.folders.length > chips_shown + 1;
  const without = (ids: readonly string[], id: string) => ids.filter((one) => one !== id);
  return (
    <div class="scope" role="group" aria-label={strings.scope_title}>
      {(crowded ? scope.folders.slice(0, chips_shown) : scope.folders).map((id) => {
        const name =
          folders.data?.find((folder) => folder.id === id)?.name ??
          (folders.data ? strings.gone_folder : "…");
        return (
          <Chip
            key={id}
            icon="folder"
            name={name}
            label={strings.remove_folder(name)}
            onRemove={() => void onScope({ ...scope, folders: without(scope.folders, id) })}
          />
        );
      })}
      {crowded && (
        <Button small onClick={() => setChoosing("folders")}>
          {strings.further_folders(scope.folders.length - chips_shown)}
        </Button>
      )}
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
      <Button
        small
        kind={scope.folders.length === 0 ? "default" : "ghost"}
        icon={scope.folders.length === 0 ? "folder-plus" : "plus"}
        onClick={() => setChoosing("folders")}
      >
        {scope.folders.length === 0 ? strings.choose_folders : strings.add_folders}
      </Button>
      <Button small kind="ghost" icon="plus" onClick={() => setChoosing("prompts")}>
        {strings.add_prompts}
      </Button>
      {choosing === "folders" && (
        <FolderDialog
          chosen={scope.folders}
          onClose={() => setChoosing(null)}
          onChosen={(ids) => onScope({ ...scope, folders: ids })}
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

interface ChooseProps {
  readonly chosen: readonly string[];
  readonly onChosen: (ids: readonly string[]) => Promise<unknown>;
  readonly onClose: () => void;
}

function useChosen(chosen: readonly string[]) {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set(chosen));
  const toggle = (id: string, on: boolean) =>
    setIds((before) => {
      const after = new Set(before);
      after[on ? "add" : "delete"](id);
      return after;
    });
  return { ids, toggle };
}

function FolderDialog({ chosen, onChosen, onClose }: ChooseProps) {
  const query = useFolders();
  const { ids, toggle } = useChosen(chosen);
  const [filter, setFilter] = useState("");
  return (
    <FormDialog
      title={strings.choose_folders}
      submit_label={strings.use_these}
      onClose={onClose}
      onSubmit={() =>
        onChosen([...ids].filter((id) => query.data?.some((folder) => folder.id === id)))
      }
    >
      <p class="muted">{strings.choose_folders_text}</p>
      <Loading query={query}>
        {(folders) =>
          folders.length === 0 ? (
            <Empty
              icon="folder"
              title={strings.no_folders_yet}
              actions={<ButtonLink href="/folders">{strings.make_folder}</ButtonLink>}
            />
          ) : (
            <>
              {folders.length > 8 && (
                <TextField
                  label={strings.filter_folders}
                  label_hidden
                  placeholder={strings.filter_folders}
                  icon="search"
                  type="search"
                  value={filter}
                  onValue={setFilter}
                />
              )}
              <Tree folders={folders} filter={filter} ids={ids} toggle={toggle} />
            </>
          )
        }
      </Loading>
    </FormDialog>
  );
}

const matches = (folder: Folder, filter: string): boolean =>
  folder.name.toLocaleLowerCase().includes(filter.trim().toLocaleLowerCase());

function Tree({
  folders,
  filter,
  ids,
  toggle,
}: {
  readonly folders: readonly Folder[];
  readonly filter: string;
  readonly ids: ReadonlySet<string>;
  readonly toggle: (id: string, on: boolean) => void;
}) {
  const below = (id: string) => folders.filter(({ parentId }) => parentId === id);
  const roots = folders.filter(
    (folder) =>
      folder.parentId === null &&
      (matches(folder, filter) || below(folder.id).some((child) => matches(child, filter))),
  );
  if (roots.length === 0) return <p class="muted">{strings.no_folder_matches}</p>;
  return (
    <ul class="choose-tree">
      {roots.map((root) => (
        <li key={root.id}>
          <Checkbox
            label={root.name}
            hint={strings.documents(
              root.document_count +
                below(root.id).reduce((sum, child) => sum + child.document_count, 0),
            )}
            checked={ids.has(root.id)}
            onChecked={(on) => toggle(root.id, on)}
          />
          <ul>
            {below(root.id)
              .filter((child) => matches(root, filter) || matches(child, filter))
              .map((child) => {
                const covered = ids.has(root.id);
                return (
                  <li key={child.id}>
                    <Checkbox
                      label={child.name}
                      hint={covered ? strings.with_parent : strings.documents(child.document_count)}
                      checked={covered || ids.has(child.id)}
                      disabled={covered}
                      onChecked={(on) => toggle(child.id, on)}
                    />
                  </li>
                );
              })}
          </ul>
        </li>
      ))}
    </ul>
  );
}

function PromptDialog({ chosen, onChosen, onClose }: ChooseProps) {
  const query = usePrompts();
  const { ids, toggle } = useChosen(chosen);
  return (
    <FormDialog
      title={strings.prompts}
      submit_label={strings.use_these}
      onClose={onClose}
      onSubmit={() =>
        onChosen([...ids].filter((id) => query.data?.some((prompt) => prompt.id === id)))
      }
    >
      <p class="muted">{strings.choose_prompts_text}</p>
      <Loading query={query}>
        {(prompts) =>
          prompts.length === 0 ? (
            <Empty
              icon="prompt"
              title={strings.no_prompts_yet}
              actions={<ButtonLink href="/prompts">{strings.make_prompt}</ButtonLink>}
            />
          ) : (
            <ul class="choose-tree">
              {prompts.map(({ id, name, description, text }) => (
                <li key={id}>
                  <Checkbox
                    label={name}
                    hint={<span class="clip block">{description ?? text}</span>}
                    checked={ids.has(id)}
                    onChecked={(on) => toggle(id, on)}
                  />
                </li>
              ))}
            </ul>
          )
        }
      </Loading>
    </FormDialog>
  );
}
