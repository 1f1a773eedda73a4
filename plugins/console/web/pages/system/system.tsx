/**
 * System, for administrators: health, jobs, storage, plugins, the log and the settings in force.
 */
import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { Link, useLocation, useSearch } from "wouter-preact";
import { api } from "../../api/client";
import { keys, refresh } from "../../api/queries";
import type { Answer } from "../../api/types";
import { forPeople } from "../../ui/sentence";
import { Button } from "../../ui/button";
import { formatBytes } from "../../ui/format";
import { Note } from "../../ui/note";
import { PageHeader } from "../../ui/page-header";
import { RecordPage } from "../../ui/record-page";
import { Table, type Column } from "../../ui/table";
import { Tabs } from "../../ui/tabs";
import { Tag } from "../../ui/tag";
import { toast, toastError } from "../../ui/toast";
import { system_strings as strings } from "../../strings/system";
import { state_columns } from "../plugins/columns";
import { Jobs } from "./jobs";
import { Logs } from "./logs";
import { Models } from "./models";
import { Nodes } from "./nodes";
import { Settings } from "./settings";
import { QueueBoard } from "./queue";
import {
  check_tones,
  roughDuration,
  type Check,
  type PluginState,
  type SystemState,
} from "./records";

const refresh_ms = 5_000;
type Part = keyof typeof strings.tabs;

export default function System() {
  const [, navigate] = useLocation();
  const named_part = new URLSearchParams(useSearch()).get("part") ?? "health";
  const part: Part = named_part in strings.tabs ? (named_part as Part) : "health";
  const system = useQuery({
    queryKey: keys.system,
    queryFn: () => api<SystemState>("/system"),
    refetchInterval: refresh_ms,
  });
  return (
    <RecordPage query={system} title={strings.title}>
      {(state) => (
        <>
          <PageHeader
            title={strings.title}
            text={[
              strings.text(state.version, state.commit),
              strings.uptime(roughDuration(state.uptime_s)),
            ].join(", ")}
          />
          {state.storage.free_bytes < free_bytes_low && (
            <Note tone="bad" title={strings.low}>
              {strings.low_text}
            </Note>
          )}
          <Tabs
            label={strings.parts}
            active={part}
            onActive={(key) => navigate(`/system?part=${key}`, { replace: true })}
            items={Object.entries(strings.tabs).map(([key, label]) => ({
              key,
              label,
              count: key === "jobs" && state.jobs.failed > 0 ? state.jobs.failed : undefined,
            }))}
          >
            <Panel part={part} state={state} />
          </Tabs>
        </>
      )}
    </RecordPage>
  );
}

const free_bytes_low = 512 * 2 ** 20;
function Panel({ part, state }: { readonly part: Part; readonly state: SystemState }) {
  if (part === "jobs")
    return (
      <div class="stack">
        <QueueBoard />
        <Jobs />
      </div>
    );
  if (part === "storage") return <Storage state={state} />;
  if (part === "plugins")
    return (
      <section class="card">
        <Table
          label={strings.plugins_label}
          columns={plugin_columns}
          rows={worstFirst(state.plugins)}
          row_key={({ name }) => name}
        />
        <p class="card-foot small muted">
          {strings.plugins_text} <Link href="/plugins">{strings.plugins_link}</Link>
        </p>
      </section>
    );
  if (part === "logs") return <Logs />;
  if (part === "models") return <Models />;
  if (part === "sign_in") return <Models group="sign_in" />;
  if (part === "settings") return <Settings />;
  return (
    <div class="stack">
      <section class="card">
        <Table
          label={strings.checks_label}
          columns={check_columns}
          rows={state.checks}
          row_key={({ name }) => name}
        />
      </section>
      <Nodes nodes={state.nodes} />
    </div>
  );
}

function MendButton({ id, name }: Pick<Check, "id" | "name">) {
  const [busy, setBusy] = useState(false);
  const mend = async () => {
    setBusy(true);
    try {
      const { done } = await api<Answer<"mendCheck">>(`/system/checks/${id}/mend`, {
        method: "POST",
      });
      toast({ text: done });
    } catch (error) {
      toastError(error);
    }
    setBusy(false);
    await refresh(...keys.system);
  };
  return (
    <Button small busy={busy} aria-label={strings.mend_label(name)} onClick={() => void mend()}>
      {strings.mend}
    </Button>
  );
}

const check_columns: readonly Column<Check>[] = [
  {
    key: "check",
    header: strings.check,
    kind: "main",
    cell: ({ name, detail, fix }) => (
      <span class="two-lines">
        <span class="strong">{name}</span>
        <span class="wrap-anywhere">{forPeople(detail)}</span>
        {fix && (
          <span class="wrap-anywhere">
            {strings.fix} {forPeople(fix)}
          </span>
        )}
      </span>
    ),
  },
  {
    key: "status",
    header: strings.status,
    kind: "tight",
    cell: ({ status }) => <Tag tone={check_tones[status]}>{strings.states[status]}</Tag>,
  },
  {
    key: "mend",
    header: strings.actions,
    kind: "actions",
    cell: ({ id, name, mendable }) => mendable && <MendButton id={id} name={name} />,
  },
];

const worst_first: readonly PluginState["status"][] = ["left_out", "failing", "loaded", "disabled"];
const worstFirst = (plugins: readonly PluginState[]) =>
  [...plugins].sort((a, b) => worst_first.indexOf(a.status) - worst_first.indexOf(b.status));

const plugin_columns: readonly Column<PluginState>[] = [
  {
    key: "name",
    header: strings.plugin,
    kind: "main",
    cell: ({ name, reason }) => (
      <span class="two-lines">
        <span class="strong">{name}</span>
        {reason && <span class="bad-text wrap-anywhere">{reason}</span>}
      </span>
    ),
  },
  ...state_columns,
];

function Storage({ state: { storage } }: { readonly state: SystemState }) {
  return (
    <section class="card card-body stack">
      <h2>{strings.storage_title}</h2>
      <dl class="numbers">
        <div>
          <dt>{strings.database}</dt>
          <dd>{formatBytes(storage.database_bytes)}</dd>
        </div>
        <div>
          <dt>{strings.reusable}</dt>
          <dd>{formatBytes(storage.database_free_bytes)}</dd>
        </div>
        <div>
          <dt>{strings.files}</dt>
          <dd>
            {storage.files_bytes === null ? strings.measuring : formatBytes(storage.files_bytes)}
          </dd>
        </div>
        <div>
          <dt>{strings.free}</dt>
          <dd>{formatBytes(storage.free_bytes)}</dd>
        </div>
      </dl>
      {!storage.database_shrinks && <p class="muted">{strings.compact_text}</p>}
      <div class="stack-small">
        <h3>{strings.backup_title}</h3>
        <p class="muted">{strings.backup_text}</p>
        <p>
          <Link href="/backups">{strings.backup_link}</Link>
        </p>
      </div>
    </section>
  );
}
