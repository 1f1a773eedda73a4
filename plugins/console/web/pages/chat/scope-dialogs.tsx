/** Dialogs to choose the folders and prompts that a chat uses. */
import { useState } from "preact/hooks";
import { usePrompts } from "../../api/chats";
import { useFolders } from "../../api/queries";
import type { Folder } from "../../api/types";
import { ButtonLink } from "../../ui/button";
import { FormDialog } from "../../ui/dialog";
import { Checkbox, TextField } from "../../ui/field";
import { Empty, Loading } from "../../ui/states";
import { chat_strings as strings } from "../../strings/chat";

interface ChooseProps {
  readonly chosen: readonly string[];
  readonly onChosen: (ids: readonly string[]) => Promise<unknown>;
  readonly onClose: () => void;
}

function useChosen(chosen: readonly string[]) {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set(chosen));
  const toggle = (id: string, is_checked: boolean) =>
    setIds((previous) => {
      const next = new Set(previous);
      next[is_checked ? "add" : "delete"](id);
      return next;
    });
  return { ids, toggle };
}

/** Asks for folders; a chosen root covers its subfolders. */
export function FolderDialog({ chosen, onChosen, onClose }: ChooseProps) {
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
  readonly toggle: (id: string, is_checked: boolean) => void;
}) {
  const childrenOf = (id: string) => folders.filter(({ parentId }) => parentId === id);
  const roots = folders.filter(
    (folder) =>
      folder.parentId === null &&
      (matches(folder, filter) || childrenOf(folder.id).some((child) => matches(child, filter))),
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
                childrenOf(root.id).reduce((sum, child) => sum + child.document_count, 0),
            )}
            checked={ids.has(root.id)}
            onChecked={(is_checked) => toggle(root.id, is_checked)}
          />
          <ul>
            {childrenOf(root.id)
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
                      onChecked={(is_checked) => toggle(child.id, is_checked)}
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

/** Asks for saved prompts. */
export function PromptDialog({ chosen, onChosen, onClose }: ChooseProps) {
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
                    onChecked={(is_checked) => toggle(id, is_checked)}
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
