/** The jobs of the server, by state; failed ones can be retried. */
import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { api } from "../../api/client";
import { keys, refresh } from "../../api/queries";
import type { Page } from "../../api/types";
import { Button } from "../../ui/button";
import { Segments } from "../../ui/field";
import { PagedTable } from "../../ui/paged-table";
import { Empty } from "../../ui/states";
import type { Column } from "../../ui/table";
import { toast, toastError } from "../../ui/toast";
import { Time } from "../../ui/time";
import { jobKind } from "../../strings/job-kinds";
import { system_strings as strings } from "../../strings/system";
import { JobName } from "./job-name";
import type { Job } from "./records";

const states = ["failed", "running", "ready"] as const;
type State = (typeof states)[number];
const refresh_ms = 3_000;

async function runAgain({ id }: Job): Promise<void> {
  try {
    await api(`/system/jobs/${id}/retry`, { method: "POST" });
    toast({ text: strings.running_again });
  } catch (error) {
    toastError(error);
  }
  await refresh("job", "system");
}

const columns: readonly Column<Job>[] = [
  {
    key: "job",
    header: strings.job,
    kind: "main",
    cell: ({ name, subject, error }) => (
      <span class="two-lines">
        <JobName name={name} />
        {error ? (
          <span class="bad-text wrap-anywhere">{error}</span>
        ) : (
          subject && <span class="mono">{subject}</span>
        )}
      </span>
    ),
  },
  {
    key: "attempts",
    header: strings.attempts,
    kind: "tight",
    cell: ({ attempts, attempts_max }) => (
      <span class="num">{strings.of(attempts, attempts_max)}</span>
    ),
  },
  {
    key: "due",
    header: strings.due,
    kind: "tight",
    cell: ({ run_at }) => <Time value={run_at} />,
    wide_only: true,
  },
  {
    key: "made",
    header: strings.made,
    kind: "tight",
    cell: ({ created_at }) => <Time value={created_at} />,
  },
  {
    key: "actions",
    header: strings.actions,
    kind: "actions",
    cell: (job) =>
      job.retriable && (
        <Button
          small
          icon="refresh"
          aria-label={strings.run_again_label(jobKind(job.name).words)}
          onClick={() => void runAgain(job)}
        >
          {strings.run_again}
        </Button>
      ),
  },
];

/** Jobs in a chosen state, page by page. */
export function Jobs() {
  const [state, setState] = useState<State>("failed");
  const [page, setPage] = useState(1);
  const jobs = useQuery({
    queryKey: [...keys.jobs, state, page],
    queryFn: () => api<Page<Job>>("/system/jobs", { query: { state, page } }),
    refetchInterval: refresh_ms,
    placeholderData: (previous) => previous,
  });
  return (
    <section class="card">
      <div class="card-head">
        <Segments
          label={strings.job_filter}
          value={state}
          onValue={(value) => {
            setState(value as State);
            setPage(1);
          }}
          options={states.map((value) => ({ value, label: strings.job_states[value]! }))}
        />
      </div>
      <PagedTable
        query={jobs}
        page={page}
        onPage={setPage}
        label={strings.jobs_label}
        columns={columns}
        empty={
          <Empty icon="check" title={strings.no_jobs}>
            {state === "failed" ? strings.no_jobs_text.failed : strings.no_jobs_text.other}
          </Empty>
        }
      />
    </section>
  );
}
