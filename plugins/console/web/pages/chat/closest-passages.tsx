/** The closest passages for a question that has no answer. */
import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { search } from "../../api/search";
import type { Passage } from "../../api/types";
import { LocationLabel } from "../../reader/location-label";
import { plainText } from "../../reader/plain-text";
import { Button } from "../../ui/button";
import { Icon } from "../../ui/icons";
import { Skeleton } from "../../ui/states";
import { chat_strings as strings } from "../../strings/chat";
import type { Scope } from "./scope";

/** An open passage, the list it is part of, and the element that opened it. */
export interface OpenedPassage {
  readonly passages: readonly Passage[];
  readonly at: number;
  readonly opener: HTMLElement | null;
  /** The request id of the question. */
  readonly request_id?: string;
}

/** Searches automatically for the newest question, for older ones on demand. */
export function ClosestPassages({
  question,
  scope,
  at_once,
  opened,
  onOpen,
}: {
  readonly question: string;
  readonly scope: Scope;
  readonly at_once: boolean;
  readonly opened: OpenedPassage | null;
  readonly onOpen: (opened: OpenedPassage) => void;
}) {
  const [is_enabled, setEnabled] = useState(at_once);
  const query = useQuery({
    queryKey: ["closest", question, scope.all || scope.folders],
    enabled: is_enabled && (scope.all || scope.folders.length > 0),
    staleTime: 60_000,
    queryFn: ({ signal }) =>
      search({ query: question, folder_ids: scope.all ? null : scope.folders, limit: 4 }, signal),
  });
  if (!scope.all && scope.folders.length === 0) return null;
  if (!is_enabled)
    return (
      <div>
        <Button small icon="search" onClick={() => setEnabled(true)}>
          {strings.show_closest}
        </Button>
      </div>
    );
  if (query.error) return null;
  if (!query.data) return <Skeleton rows={2} />;
  if (query.data.length === 0) return <p class="muted">{strings.no_closest}</p>;
  const passages = query.data;
  return (
    <div class="closest" role="group" aria-label={strings.closest}>
      <p class="label">
        {strings.closest} · {strings.closest_text}
      </p>
      {passages.map((passage, index) => (
        <button
          key={`${passage.document_id}:${passage.start}`}
          type="button"
          class="passage-card"
          aria-pressed={opened?.passages === passages && opened.at === index}
          onClick={(event) => onOpen({ passages, at: index, opener: event.currentTarget })}
        >
          <span class="passage-place">
            <Icon name="file-text" size={14} />
            <LocationLabel passage={passage} />
          </span>
          <span class="passage-text">{plainText(passage.quote)}</span>
        </button>
      ))}
    </div>
  );
}
