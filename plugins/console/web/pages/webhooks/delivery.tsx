/** One delivery in a panel: what was sent, the response to each attempt, and sending it again. */
import { useState } from "preact/hooks";
import { api } from "../../api/client";
import { refresh } from "../../api/queries";
import { Button } from "../../ui/button";
import { CodeBlock } from "../../ui/copy";
import { Drawer } from "../../ui/dialog";
import { formatDateTime } from "../../ui/format";
import { Tabs } from "../../ui/tabs";
import { Tag } from "../../ui/tag";
import { toast, toastError } from "../../ui/toast";
import { Time } from "../../ui/time";
import { webhook_strings as strings } from "../../strings/webhooks";
import { readable, tones, type Attempt, type Delivery } from "./records";

/** The panel of a delivery. */
export function DeliveryDrawer({
  delivery,
  onClose,
}: {
  readonly delivery: Delivery;
  readonly onClose: () => void;
}) {
  const [part, setPart] = useState("response");
  const { id, webhook_id, status, created_at, next_attempt_at, attempts, request_body } = delivery;
  const redeliver = async () => {
    try {
      await api(`/webhooks/${webhook_id}/deliveries/${id}/redeliver`, { method: "POST" });
      toast({ text: strings.sent_again });
      onClose();
    } catch (error) {
      toastError(error);
    }
    await refresh("delivery", "webhook");
  };
  return (
    <Drawer title={strings.events[delivery.event_type] ?? delivery.event_type} onClose={onClose}>
      <div class="stack">
        <div class="stack-small">
          <span>
            <Tag tone={tones[status]}>{strings.states[status]}</Tag>
          </span>
          <p class="muted small">{strings.state_texts[status]}</p>
        </div>
        <dl class="facts">
          <dt>{strings.due}</dt>
          <dd>{formatDateTime(created_at)}</dd>
          {next_attempt_at !== null && (
            <>
              <dt>{strings.next}</dt>
              <dd>
                <Time value={next_attempt_at} />
              </dd>
            </>
          )}
          <dt>{strings.id}</dt>
          <dd class="mono">{id}</dd>
        </dl>
        <Tabs
          label={strings.deliveries_label}
          items={[
            { key: "response", label: strings.response, count: attempts.length },
            { key: "request", label: strings.request },
          ]}
          active={part}
          onActive={setPart}
        >
          {part === "request" ? (
            <CodeBlock label={strings.request_label} code={readable(request_body)} />
          ) : (
            <Attempts attempts={attempts} />
          )}
        </Tabs>
        {status !== "pending" && (
          <Button icon="refresh" onClick={redeliver}>
            {strings.again}
          </Button>
        )}
      </div>
    </Drawer>
  );
}

/** Newest first. */
function Attempts({ attempts }: { readonly attempts: readonly Attempt[] }) {
  if (attempts.length === 0) return <p class="muted">{strings.no_attempts}</p>;
  return (
    <ol class="plain-list stack">
      {attempts
        .map((attempt, index) => ({ attempt, number: index + 1 }))
        .reverse()
        .map(({ attempt, number }) => (
          <li key={number} class="stack-small">
            <p class="row row-wrap row-between">
              <span class="strong">
                {strings.attempt(number)}
                {attempt.status_code !== null && <span class="num"> · {attempt.status_code}</span>}
              </span>
              <span class="muted small">
                {formatDateTime(attempt.at)} · {strings.milliseconds(attempt.duration_ms)}
              </span>
            </p>
            {attempt.error !== null && <p class="small bad-text">{attempt.error}</p>}
            {attempt.response_body !== null &&
              (attempt.response_body === "" ? (
                <p class="muted small">{strings.empty_body}</p>
              ) : (
                <CodeBlock
                  label={strings.response_label(number)}
                  code={readable(attempt.response_body)}
                />
              ))}
          </li>
        ))}
    </ol>
  );
}
