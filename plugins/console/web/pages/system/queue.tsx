/** The queue: jobs by kind with reasons for failure, folders being indexed, and the intake. */
import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { api } from "../../api/client";
import { keys, refresh } from "../../api/queries";
import type { Answer } from "../../api/types";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/dialog";
import { Menu, type MenuItem } from "../../ui/menu";
import { Note } from "../../ui/note";
import { Empty, Loading } from "../../ui/states";
import { Table, type Column } from "../../ui/table";
import { toast, toastError } from "../../ui/toast";
import { jobKind } from "../../strings/job-kinds";
import { queue_strings as strings } from "../../strings/queue";
import { JobName } from "./job-name";
import { roughDuration } from "./records";

type Queue = Answer<"getQueue">;
type Kind = Queue["kinds"][number];
type IndexingFolder = Queue["folders"][number];
/** What is to be deleted; `error`: only jobs that failed for this reason. */
interface DropRequest {
  readonly kind: Kind;
  readonly state: "failed" | "ready";
  readonly count: number;
  readonly error?: string;
}

const refresh_ms = 3_000;
const refreshQueue = () => refresh("job", "system", "health");

/** Batch after batch, until none is left. */
async function inBatches<R extends { readonly next: string | null }>(
  path: string,
  body: object,
  onAnswer: (answer: R) => void,
): Promise<void> {
  for (let cursor: string | null | undefined; cursor !== null;) {
    const answer: R = await api(path, {
      method: "POST",
      body: { ...body, ...(cursor ? { after: cursor } : {}) },
    });
    onAnswer(answer);
    cursor = answer.next;
  }
}

async function retryAll({ plugin, name }: Kind, error?: string): Promise<void> {
  let retried = 0;
  let not_retried = 0;
  try {
    await inBatches<Answer<"retryJobKind">>(
      "/system/job-kinds/retry",
      { plugin, name, ...(error === undefined ? {} : { error }) },
      (answer) => {
        retried += answer.retried;
        not_retried += answer.left;
      },
    );
    toast({
      text: not_retried > 0 ? strings.retried_some(retried, not_retried) : strings.retried(retried),
    });
  } catch (failure) {
    toastError(failure);
  }
  await refreshQueue();
}

async function dropAll({ kind: { plugin, name }, state, error }: DropRequest): Promise<void> {
  let dropped = 0;
  await inBatches<Answer<"dropJobKind">>(
    "/system/job-kinds/drop",
    { plugin, name, state, ...(error === undefined ? {} : { error }) },
    (answer) => (dropped += answer.dropped),
  );
  toast({ text: strings.dropped(dropped) });
  await refreshQueue();
}

async function setIntake(intake: Queue["intake"]): Promise<void> {
  await api("/system/queue/intake", { method: "PUT", body: { intake } });
  toast({ text: intake === "paused" ? strings.paused_now : strings.open_now });
  await refreshQueue();
}

/** The state of the queue, refetched every three seconds. */
export function QueueBoard() {
  const [dropping, setDropping] = useState<DropRequest | null>(null);
  const queue = useQuery({
    queryKey: [...keys.jobs, "queue"],
    queryFn: () => api<Queue>("/system/queue"),
    refetchInterval: refresh_ms,
  });
  return (
    <Loading query={queue}>
      {({ intake, kinds, folders, vectors }) => (
        <>
          {intake === "paused" && <PausedNote />}
          <section class="card">
            <div class="card-head">
              <h2>{strings.title}</h2>
              {intake === "open" && <PauseButton />}
            </div>
            {kinds.length === 0 ? (
              <Empty icon="check" title={strings.none}>
                {strings.none_text}
              </Empty>
            ) : (
              <Table
                label={strings.kinds_label}
                columns={kindColumns(setDropping)}
                rows={worstFirst(kinds)}
                row_key={({ plugin, name }) => `${plugin} ${name}`}
              />
            )}
          </section>
          <IndexingFolders folders={folders} />
          <Vectors vectors={vectors} />
          {dropping && <DropDialog dropping={dropping} onClose={() => setDropping(null)} />}
        </>
      )}
    </Loading>
  );
}

const PausedNote = () => (
  <Note
    tone="warn"
    title={strings.paused_title}
    actions={
      <Button small onClick={() => void setIntake("open").catch(toastError)}>
        {strings.resume}
      </Button>
    }
  >
    {strings.paused_text}
  </Note>
);

function PauseButton() {
  const [is_confirming, setConfirming] = useState(false);
  return (
    <>
      <Button small onClick={() => setConfirming(true)}>
        {strings.pause}
      </Button>
      {is_confirming && (
        <ConfirmDialog
          title={strings.pause_title}
          confirm_label={strings.pause}
          onClose={() => setConfirming(false)}
          onConfirm={() => setIntake("paused")}
        >
          <p>{strings.pause_confirm_text}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

const IndexingFolders = ({ folders }: Pick<Queue, "folders">) =>
  folders.length === 0 ? null : (
    <section class="card">
      <div class="card-head">
        <h2>{strings.folders_title}</h2>
      </div>
      <Table
        label={strings.folders_label}
        columns={folder_columns}
        rows={folders}
        row_key={({ folder_id }) => folder_id}
      />
    </section>
  );

async function setVectors(vectors: "open" | "paused"): Promise<void> {
  await api("/system/queue/vectors", { method: "PUT", body: { vectors } });
  const { paused_now, open_now } = strings.vectors;
  toast({ text: vectors === "paused" ? paused_now : open_now });
  await refreshQueue();
}

function Vectors({ vectors }: Pick<Queue, "vectors">) {
  const { state, documents, passages, per_second, left_s, failing } = vectors;
  const texts = strings.vectors;
  const facts = [
    ...(documents > 0 ? [texts.waiting(documents, passages)] : []),
    ...(per_second !== null && documents > 0 ? [texts.per_second(per_second)] : []),
    ...(left_s === null ? [] : [texts.left(roughDuration(Math.max(60, left_s)))]),
  ];
  return (
    <section class="card" aria-labelledby="vectors-title">
      <div class="card-head">
        <h2 id="vectors-title">{texts.title}</h2>
        {state !== "none" && (
          <Button
            small
            onClick={() =>
              void setVectors(state === "paused" ? "open" : "paused").catch(toastError)
            }
          >
            {state === "paused" ? texts.resume : texts.pause}
          </Button>
        )}
      </div>
      <p class="card-foot small muted">
        {[texts.states[state], ...facts.map((fact) => `${fact}.`)].join(" ")}
      </p>
      {failing !== null && <p class="card-foot small bad-text wrap-anywhere">{failing}</p>}
    </section>
  );
}

function DropDialog({
  dropping,
  onClose,
}: {
  readonly dropping: DropRequest;
  readonly onClose: () => void;
}) {
  const { kind, state, count, error } = dropping;
  return (
    <ConfirmDialog
      title={strings.drop_title(jobKind(kind.name).words)}
      confirm_label={strings.drop}
      onClose={onClose}
      onConfirm={() => dropAll(dropping)}
    >
      <p>{strings.drop_texts[state](count)}</p>
      {error !== undefined && <p class="wrap-anywhere">{error}</p>}
    </ConfirmDialog>
  );
}

const worstFirst = (kinds: readonly Kind[]): readonly Kind[] =>
  [...kinds].sort((a, b) => b.failed - a.failed || b.running - a.running || b.ready - a.ready);

type OnDrop = (dropping: DropRequest) => void;

function itemsOf(kind: Kind, onDrop: OnDrop): readonly MenuItem[] {
  const { failed, ready } = kind;
  const items: MenuItem[] = [];
  if (failed > 0 && kind.can_retry)
    items.push({ label: strings.retry_all, icon: "refresh", run: () => void retryAll(kind) });
  if (failed > 0)
    items.push({
      label: strings.drop_failed,
      icon: "trash",
      danger: true,
      run: () => onDrop({ kind, state: "failed", count: failed }),
    });
  if (ready > 0 && kind.can_drop)
    items.push({
      label: strings.drop_waiting,
      icon: "trash",
      danger: true,
      run: () => onDrop({ kind, state: "ready", count: ready }),
    });
  return items;
}

function Reason({
  kind,
  reason: { error, jobs },
  onDrop,
}: {
  readonly kind: Kind;
  readonly reason: Kind["reasons"][number];
  readonly onDrop: OnDrop;
}) {
  const drop: MenuItem = {
    label: strings.drop_reason,
    icon: "trash",
    danger: true,
    run: () => onDrop({ kind, state: "failed", count: jobs, error }),
  };
  const retry: MenuItem = {
    label: strings.retry_reason,
    icon: "refresh",
    run: () => void retryAll(kind, error),
  };
  return (
    <span class="row">
      <span class="num nowrap">{strings.times(jobs)}</span>
      <span class="bad-text wrap-anywhere">{error}</span>
      <Menu label={strings.reason_menu(error)} items={kind.can_retry ? [retry, drop] : [drop]} />
    </span>
  );
}

const kindColumns = (onDrop: OnDrop): readonly Column<Kind>[] => [
  {
    key: "kind",
    header: strings.kind,
    kind: "main",
    cell: (kind) => (
      <span class="two-lines">
        <JobName name={kind.name} />
        {kind.reasons.map((reason) => (
          <Reason key={reason.error} kind={kind} reason={reason} onDrop={onDrop} />
        ))}
      </span>
    ),
  },
  ...(["ready", "running", "failed"] as const).map((state): Column<Kind> => ({
    key: state,
    header: { ready: strings.waiting, running: strings.running, failed: strings.failed }[state],
    kind: "end",
    cell: (kind) => <span class="num">{kind[state]}</span>,
  })),
  {
    key: "actions",
    header: strings.actions,
    kind: "actions",
    cell: (kind) => {
      const items = itemsOf(kind, onDrop);
      return (
        items.length > 0 && <Menu label={strings.menu(jobKind(kind.name).words)} items={items} />
      );
    },
  },
];

const folder_columns: readonly Column<IndexingFolder>[] = [
  {
    key: "owner",
    header: strings.owner,
    kind: "main",
    cell: ({ owner, folder_id }) => (
      <span class="two-lines">
        <span class="wrap-anywhere">{owner ?? strings.unknown}</span>
        <span class="mono wrap-anywhere">{folder_id}</span>
      </span>
    ),
  },
  {
    key: "waiting",
    header: strings.waiting,
    kind: "end",
    cell: ({ waiting }) => <span class="num">{waiting}</span>,
  },
  {
    key: "speed",
    header: strings.speed,
    kind: "tight",
    cell: ({ per_minute }) => (
      <span class="num">
        {per_minute === null ? strings.unknown : strings.per_minute(per_minute)}
      </span>
    ),
  },
  {
    key: "left",
    header: strings.left,
    kind: "tight",
    cell: ({ left_s }) => (
      <span class="num">
        {left_s === null ? strings.unknown : roughDuration(Math.max(60, left_s))}
      </span>
    ),
  },
];
