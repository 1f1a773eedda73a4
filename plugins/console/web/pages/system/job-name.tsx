/** A description of a job kind, with its name in logs and in the API. */
import { jobKind } from "../../strings/job-kinds";

export function JobName({ name }: { readonly name: string }) {
  const { words, code } = jobKind(name);
  return (
    <span>
      <span class="strong wrap-anywhere">{words}</span>
      {code !== null && <span class="job-code mono">{code}</span>}
    </span>
  );
}
