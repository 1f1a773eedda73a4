/** Saved prompts: writing, changing and deleting them, and starting a chat with one. */
import { useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { useAnswering, usePrompts, type Prompt } from "../../api/chats";
import { api, ApiProblem } from "../../api/client";
import { refresh } from "../../api/queries";
import { useUser } from "../../app/session";
import { Button, ButtonLink } from "../../ui/button";
import { ConfirmDialog, FormDialog } from "../../ui/dialog";
import { TextArea, TextField } from "../../ui/field";
import { Menu } from "../../ui/menu";
import { Note } from "../../ui/note";
import { PageHeader } from "../../ui/page-header";
import { Empty, Loading } from "../../ui/states";
import { Table, type Column } from "../../ui/table";
import { toast } from "../../ui/toast";
import { Time } from "../../ui/time";
import { prompt_strings as strings } from "../../strings/prompts";

type Fields = Pick<Prompt, "name" | "text" | "description">;
const blank: Fields = { name: "", text: "", description: null };
/** The prompt in the dialog: without an id it is new. */
type Editing = Fields & { readonly id?: string };

export default function Prompts() {
  const query = usePrompts();
  const [editing, setEditing] = useState<Editing | null>(null);
  const [deleting, setDeleting] = useState<Prompt | null>(null);
  return (
    <>
      <PageHeader
        title={strings.title}
        text={strings.text}
        actions={
          <Button kind="primary" icon="plus" data-shortcut="n" onClick={() => setEditing(blank)}>
            {strings.new_prompt}
          </Button>
        }
      />
      <WithoutModel />
      <div class="card">
        <Loading query={query}>
          {(prompts) =>
            prompts.length === 0 ? (
              <Templates onUse={setEditing} />
            ) : (
              <List prompts={prompts} onEdit={setEditing} onDelete={setDeleting} />
            )
          }
        </Loading>
      </div>
      {editing && <EditDialog prompt={editing} onClose={() => setEditing(null)} />}
      {deleting && <DeleteDialog prompt={deleting} onClose={() => setDeleting(null)} />}
    </>
  );
}

/** Why prompts have no effect at the moment, and how to change that. */
function WithoutModel() {
  const answering = useAnswering().data;
  const { role } = useUser();
  if (!answering || answering.uses_prompts) return null;
  return (
    <Note
      title={strings.unused_title}
      {...(role === "admin" && {
        actions: <ButtonLink href="/system?part=models">{strings.set_up_model}</ButtonLink>,
      })}
    >
      <p>{role === "admin" ? strings.unused_admin : strings.unused}</p>
    </Note>
  );
}

const Templates = ({ onUse }: { readonly onUse: (fields: Fields) => void }) => (
  <Empty
    icon="prompt"
    title={strings.empty_title}
    actions={
      <div class="templates">
        {strings.templates.map((template) => (
          <button
            key={template.name}
            type="button"
            class="template"
            onClick={() => onUse(template)}
          >
            <span class="strong">{template.name}</span>
            <span class="small muted">{template.description}</span>
          </button>
        ))}
      </div>
    }
  >
    {strings.empty_text}
  </Empty>
);

function List({
  prompts,
  onEdit,
  onDelete,
}: {
  readonly prompts: readonly Prompt[];
  readonly onEdit: (prompt: Prompt) => void;
  readonly onDelete: (prompt: Prompt) => void;
}) {
  const [, navigate] = useLocation();
  const columns: readonly Column<Prompt>[] = [
    {
      key: "name",
      header: strings.column_name,
      kind: "main",
      cell: (prompt) => (
        <span class="two-lines">
          <button type="button" class="title-button clip" onClick={() => onEdit(prompt)}>
            {prompt.name}
          </button>
          <span class="clip">{prompt.description ?? prompt.text}</span>
        </span>
      ),
    },
    {
      key: "changed",
      header: strings.column_changed,
      kind: "tight",
      cell: ({ updated_at }) => (
        <span class="muted">
          <Time value={updated_at} />
        </span>
      ),
    },
    {
      key: "actions",
      header: strings.column_actions,
      kind: "actions",
      cell: (prompt) => (
        <Menu
          label={strings.actions_of(prompt.name)}
          items={[
            {
              label: strings.use,
              icon: "chat",
              run: () => navigate(`/chats/new?prompt=${prompt.id}`),
            },
            { label: strings.edit, icon: "edit", run: () => onEdit(prompt) },
            "separator",
            { label: strings.delete, icon: "trash", danger: true, run: () => onDelete(prompt) },
          ]}
        />
      ),
    },
  ];
  return <Table label={strings.list} columns={columns} rows={prompts} row_key={({ id }) => id} />;
}

function EditDialog({
  prompt,
  onClose,
}: {
  readonly prompt: Editing;
  readonly onClose: () => void;
}) {
  const [fields, setFields] = useState<Fields>(prompt);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const change = (changes: Partial<Fields>) =>
    setFields((previous) => ({ ...previous, ...changes }));
  const save = async () => {
    const { name, text, description } = fields;
    const body = { name, text, description: description?.trim() ? description : null };
    await (prompt.id
      ? api(`/prompts/${prompt.id}`, { method: "PUT", body })
      : api("/prompts", { method: "POST", body }));
    await refresh("prompt");
  };
  return (
    <FormDialog
      wide
      title={prompt.id ? strings.edit_prompt : strings.new_prompt}
      submit_label={strings.save}
      onClose={onClose}
      onSubmit={save}
      field_pointers={["/name", "/text", "/description"]}
      onProblem={setProblem}
    >
      <TextField
        label={strings.name}
        hint={strings.name_hint}
        value={fields.name}
        onValue={(name) => change({ name })}
        error={problem?.at("/name")}
        maxLength={255}
        autofocus
      />
      <TextArea
        label={strings.instruction}
        hint={strings.instruction_hint}
        value={fields.text}
        onValue={(text) => change({ text })}
        error={problem?.at("/text")}
        rows={7}
        maxLength={32_000}
      />
      <TextField
        label={strings.note}
        hint={strings.note_hint}
        value={fields.description ?? ""}
        onValue={(description) => change({ description })}
        error={problem?.at("/description")}
        maxLength={4_000}
      />
    </FormDialog>
  );
}

function DeleteDialog({
  prompt,
  onClose,
}: {
  readonly prompt: Prompt;
  readonly onClose: () => void;
}) {
  const remove = async () => {
    await api(`/prompts/${prompt.id}`, { method: "DELETE" });
    void refresh("prompt", "chat");
    toast({ text: strings.deleted(prompt.name) });
  };
  return (
    <ConfirmDialog
      title={strings.delete_title}
      confirm_label={strings.delete}
      onConfirm={remove}
      onClose={onClose}
    >
      <p>{strings.delete_text(prompt.name)}</p>
    </ConfirmDialog>
  );
}
