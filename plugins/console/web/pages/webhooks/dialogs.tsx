/** Registering a webhook, and showing its secret the one time it can be shown. */
import { useState } from "preact/hooks";
import { api, type ApiProblem } from "../../api/client";
import { Button } from "../../ui/button";
import { CodeBlock, Secret } from "../../ui/copy";
import { Dialog, FormDialog } from "../../ui/dialog";
import { Select, TextField } from "../../ui/field";
import { Note } from "../../ui/note";
import { Tabs } from "../../ui/tabs";
import { webhook_strings as strings } from "../../strings/webhooks";
import { languages, snippet, type Language, type WebhookWithSecret } from "./records";

export function CreateWebhookDialog({
  onClose,
  onCreated,
}: {
  readonly onClose: () => void;
  readonly onCreated: (webhook: WebhookWithSecret) => void;
}) {
  const [url, setUrl] = useState("");
  const [event_type, setEventType] = useState("import.finished");
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  return (
    <FormDialog
      title={strings.create_title}
      submit_label={strings.create}
      disabled={url.trim() === ""}
      own_pointers={["/url", "/event_type"]}
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
        error={problem?.at("/url")}
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

/** Stays until it is said that the secret is kept; Escape asks first. */
export function SecretOnce({
  secret,
  onClose,
}: {
  readonly secret: string;
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
      title={strings.once_title}
      onClose={leave}
      sticky
      wide
      foot={
        leaving ? (
          <>
            <Button onClick={() => setLeaving(false)}>{strings.once_back}</Button>
            <Button kind="danger-solid" onClick={onClose}>
              {strings.once_leave_action}
            </Button>
          </>
        ) : (
          <Button kind="primary" onClick={onClose}>
            {strings.once_done}
          </Button>
        )
      }
    >
      {leaving ? (
        <Note tone="bad" title={strings.once_leave} live>
          {strings.once_leave_text}
        </Note>
      ) : (
        <Note tone="warn">{strings.once_text}</Note>
      )}
      <Secret label={strings.once_label} text={secret} onCopied={() => setCopied(true)} />
      <Verify />
    </Dialog>
  );
}

/** How a receiver checks what it gets. */
export function Verify() {
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
