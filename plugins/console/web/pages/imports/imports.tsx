/** Imports: the runs, newest first, and the schedules. */
import { useLocation, useSearch } from "wouter-preact";
import { ButtonLink } from "../../ui/button";
import { PageHeader } from "../../ui/page-header";
import { Tabs } from "../../ui/tabs";
import { import_strings as strings } from "../../strings/imports";
import { ImportRuns } from "./runs";
import { ImportSchedules } from "./schedules";

export default function Imports() {
  const [, navigate] = useLocation();
  const named_part = new URLSearchParams(useSearch()).get("part");
  const part = named_part === "schedules" ? named_part : "runs";
  return (
    <>
      <PageHeader
        title={strings.title}
        text={strings.text}
        actions={
          <ButtonLink kind="primary" icon="plus" href="/imports/new">
            {strings.create}
          </ButtonLink>
        }
      />
      <Tabs
        label={strings.parts}
        items={[
          { key: "runs", label: strings.runs },
          { key: "schedules", label: strings.schedules },
        ]}
        active={part}
        onActive={(key) =>
          navigate(key === "runs" ? "/imports" : `/imports?part=${key}`, { replace: true })
        }
      >
        {part === "runs" ? <ImportRuns /> : <ImportSchedules />}
      </Tabs>
    </>
  );
}
