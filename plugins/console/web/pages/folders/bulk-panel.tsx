/** The progress of bulk actions, and their failures with the reasons. */
import { Link } from "wouter-preact";
import { Button } from "../../ui/button";
import { formatNumber } from "../../ui/format";
import { Progress } from "../../ui/tag";
import { folder_strings } from "../../strings/folders";
import { dismiss, bulk_actions, type BulkAction } from "./bulk";

const strings = folder_strings.bulk;
/** No progress is shown for fewer documents. */
const documents_min = 100;

/** A card for every bulk action that takes long or has failures. */
export function BulkPanel() {
  const visible = bulk_actions.value.filter(
    ({ state, total, failed }) => failed > 0 || (state === "running" && total >= documents_min),
  );
  return (
    <>
      {visible.map((work) => (
        <BulkActionCard key={work.id} work={work} />
      ))}
    </>
  );
}

function BulkActionCard({ work }: { readonly work: BulkAction }) {
  const { id, title, total, done, failed, failures, state, cancel } = work;
  const running = state === "running";
  return (
    <section class="card uploads" aria-label={title}>
      <div class="card-head">
        <h2 aria-live="polite">{running ? title : strings.ended(title, done, failed)}</h2>
        {running ? (
          <Button small onClick={cancel}>
            {strings.stop}
          </Button>
        ) : (
          <Button small kind="ghost" onClick={() => dismiss(id)}>
            {strings.dismiss}
          </Button>
        )}
      </div>
      {running && (
        <div class="uploads-bar">
          <Progress
            label={title}
            value={total === 0 ? undefined : (done + failed) / total}
            text={strings.progress(done + failed, total)}
          />
        </div>
      )}
      {failed > 0 && (
        <ul class="upload-rows" aria-label={strings.failed(failed)}>
          {failures.map(({ id: document_id, name, reason }) => (
            <li key={document_id} class="upload-row upload-row-problem">
              <span class="two-lines">
                {document_id ? (
                  <Link href={`/documents/${document_id}`} class="title-link">
                    {name}
                  </Link>
                ) : (
                  <span class="strong">{strings.broken_off}</span>
                )}
                <span class="bad-text">{reason}</span>
              </span>
            </li>
          ))}
        </ul>
      )}
      {failed > failures.length && (
        <p class="card-foot muted small">{strings.more(formatNumber(failed - failures.length))}</p>
      )}
    </section>
  );
}
