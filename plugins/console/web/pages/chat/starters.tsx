/** What an empty chat shows: suggested questions and the folders they are about. */
import { Link } from "wouter-preact";
import { useAnswering, useSuggestions } from "../../api/chats";
import { useFolders } from "../../api/queries";
import { useUser } from "../../app/session";
import { ButtonLink } from "../../ui/button";
import { Icon } from "../../ui/icons";
import { chat_strings as strings } from "../../strings/chat";
import type { Scope } from "./scope";

interface StartersProps {
  readonly scope: Scope;
  readonly onAsk: (text: string) => Promise<void>;
}

/** Shown until the first question: how to begin, depending on what there is to ask about. */
export function Starters({ scope, onAsk }: StartersProps) {
  const folders = useFolders();
  const has_no_folders = folders.data?.length === 0;
  const has_no_documents =
    folders.data?.every(({ document_count }) => document_count === 0) ?? false;
  return (
    <div class="starters">
      <h2>{strings.starters_title}</h2>
      <p class="muted">
        {has_no_folders ? strings.no_folders_yet : textFor(scope, has_no_documents)}
      </p>
      {has_no_folders && (
        <ButtonLink kind="primary" href="/folders">
          {strings.make_folder}
        </ButtonLink>
      )}
      {!has_no_folders && has_no_documents && (
        <ButtonLink href="/folders">{strings.add_documents}</ButtonLink>
      )}
      {folders.data && !has_no_documents && <Suggestions scope={scope} onAsk={onAsk} />}
      {folders.data && !has_no_folders && <HowAnswered />}
    </div>
  );
}

function textFor({ all, folders }: Scope, empty: boolean): string {
  if (empty) return strings.nothing_to_ask;
  return all ? strings.asks_all : strings.asks_chosen(folders.length);
}

/** Questions derived from headings of the documents; nothing if there are none. */
function Suggestions({ scope: { all, folders }, onAsk }: StartersProps) {
  const suggestions = useSuggestions(all ? null : folders);
  if (!suggestions.data?.length) return null;
  return (
    <ul class="suggestions" aria-label={strings.suggestions}>
      {suggestions.data.map(({ text, document_name }) => (
        <li key={text}>
          <button type="button" class="suggestion" onClick={() => void onAsk(text)}>
            <span class="suggestion-text">{text}</span>
            <span class="suggestion-source">
              <Icon name="file-text" size={14} />
              <span class="clip">{document_name}</span>
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Why there are no prompts to choose. */
function HowAnswered() {
  const answering = useAnswering().data;
  const { role } = useUser();
  if (!answering || answering.uses_prompts) return null;
  return (
    <p class="starters-note small muted">
      {strings.quotes_only}{" "}
      {role === "admin" && <Link href="/system?part=models">{strings.set_up_model}</Link>}
    </p>
  );
}
