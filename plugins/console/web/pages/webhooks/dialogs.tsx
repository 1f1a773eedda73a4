/** Registering a webhook, and showing its secret the only time it can be shown. */
import { useState } from "preact/hooks";
import { api, type ApiProblem } from "../../api/client";
import { CodeBlock } from "../../ui/copy";
import { FormDialog } from "../../ui/dialog";
import { Select, TextField } from "../../ui/field";
import { SecretDialog } from "../../ui/secret-dialog";
import { Tabs } from "../../ui/tabs";
import { addressProblem } from "../../ui/web-address";
import { webhook_strings as strings } from "../../strings/webhooks";
import { languages, snippet, type Language, type WebhookWithSecret } from "./records";

/** Asks for the URL and the event of a new webhook. */
export function CreateWebhookDialog({
  onClose,
  onCreated,
}: {
  readonly onClose: () => void;
  readonly onCreated: (webhook: WebhookWithSecret) => void;
}) {
  const [url, setUrl] = useState("");
  const [was_left, setWasLeft] = useState(false);
  const [event_type, setEventType] = useState("import.finished");
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  return (
    <FormDialog
      title={strings.create_title}
      submit_label={strings.create}
      disabled={url.trim() === ""}
      field_pointers={["/url", "/event_type"]}
      onProblem={setProblem}
      onClose={onClose}
      onSubmit={async () =>
        onCreated(
          await api<WebhookWithSecret>("/webhooks", {
            method: "POST",
            body: { url: url.trim(), event_type },
          }),
        )
      }
    >
      <TextField
        label={strings.url}
        hint={`${strings.url_hint}. ${strings.checking}`}
        type="url"
        value={url}
        onValue={setUrl}
        error={(was_left ? addressProblem([url.trim()]) : undefined) ?? problem?.at("/url")}
        onBlur={() => setWasLeft(url.trim() !== "")}
        maxLength={2048}
        autofocus
        spellcheck={false}
      />
      <Select
        label={strings.event_label}
        value={event_type}
        onValue={setEventType}
        error={problem?.at("/event_type")}
        options={Object.entries(strings.events).map(([value, label]) => ({ value, label }))}
      />
    </FormDialog>
  );
}

/** The signing secret, and how a receiver uses it. */
export function SigningSecretDialog({
  secret,
  onClose,
}: {
  readonly secret: string;
  readonly onClose: () => void;
}) {
  return (
    <SecretDialog strings={strings} secret={secret} wide onClose={onClose}>
      {() => <VerificationExample />}
    </SecretDialog>
  );
}

/** How a receiver verifies a delivery. */
export function VerificationExample() {
  const [language, setLanguage] = useState<Language>("TypeScript");
  return (
    <div class="stack-small">
      <p class="label">{strings.verify}</p>
      <Tabs
        label={strings.verify_language}
        items={languages.map((name) => ({ key: name, label: name }))}
        active={language}
        onActive={(name) => setLanguage(name as Language)}
      >
        <CodeBlock label={strings.verify_label(language)} code={snippet(language)} />
      </Tabs>
    </div>
  );
}
