/** The schedules of imports, and deleting one. */
import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { api } from "../../api/client";
import { keys, refresh } from "../../api/queries";
import type { Page } from "../../api/types";
import { Button, ButtonLink } from "../../ui/button";
import { ConfirmDialog } from "../../ui/dialog";
import { PagedTable } from "../../ui/paged-table";
import { Empty } from "../../ui/states";
import type { Column } from "../../ui/table";
import { toast } from "../../ui/toast";
import { Time } from "../../ui/time";
import { import_strings as strings } from "../../strings/imports";
import { FolderLink } from "../folders/folder-link";
import { kindOf, sourceText, type ImportSchedule } from "./records";

/** The list of schedules with the time of their next run. */
export function ImportSchedules() {
  const [page, setPage] = useState(1);
  const [deleting, setDeleting] = useState<ImportSchedule | null>(null);
  const schedules = useQuery({
    queryKey: [...keys.imports, "schedules", page],
    queryFn: () => api<Page<ImportSchedule>>("/import-schedules", { query: { page } }),
    placeholderData: (previous) => previous,
  });
  return (
    <section class="card">
      <PagedTable
        query={schedules}
        page={page}
        onPage={setPage}
        label={strings.schedules}
        columns={columns(setDeleting)}
        empty={
          <Empty
            icon="clock"
            title={strings.no_schedules_title}
            actions={
              <ButtonLink icon="plus" href="/imports/new">
                {strings.create}
              </ButtonLink>
            }
          >
            {strings.no_schedules_text}
          </Empty>
        }
      />
      {deleting && <DeleteScheduleDialog schedule={deleting} onClose={() => setDeleting(null)} />}
    </section>
  );
}

const columns = (
  onDelete: (schedule: ImportSchedule) => void,
): readonly Column<ImportSchedule>[] => [
  {
    key: "source",
    header: strings.source,
    kind: "main",
    cell: ({ source }) => (
      <span class="two-lines">
        <span class="strong clip">{sourceText(source)}</span>
        <span>{kindOf(source)}</span>
      </span>
    ),
  },
  {
    key: "folder",
    header: strings.folder,
    cell: ({ folder_id }) => <FolderLink id={folder_id} />,
  },
  {
    key: "every",
    header: strings.every,
    kind: "tight",
    cell: ({ every }) =>
      strings.repeats[every as keyof typeof strings.repeats] ?? <code>{every}</code>,
  },
  {
    key: "next",
    header: strings.next_run,
    kind: "tight",
    cell: ({ next_run_at }) => <Time value={next_run_at} />,
  },
  {
    key: "actions",
    header: strings.actions,
    kind: "actions",
    cell: (schedule) => (
      <Button
        small
        kind="ghost"
        class="bad-text"
        aria-label={strings.remove_schedule_label(sourceText(schedule.source))}
        onClick={() => onDelete(schedule)}
      >
        {strings.remove_schedule}
      </Button>
    ),
  },
];

function DeleteScheduleDialog({
  schedule: { id, source },
  onClose,
}: {
  readonly schedule: ImportSchedule;
  readonly onClose: () => void;
}) {
  const remove = async () => {
    await api(`/import-schedules/${id}`, { method: "DELETE" });
    toast({ text: strings.schedule_removed });
    await refresh("import");
  };
  return (
    <ConfirmDialog
      title={strings.remove_schedule_title}
      confirm_label={strings.remove_schedule}
      onClose={onClose}
      onConfirm={remove}
    >
      <p class="mono">{sourceText(source)}</p>
      <p>{strings.remove_schedule_text}</p>
    </ConfirmDialog>
  );
}
