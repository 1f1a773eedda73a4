/** One webhook: its event, its deliveries, testing, rotating and deleting it. */
import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { api } from "../../api/client";
import { keys, refresh } from "../../api/queries";
import type { Page } from "../../api/types";
import type { PageParams } from "../../app/page";
import { Button } from "../../ui/button";
import { ConfirmDialog, FormDialog } from "../../ui/dialog";
import { formatDateTime } from "../../ui/format";
import { Menu } from "../../ui/menu";
import { PageHeader } from "../../ui/page-header";
import { PagedTable } from "../../ui/paged-table";
import { RecordPage } from "../../ui/record-page";
import { Empty } from "../../ui/states";
import type { Column } from "../../ui/table";
import { Tag } from "../../ui/tag";
import { toast, toastError } from "../../ui/toast";
import { Time } from "../../ui/time";
import { webhook_strings as strings } from "../../strings/webhooks";
import { DeliveryDrawer } from "./delivery";
import { SigningSecretDialog, VerificationExample } from "./dialogs";
import { tones, type Delivery, type Webhook, type WebhookWithSecret } from "./records";

const crumbs = [{ label: strings.title, href: "/webhooks" }];
type OpenDialog = "remove" | "rotate" | null;

export default function WebhookPage({ params }: { readonly params: PageParams }) {
  const id = params.id!;
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const webhook = useQuery({
    queryKey: [...keys.webhooks, id],
    queryFn: () => api<Webhook>(`/webhooks/${id}`),
  });
  const close = () => setDialog(null);
  return (
    <RecordPage query={webhook} title={strings.one} crumbs={crumbs}>
      {({ url, event_type }) => (
        <>
          <PageHeader
            title={url}
            text={strings.events[event_type] ?? event_type}
            crumbs={crumbs}
            actions={<Actions id={id} onDialog={setDialog} />}
          />
          <Deliveries webhook_id={id} />
          <section class="card card-body">
            <VerificationExample />
          </section>
          {dialog === "remove" && <RemoveDialog id={id} url={url} onClose={close} />}
          {dialog === "rotate" && <RotateDialog id={id} onRotated={setSecret} onClose={close} />}
          {secret !== null && (
            <SigningSecretDialog secret={secret} onClose={() => setSecret(null)} />
          )}
        </>
      )}
    </RecordPage>
  );
}

async function sendTest(webhook_id: string): Promise<void> {
  try {
    await api(`/webhooks/${webhook_id}/test`, { method: "POST" });
    toast({ text: strings.tested });
  } catch (error) {
    toastError(error);
  }
  await refresh("delivery", "webhook");
}

const Actions = ({
  id,
  onDialog,
}: {
  readonly id: string;
  readonly onDialog: (dialog: OpenDialog) => void;
}) => (
  <>
    <Button icon="send" onClick={() => void sendTest(id)}>
      {strings.test}
    </Button>
    <Menu
      label={strings.actions}
      small={false}
      items={[
        { label: strings.rotate, icon: "key", run: () => onDialog("rotate") },
        "separator",
        { label: strings.remove, icon: "trash", danger: true, run: () => onDialog("remove") },
      ]}
    />
  </>
);

function RemoveDialog({
  id,
  url,
  onClose,
}: {
  readonly id: string;
  readonly url: string;
  readonly onClose: () => void;
}) {
  const [, navigate] = useLocation();
  const remove = async () => {
    await api(`/webhooks/${id}`, { method: "DELETE" });
    toast({ text: strings.removed });
    navigate("/webhooks");
    await refresh("webhook");
  };
  return (
    <ConfirmDialog
      title={strings.remove_title}
      confirm_label={strings.remove}
      onClose={onClose}
      onConfirm={remove}
    >
      <p class="mono">{url}</p>
      <p>{strings.remove_text}</p>
    </ConfirmDialog>
  );
}

function RotateDialog({
  id,
  onRotated,
  onClose,
}: {
  readonly id: string;
  readonly onRotated: (secret: string) => void;
  readonly onClose: () => void;
}) {
  const rotate = async () => {
    const path = `/webhooks/${id}/rotate-secret`;
    onRotated((await api<WebhookWithSecret>(path, { method: "POST" })).secret);
  };
  return (
    <FormDialog
      title={strings.rotate_title}
      submit_label={strings.rotate}
      onClose={onClose}
      onSubmit={rotate}
    >
      <p>{strings.rotate_text}</p>
    </FormDialog>
  );
}

const lastAttempt = ({ attempts }: Delivery) => attempts.at(-1);

const columns = (show: (delivery: Delivery) => void): readonly Column<Delivery>[] => [
  {
    key: "due",
    header: strings.due,
    kind: "main",
    cell: ({ created_at }) => <Time value={created_at} />,
  },
  {
    key: "status",
    header: strings.status,
    kind: "tight",
    cell: ({ status }) => <Tag tone={tones[status]}>{strings.states[status]}</Tag>,
  },
  {
    key: "answer",
    header: strings.answer,
    kind: "tight",
    cell: (delivery) => (
      <span class="num">
        {lastAttempt(delivery)?.status_code ?? (
          <span class="muted">{lastAttempt(delivery) ? strings.no_answer : "–"}</span>
        )}
      </span>
    ),
  },
  {
    key: "attempts",
    header: strings.attempts,
    kind: "end",
    cell: ({ attempts }) => attempts.length,
  },
  {
    key: "took",
    header: strings.took,
    kind: "end",
    cell: (delivery) => {
      const attempt = lastAttempt(delivery);
      return attempt ? strings.milliseconds(attempt.duration_ms) : "–";
    },
    wide_only: true,
  },
  {
    key: "next",
    header: strings.next,
    kind: "tight",
    cell: ({ next_attempt_at }) => <Time value={next_attempt_at} />,
    wide_only: true,
  },
  {
    key: "actions",
    header: strings.actions,
    kind: "actions",
    cell: (delivery) => (
      <Button
        small
        kind="ghost"
        aria-label={strings.show_label(formatDateTime(delivery.created_at))}
        onClick={() => show(delivery)}
      >
        {strings.show}
      </Button>
    ),
  },
];

/** Refetched often while a delivery is pending: the next attempt is a matter of seconds. */
const pending_ms = 2_000;

function Deliveries({ webhook_id }: { readonly webhook_id: string }) {
  const [page, setPage] = useState(1);
  const [open_id, setOpenId] = useState<string | null>(null);
  const deliveries = useQuery({
    queryKey: [...keys.deliveries(webhook_id), page],
    queryFn: () => api<Page<Delivery>>(`/webhooks/${webhook_id}/deliveries`, { query: { page } }),
    placeholderData: (previous) => previous,
    refetchInterval: ({ state }) =>
      state.data?.data.some(({ status }) => status === "pending") ? pending_ms : false,
  });
  const open = deliveries.data?.data.find(({ id }) => id === open_id);
  return (
    <section class="card">
      <div class="card-head">
        <h2>{strings.deliveries}</h2>
        <span class="muted small">{strings.deliveries_text}</span>
      </div>
      <PagedTable
        query={deliveries}
        page={page}
        onPage={setPage}
        label={strings.deliveries_label}
        columns={columns(({ id }) => setOpenId(id))}
        empty={
          <Empty
            icon="send"
            title={strings.no_deliveries_title}
            actions={<Button onClick={() => void sendTest(webhook_id)}>{strings.test}</Button>}
          >
            {strings.no_deliveries_text}
          </Empty>
        }
      />
      {open && <DeliveryDrawer delivery={open} onClose={() => setOpenId(null)} />}
    </section>
  );
}
