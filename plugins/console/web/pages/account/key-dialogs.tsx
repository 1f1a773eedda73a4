/** Making an API key, and showing it the one time it can be shown. */
import { useState } from "preact/hooks";
import { api, type ApiProblem } from "../../api/client";
import type { NewApiKey } from "../../api/types";
import { Button } from "../../ui/button";
import { Secret } from "../../ui/copy";
import { Dialog, FormDialog } from "../../ui/dialog";
import { Select, TextField } from "../../ui/field";
import { Note } from "../../ui/note";
import { account_words } from "../../words/account";

const words = account_words.keys;
const day_ms = 86_400_000;

type Expiry = keyof typeof words.expiries;
const expiries: readonly Expiry[] = ["30", "90", "365", "never", "custom"];

/** The end of the chosen day, where the person is; null: never. */
function expiresAt(expiry: Expiry, day: string): string | null {
  if (expiry === "never") return null;
  return (
    expiry === "custom"
      ? new Date(`${day}T23:59:59`)
      : new Date(Date.now() + Number(expiry) * day_ms)
  ).toISOString();
}

export function CreateKeyDialog({
  onClose,
  onCreated,
}: {
  readonly onClose: () => void;
  readonly onCreated: (key: NewApiKey) => void;
}) {
  const [name, setName] = useState("");
  const [expiry, setExpiry] = useState<Expiry>("90");
  const [day, setDay] = useState("");
  const [scope, setScope] = useState<"both" | "read">("both");
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const create = async () =>
    onCreated(
      await api<NewApiKey>("/keys", {
        method: "POST",
        body: {
          name,
          expires_at: expiresAt(expiry, day),
          scopes: scope === "both" ? ["read", "write"] : ["read"],
        },
      }),
    );
  return (
    <FormDialog
      title={words.create_title}
      onClose={onClose}
      submit_label={words.create}
      onSubmit={create}
      disabled={name.trim() === "" || (expiry === "custom" && day === "")}
      own_pointers={["/name", "/expires_at"]}
      onProblem={setProblem}
    >
      <TextField
        label={words.name_label}
        hint={words.name_hint}
        value={name}
        onValue={setName}
        error={problem?.at("/name")}
        maxLength={255}
        autofocus
      />
      <Select
        label={words.expires_label}
        value={expiry}
        onValue={(value) => setExpiry(value as Expiry)}
        error={problem?.at("/expires_at")}
        options={expiries.map((value) => ({ value, label: words.expiries[value] }))}
      />
      {expiry === "custom" && (
        <TextField
          label={words.day_label}
          type="date"
          value={day}
          onValue={setDay}
          min={new Date().toISOString().slice(0, 10)}
        />
      )}
      <Select
        label={words.scope_label}
        value={scope}
        onValue={(value) => setScope(value as "both" | "read")}
        options={[
          { value: "both", label: words.scope_options.both },
          { value: "read", label: words.scope_options.read },
        ]}
      />
    </FormDialog>
  );
}

/** Stays until it is said that the key is kept; Escape asks first. */
export function ShownOnce({
  created,
  onClose,
}: {
  readonly created: NewApiKey;
  readonly onClose: () => void;
}) {
  const [copied, setCopied] = useState(false);
  const [leaving, setLeaving] = useState(false);
  const leave = () => {
    if (copied) onClose();
    else setLeaving(true);
  };
  return (
    <Dialog
      title={words.once_title}
      onClose={leave}
      sticky
      foot={
        leaving ? (
          <>
            <Button onClick={() => setLeaving(false)}>{words.once_back}</Button>
            <Button kind="danger-solid" onClick={onClose}>
              {words.once_leave_action}
            </Button>
          </>
        ) : (
          <Button kind="primary" onClick={onClose}>
            {words.once_done}
          </Button>
        )
      }
    >
      {leaving ? (
        <Note tone="bad" title={words.once_leave} live>
          {words.once_leave_text}
        </Note>
      ) : (
        <Note tone="warn">{words.once_text}</Note>
      )}
      <Secret label={words.once_label} text={created.token} onCopied={() => setCopied(true)} />
      <div class="stack-small">
        <p class="label">{words.once_env}</p>
        <Secret
          label={words.once_env}
          text={`DOSSIER_KEY=${created.token}`}
          onCopied={() => setCopied(true)}
        />
      </div>
    </Dialog>
  );
}
