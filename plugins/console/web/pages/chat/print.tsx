/** The print view of a chat: every question with its answer, and below that its quotes. */
import { useQuery } from "@tanstack/preact-query";
import { useLocation } from "wouter-preact";
import { keys } from "../../api/queries";
import type { Citation, Message } from "../../api/chats";
import type { PageParams } from "../../app/page";
import { citationText } from "../../reader/location";
import { Markdown } from "../../reader/markdown";
import { plainText } from "../../reader/plain-text";
import { Button } from "../../ui/button";
import { formatDate, formatDateTime } from "../../ui/format";
import { PageHeader } from "../../ui/page-header";
import { Loading } from "../../ui/states";
import { chat_strings as strings } from "../../strings/chat";
import { loadChat } from "./export";
import { titleOf } from "./messages";

export default function PrintedChat({ params }: { readonly params: PageParams }) {
  const id = params["id"]!;
  const [, navigate] = useLocation();
  const query = useQuery({
    queryKey: [...keys.messages(id), "print"],
    queryFn: () => loadChat(id),
  });
  return (
    <div class="print-page">
      <PageHeader
        title={query.data ? titleOf(query.data.chat) : strings.print_title}
        text={strings.exported_from(formatDate(new Date().toISOString()))}
        actions={
          <>
            <Button icon="arrow-left" onClick={() => navigate(`/chats/${id}`)}>
              {strings.print_back}
            </Button>
            <Button
              kind="primary"
              icon="printer"
              disabled={!query.data}
              onClick={() => globalThis.print()}
            >
              {strings.print_now}
            </Button>
          </>
        }
      />
      <Loading query={query}>
        {({ messages }) =>
          messages.map((message) => <Turn key={message.requestId} message={message} />)
        }
      </Loading>
    </div>
  );
}

const Turn = ({ message: { text, result, error, created_at } }: { readonly message: Message }) => (
  <section class="print-turn">
    <h2>{text}</h2>
    <p class="small muted">{formatDateTime(created_at)}</p>
    {result ? (
      <Markdown text={result.answer} plain={result.model === "extractive"} />
    ) : (
      <p class="muted">{error?.message}</p>
    )}
    {result && result.citations.length > 0 && (
      <>
        <h3 class="label">{strings.sources}</h3>
        <ol class="print-sources">
          {result.citations.map((citation) => (
            <Source key={citation.id} citation={citation} />
          ))}
        </ol>
      </>
    )}
  </section>
);

const Source = ({ citation }: { readonly citation: Citation }) => (
  <li value={citation.id}>
    <p class="strong">{citationText(citation)}</p>
    <blockquote>
      {citation.quote === "" ? strings.stale_gone : plainText(citation.quote)}
    </blockquote>
  </li>
);
