/** API keys: their permissions and last use; a new one is shown once. */
import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { base_path } from "../../api/base";
import { api } from "../../api/client";
import { fetchAll, keys as query_keys, refresh } from "../../api/queries";
import type { ApiKey, NewApiKey } from "../../api/types";
import { Button } from "../../ui/button";
import { CodeBlock, Secret } from "../../ui/copy";
import { ConfirmDialog } from "../../ui/dialog";
import { formatAgo, formatDate } from "../../ui/format";
import { PageHeader } from "../../ui/page-header";
import { Empty, Loading } from "../../ui/states";
import { Table, type Column } from "../../ui/table";
import { Tabs } from "../../ui/tabs";
import { Tag } from "../../ui/tag";
import { toast } from "../../ui/toast";
import { Time } from "../../ui/time";
import { account_strings } from "../../strings/account";
import { CreateKeyDialog, NewKeyDialog } from "./key-dialogs";
import { environment, languages, snippet, type Language } from "./snippets";

const strings = account_strings.keys;

type State = "active" | "deactivated" | "expired";
const stateOf = ({ active, expires_at }: ApiKey): State =>
  !active
    ? "deactivated"
    : expires_at !== null && Date.parse(expires_at) <= Date.now()
      ? "expired"
      : "active";
const tones = { active: "ok", deactivated: "plain", expired: "warn" } as const;

export default function Keys() {
  const [creating, setCreating] = useState(false);
  const [created, setCreated] = useState<NewApiKey | null>(null);
  const [deactivating, setDeactivating] = useState<ApiKey | null>(null);
  const keys = useQuery({ queryKey: query_keys.keys, queryFn: () => fetchAll<ApiKey>("/keys") });
  const create = (
    <Button kind="primary" icon="plus" data-shortcut="n" onClick={() => setCreating(true)}>
      {strings.create}
    </Button>
  );
  return (
    <>
      <PageHeader
        title={strings.title}
        text={strings.text}
        actions={keys.data?.length === 0 ? undefined : create}
      />
      <section class="card">
        <Loading query={keys} rows={3}>
          {(rows) =>
            rows.length === 0 ? (
              <Empty icon="key" title={strings.empty_title} actions={create}>
                {strings.empty_text}
              </Empty>
            ) : (
              <Table
                label={strings.label}
                columns={columns(setDeactivating)}
                rows={rows}
                row_key={({ id }) => id}
              />
            )
          }
        </Loading>
      </section>
      <Examples />
      {creating && (
        <CreateKeyDialog
          onClose={() => setCreating(false)}
          onCreated={(key) => {
            setCreated(key);
            void refresh(query_keys.keys[0]);
          }}
        />
      )}
      {created && <NewKeyDialog created={created} onClose={() => setCreated(null)} />}
      {deactivating && (
        <DeactivateDialog api_key={deactivating} onClose={() => setDeactivating(null)} />
      )}
    </>
  );
}

const columns = (onDeactivate: (key: ApiKey) => void): readonly Column<ApiKey>[] => [
  {
    key: "name",
    header: strings.name,
    kind: "main",
    cell: ({ name, prefix }) => (
      <span class="two-lines">
        <span class="strong key-name">{name}</span>
        <span class="mono clip">{prefix}…</span>
      </span>
    ),
  },
  {
    key: "scopes",
    header: strings.scopes,
    cell: ({ scopes }) => (
      <span class="nowrap">{scopes.includes("write") ? strings.may.both : strings.may.read}</span>
    ),
  },
  {
    key: "created",
    header: strings.created,
    cell: ({ created_at }) => <Time value={created_at} />,
    roomy_only: true,
  },
  {
    key: "used",
    header: strings.used,
    cell: ({ last_used_at }) => <Time value={last_used_at} missing={strings.never} />,
  },
  {
    key: "expires",
    header: strings.expires,
    cell: ({ expires_at }) =>
      expires_at === null ? (
        <span class="muted">{strings.never}</span>
      ) : (
        <span class="nowrap">{formatDate(expires_at)}</span>
      ),
  },
  {
    key: "status",
    header: strings.status,
    cell: (key) => <Tag tone={tones[stateOf(key)]}>{strings.states[stateOf(key)]}</Tag>,
  },
  {
    key: "actions",
    header: strings.actions,
    kind: "actions",
    cell: (key) =>
      key.active && (
        <Button
          kind="ghost"
          small
          class="bad-text"
          aria-label={strings.deactivate_label(key.name)}
          onClick={() => onDeactivate(key)}
        >
          {strings.deactivate}
        </Button>
      ),
  },
];

function DeactivateDialog({
  api_key: { id, name, last_used_at },
  onClose,
}: {
  readonly api_key: ApiKey;
  readonly onClose: () => void;
}) {
  const deactivate = async () => {
    await api(`/keys/${id}/deactivate`, { method: "POST" });
    toast({ text: strings.deactivated });
    await refresh(query_keys.keys[0]);
  };
  return (
    <ConfirmDialog
      title={strings.deactivate_title(name)}
      confirm_label={strings.deactivate}
      onClose={onClose}
      onConfirm={deactivate}
    >
      <p>{strings.deactivate_text}</p>
      <p>
        {last_used_at === null
          ? strings.deactivate_unused
          : strings.deactivate_used(formatAgo(last_used_at))}
      </p>
    </ConfirmDialog>
  );
}

/** How a program lists the folders, in several languages. */
function Examples() {
  const [language, setLanguage] = useState<Language>("curl");
  return (
    <section class="card card-body stack">
      <div class="stack-small">
        <h2>{strings.try_title}</h2>
        <p class="muted">{strings.try_text}</p>
      </div>
      <Secret label={strings.env_label} text={environment("dsk_…")} />
      <Tabs
        label={strings.try_language}
        items={languages.map((name) => ({ key: name, label: name }))}
        active={language}
        onActive={(name) => setLanguage(name as Language)}
      >
        <CodeBlock
          label={strings.code_label(language)}
          code={snippet(language, location.origin + base_path)}
        />
      </Tabs>
    </section>
  );
}
