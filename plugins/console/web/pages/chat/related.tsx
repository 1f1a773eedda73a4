/** Further reading for an answer. */
import type { MessageResult } from "../../api/chats";
import { LocationLabel } from "../../reader/location-label";
import { plainText } from "../../reader/plain-text";
import { chat_strings as strings } from "../../strings/chat";
import { Icon } from "../../ui/icons";
import type { OpenedPassage } from "./closest-passages";

/** Passages that an answer did not cite but that belong to its question. */
export function Related({
  related,
  opened,
  onOpen,
}: {
  readonly related: MessageResult["related"];
  readonly opened: OpenedPassage | null;
  readonly onOpen: (opened: OpenedPassage) => void;
}) {
  // A deleted document can't be opened.
  if (related.every(({ quote }) => quote === "")) return null;
  return (
    <div class="related" role="group" aria-label={strings.related}>
      <p class="label">{strings.related}</p>
      <ul>
        {related.map(
          (passage, index) =>
            passage.quote !== "" && (
              <li key={index}>
                <button
                  type="button"
                  class="source"
                  aria-pressed={opened?.passages === related && opened.at === index}
                  onClick={(event) =>
                    onOpen({ passages: related, at: index, opener: event.currentTarget })
                  }
                >
                  <Icon name="file-text" size={14} />
                  <LocationLabel passage={passage} />
                  <span class="related-quote">{plainText(passage.quote)}</span>
                  {passage.stale && <span class="source-stale">{strings.changed}</span>}
                </button>
              </li>
            ),
        )}
      </ul>
    </div>
  );
}
