/** API keys: what there is, what they may do, when they were used; a new one is shown once. */
import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { api } from "../../api/client";
import { fetchAll, keys as query_keys, refresh } from "../../api/queries";
import type { ApiKey, NewApiKey } from "../../api/types";
import { Button } from "../../ui/button";
import { CodeBlock, Secret } from "../../ui/copy";
import { ConfirmDialog } from "../../ui/dialog";
import { formatAgo, formatDate, Time } from "../../ui/format";
import { PageHeader } from "../../ui/page-header";
import { Empty, Loading } from "../../ui/states";
import { Table, type Column } from "../../ui/table";
import { Tabs } from "../../ui/tabs";
import { Tag } from "../../ui/tag";
import { toast } from "../../ui/toast";
import { account_words } from "../../words/account";
import { CreateKeyDialog, ShownOnce } from "./key-dialogs";
import { environment, languages, snippet, type Language } from "./snippets";

const words = account_words.keys;

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
  const [fresh, setFresh] = useState<NewApiKey | null>(null);
  const [ending, setEnding] = useState<ApiKey | null>(null);
  const keys = useQuery({ queryKey: query_keys.keys, queryFn: () => fetchAll<ApiKey>("/keys") });
  const create = (
    <Button kind="primary" icon="plus" data-shortcut="n" onClick={() => setCreating(true)}>
      {words.create}
    </Button>
  );
  const columns: readonly Column<ApiKey>[] = [
    {
      key: "name",
      header: words.name,
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
      header: words.scopes,
      cell: ({ scopes }) => (
        <span class="nowrap">{scopes.includes("write") ? words.may.both : words.may.read}</span>
      ),
    },
    {
      key: "created",
      header: words.created,
      cell: ({ created_at }) => <Time value={created_at} />,
      roomy_only: true,
    },
    {
      key: "used",
      header: words.used,
      cell: ({ last_used_at }) => <Time value={last_used_at} missing={words.never} />,
    },
    {
      key: "expires",
      header: words.expires,
      cell: ({ expires_at }) =>
        expires_at === null ? (
          <span class="muted">{words.never}</span>
        ) : (
          <span class="nowrap">{formatDate(expires_at)}</span>
        ),
    },
    {
      key: "status",
      header: words.status,
      cell: (key) => <Tag tone={tones[stateOf(key)]}>{words.states[stateOf(key)]}</Tag>,
    },
    {
      key: "actions",
      header: words.actions,
      kind: "actions",
      cell: (key) =>
        key.active && (
          <Button
            kind="ghost"
            small
            class="bad-text"
            aria-label={words.deactivate_label(key.name)}
            onClick={() => setEnding(key)}
          >
            {words.deactivate}
          </Button>
        ),
    },
  ];
  return (
    <>
      <PageHeader
        title={words.title}
        text={words.text}
        actions={keys.data?.length === 0 ? undefined : create}
      />
      <section class="card">
        <Loading query={keys} rows={3}>
          {(rows) =>
            rows.length === 0 ? (
              <Empty icon="key" title={words.empty_title} actions={create}>
                {words.empty_text}
              </Empty>
            ) : (
              <Table label={words.label} columns={columns} rows={rows} row_key={({ id }) => id} />
            )
          }
        </Loading>
      </section>
      <Examples />
      {creating && (
        <CreateKeyDialog
          onClose={() => setCreating(false)}
          onCreated={(key) => {
            setFresh(key);
            void refresh(query_keys.keys[0]);
          }}
        />
      )}
      {fresh && <ShownOnce created={fresh} onClose={() => setFresh(null)} />}
      {ending && (
        <ConfirmDialog
          title={words.deactivate_title(ending.name)}
          confirm_label={words.deactivate}
          onClose={() => setEnding(null)}
          onConfirm={async () => {
            await api(`/keys/${ending.id}/deactivate`, { method: "POST" });
            toast({ text: words.deactivated });
            await refresh(query_keys.keys[0]);
          }}
        >
          <p>{words.deactivate_text}</p>
          <p>
            {ending.last_used_at === null
              ? words.deactivate_unused
              : words.deactivate_used(formatAgo(ending.last_used_at))}
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

function Examples() {
  const [language, setLanguage] = useState<Language>("curl");
  return (
    <section class="card card-body stack">
      <div class="stack-small">
        <h2>{words.try_title}</h2>
        <p class="muted">{words.try_text}</p>
      </div>
      <Secret label={words.env_label} text={environment("dsk_…")} />
      <Tabs
        label={words.try_language}
        items={languages.map((name) => ({ key: name, label: name }))}
        active={language}
        onActive={(name) => setLanguage(name as Language)}
      >
        <CodeBlock label={words.code_label(language)} code={snippet(language, location.origin)} />
      </Tabs>
    </section>
  );
}
