/** Feedback on answers: the user's own, and for administrators everybody's. */
import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { api } from "../../api/client";
import { fetchAll, keys } from "../../api/queries";
import type { Page, RowOf } from "../../api/types";
import { useUser } from "../../app/session";
import { Icon } from "../../ui/icons";
import { Pager } from "../../ui/pager";
import { Empty, Loading } from "../../ui/states";
import { Table, type Column } from "../../ui/table";
import { Time } from "../../ui/time";
import { chat_strings } from "../../strings/chat";

const strings = chat_strings.ratings;
type Own = RowOf<"listFeedback">;
type OfUser = RowOf<"listAllFeedback">;
type Feedback = Own | OfUser;
type Rating = Feedback["rating"];

/** A list of rated answers, filtered by rating and, for administrators, by user. */
export function Ratings() {
  const admin = useUser().role === "admin";
  const [everyone, setEveryone] = useState(false);
  const [rating, setRating] = useState<Rating | null>(null);
  return (
    <div class="stack">
      <div class="row row-wrap">
        <Choice
          label={strings.which}
          value={rating}
          options={[
            [null, strings.all],
            ["up", strings.up],
            ["down", strings.down],
          ]}
          onValue={setRating}
        />
        {admin && (
          <Choice
            label={strings.whose}
            value={everyone}
            options={[
              [false, strings.mine],
              [true, strings.everyones],
            ]}
            onValue={setEveryone}
          />
        )}
      </div>
      <List key={`${rating} ${everyone}`} rating={rating} everyone={admin && everyone} />
    </div>
  );
}

function Choice<V>({
  label,
  value,
  options,
  onValue,
}: {
  readonly label: string;
  readonly value: V;
  readonly options: readonly (readonly [V, string])[];
  readonly onValue: (value: V) => void;
}) {
  return (
    <div class="choice" role="group" aria-label={label}>
      {options.map(([rating, text]) => (
        <button
          key={text}
          type="button"
          class="choice-one"
          aria-pressed={rating === value}
          onClick={() => onValue(rating)}
        >
          {text}
        </button>
      ))}
    </div>
  );
}

function List({
  rating,
  everyone,
}: {
  readonly rating: Rating | null;
  readonly everyone: boolean;
}) {
  const [page, setPage] = useState(1);
  const query = useQuery({
    queryKey: keys.feedback({ rating, everyone, page }),
    queryFn: ({ signal }) =>
      api<Page<Feedback>>(everyone ? "/feedback/all" : "/feedback", {
        query: { page, ...(rating && { rating }) },
        signal,
      }),
  });
  const users = useQuery({
    queryKey: keys.users,
    enabled: everyone,
    queryFn: () => fetchAll<RowOf<"listUsers">>("/users"),
  });
  const emailOf = (id: string) => users.data?.find((user) => user.id === id)?.email ?? id;
  return (
    <div class="card">
      <Loading query={query}>
        {({ data, pagination }) =>
          data.length === 0 && page === 1 ? (
            <Empty icon="thumb-up" title={strings.empty_title}>
              {strings.empty_text}
            </Empty>
          ) : (
            <>
              <Table
                label={strings.list}
                columns={columnsOf(everyone, emailOf)}
                rows={data}
                row_key={keyOf}
              />
              <Pager page={page} pagination={pagination} onPage={setPage} />
            </>
          )
        }
      </Loading>
    </div>
  );
}

const keyOf = (feedback: Feedback): string =>
  "requestId" in feedback
    ? `${feedback.sessionId} ${feedback.requestId}`
    : `${feedback.user_id} ${feedback.created_at}`;

const columnsOf = (
  everyone: boolean,
  emailOf: (id: string) => string,
): readonly Column<Feedback>[] => [
  {
    key: "question",
    header: strings.column_question,
    kind: "main",
    cell: (feedback) => (
      <span class="rated">
        <span class={`rated-${feedback.rating}`} role="img" aria-label={strings[feedback.rating]}>
          <Icon name={`thumb-${feedback.rating}`} size={16} />
        </span>
        <span class="rated-text">
          {"sessionId" in feedback ? (
            <Link class="title-link" href={`/chats/${feedback.sessionId}`}>
              {feedback.question}
            </Link>
          ) : (
            <span class="strong">{feedback.question}</span>
          )}
          {feedback.note && <span class="muted rated-note">{feedback.note}</span>}
        </span>
      </span>
    ),
  },
  ...(everyone
    ? [
        {
          key: "user",
          header: strings.column_user,
          cell: (feedback: Feedback) => ("user_id" in feedback ? emailOf(feedback.user_id) : ""),
        },
      ]
    : []),
  {
    key: "model",
    header: strings.column_model,
    roomy_only: true,
    cell: (feedback) => <span class="muted">{feedback.model}</span>,
  },
  {
    key: "time",
    header: strings.column_time,
    kind: "tight",
    cell: (feedback) => (
      <span class="muted">
        <Time value={feedback.updated_at} />
      </span>
    ),
  },
];
