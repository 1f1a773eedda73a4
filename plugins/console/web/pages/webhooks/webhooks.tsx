/** Webhooks: which addresses are told of what, and how the last delivery went. */
import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { api } from "../../api/client";
import { keys, refresh } from "../../api/queries";
import { Button } from "../../ui/button";
import { Time } from "../../ui/format";
import { PageHeader } from "../../ui/page-header";
import { Empty, Loading } from "../../ui/states";
import { Table, type Column } from "../../ui/table";
import { Tag } from "../../ui/tag";
import { webhook_words as words } from "../../words/webhooks";
import { CreateWebhookDialog, SecretOnce } from "./dialogs";
import { tones, type Webhook, type WebhookWithSecret } from "./records";

const columns: readonly Column<Webhook>[] = [
  {
    key: "url",
    header: words.url,
    kind: "main",
    cell: ({ id, url, event_type }) => (
      <span class="two-lines">
        <Link href={`/webhooks/${id}`} class="title-link clip">
          {url}
        </Link>
        <span>{words.events[event_type] ?? event_type}</span>
      </span>
    ),
  },
  {
    key: "last",
    header: words.last,
    kind: "tight",
    cell: ({ last_delivery }) =>
      last_delivery === null ? (
        <span class="muted">{words.none_yet}</span>
      ) : (
        <span class="row">
          <Tag tone={tones[last_delivery.status]}>{words.states[last_delivery.status]}</Tag>
          <span class="muted small">
            <Time value={last_delivery.created_at} />
          </span>
        </span>
      ),
  },
  {
    key: "created",
    header: words.created,
    kind: "tight",
    cell: ({ created_at }) => <Time value={created_at} />,
    wide_only: true,
  },
];

export default function Webhooks() {
  const [creating, setCreating] = useState(false);
  const [fresh, setFresh] = useState<WebhookWithSecret | null>(null);
  const webhooks = useQuery({
    queryKey: keys.webhooks,
    queryFn: () => api<readonly Webhook[]>("/webhooks"),
  });
  const create = (
    <Button kind="primary" icon="plus" data-shortcut="n" onClick={() => setCreating(true)}>
      {words.create}
    </Button>
  );
  return (
    <>
      <PageHeader
        title={words.title}
        text={words.text}
        actions={webhooks.data?.length === 0 ? undefined : create}
      />
      <section class="card">
        <Loading query={webhooks} rows={3}>
          {(rows) =>
            rows.length === 0 ? (
              <Empty icon="webhook" title={words.empty_title} actions={create}>
                {words.empty_text}
              </Empty>
            ) : (
              <Table label={words.label} columns={columns} rows={rows} row_key={({ id }) => id} />
            )
          }
        </Loading>
      </section>
      {creating && (
        <CreateWebhookDialog
          onClose={() => setCreating(false)}
          onCreated={(webhook) => {
            setFresh(webhook);
            void refresh("webhook");
          }}
        />
      )}
      {fresh && <SecretOnce secret={fresh.secret} onClose={() => setFresh(null)} />}
    </>
  );
}
