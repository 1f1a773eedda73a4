/** Creating an API key, and showing it the only time it can be shown. */
import { useState } from "preact/hooks";
import { api, type ApiProblem } from "../../api/client";
import type { NewApiKey } from "../../api/types";
import { Secret } from "../../ui/copy";
import { FormDialog } from "../../ui/dialog";
import { Select, TextField } from "../../ui/field";
import { SecretDialog } from "../../ui/secret-dialog";
import { account_strings } from "../../strings/account";

const strings = account_strings.keys;
const day_ms = 86_400_000;

type Expiry = keyof typeof strings.expiries;
const expiries: readonly Expiry[] = ["30", "90", "365", "never", "custom"];

/** The end of the chosen day in the local time zone; null: never. */
function expiresAt(expiry: Expiry, day: string): string | null {
  if (expiry === "never") return null;
  return (
    expiry === "custom"
      ? new Date(`${day}T23:59:59`)
      : new Date(Date.now() + Number(expiry) * day_ms)
  ).toISOString();
}

/** Asks for the name, the expiry and the access of a new API key. */
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
      title={strings.create_title}
      onClose={onClose}
      submit_label={strings.create}
      onSubmit={create}
      disabled={name.trim() === "" || (expiry === "custom" && day === "")}
      field_pointers={["/name", "/expires_at"]}
      onProblem={setProblem}
    >
      <TextField
        label={strings.name_label}
        hint={strings.name_hint}
        value={name}
        onValue={setName}
        error={problem?.at("/name")}
        maxLength={255}
        autofocus
      />
      <Select
        label={strings.expires_label}
        value={expiry}
        onValue={(value) => setExpiry(value as Expiry)}
        error={problem?.at("/expires_at")}
        options={expiries.map((value) => ({ value, label: strings.expiries[value] }))}
      />
      {expiry === "custom" && (
        <TextField
          label={strings.day_label}
          type="date"
          value={day}
          onValue={setDay}
          min={new Date().toISOString().slice(0, 10)}
        />
      )}
      <Select
        label={strings.scope_label}
        value={scope}
        onValue={(value) => setScope(value as "both" | "read")}
        options={[
          { value: "both", label: strings.scope_options.both },
          { value: "read", label: strings.scope_options.read },
        ]}
      />
    </FormDialog>
  );
}

/** The new key, alone and as a line of an .env file. */
export function NewKeyDialog({
  created: { token },
  onClose,
}: {
  readonly created: NewApiKey;
  readonly onClose: () => void;
}) {
  return (
    <SecretDialog strings={strings} secret={token} onClose={onClose}>
      {(onCopied) => (
        <div class="stack-small">
          <p class="label">{strings.once_env}</p>
          <Secret label={strings.once_env} text={`DOSSIER_KEY=${token}`} onCopied={onCopied} />
        </div>
      )}
    </SecretDialog>
  );
}
