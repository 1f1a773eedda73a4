/** Webhooks: the addresses, their events, and the last delivery to each. */
import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { api } from "../../api/client";
import { keys, refresh } from "../../api/queries";
import { Button } from "../../ui/button";
import { PageHeader } from "../../ui/page-header";
import { Empty, Loading } from "../../ui/states";
import { Table, type Column } from "../../ui/table";
import { Tag } from "../../ui/tag";
import { Time } from "../../ui/time";
import { webhook_strings as strings } from "../../strings/webhooks";
import { CreateWebhookDialog, SigningSecretDialog } from "./dialogs";
import { tones, type Webhook, type WebhookWithSecret } from "./records";

const columns: readonly Column<Webhook>[] = [
  {
    key: "url",
    header: strings.url,
    kind: "main",
    cell: ({ id, url, event_type }) => (
      <span class="two-lines">
        <Link href={`/webhooks/${id}`} class="title-link clip">
          {url}
        </Link>
        <span>{strings.events[event_type] ?? event_type}</span>
      </span>
    ),
  },
  {
    key: "last",
    header: strings.last,
    kind: "tight",
    cell: ({ last_delivery }) =>
      last_delivery === null ? (
        <span class="muted">{strings.none_yet}</span>
      ) : (
        <span class="row">
          <Tag tone={tones[last_delivery.status]}>{strings.states[last_delivery.status]}</Tag>
          <span class="muted small">
            <Time value={last_delivery.created_at} />
          </span>
        </span>
      ),
  },
  {
    key: "created",
    header: strings.created,
    kind: "tight",
    cell: ({ created_at }) => <Time value={created_at} />,
    wide_only: true,
  },
];

export default function Webhooks() {
  const [creating, setCreating] = useState(false);
  const [created, setCreated] = useState<WebhookWithSecret | null>(null);
  const webhooks = useQuery({
    queryKey: keys.webhooks,
    queryFn: () => api<readonly Webhook[]>("/webhooks"),
  });
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
        actions={webhooks.data?.length === 0 ? undefined : create}
      />
      <section class="card">
        <Loading query={webhooks} rows={3}>
          {(rows) =>
            rows.length === 0 ? (
              <Empty icon="webhook" title={strings.empty_title} actions={create}>
                {strings.empty_text}
              </Empty>
            ) : (
              <Table label={strings.label} columns={columns} rows={rows} row_key={({ id }) => id} />
            )
          }
        </Loading>
      </section>
      {creating && (
        <CreateWebhookDialog
          onClose={() => setCreating(false)}
          onCreated={(webhook) => {
            setCreated(webhook);
            void refresh("webhook");
          }}
        />
      )}
      {created && <SigningSecretDialog secret={created.secret} onClose={() => setCreated(null)} />}
    </>
  );
}
