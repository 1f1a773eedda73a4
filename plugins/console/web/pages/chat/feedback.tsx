/** Thumbs up and down for an answer, with an optional comment. */
import { useState } from "preact/hooks";
import { giveFeedback, withdrawFeedback, type Feedback, type Message } from "../../api/chats";
import { Button, IconButton } from "../../ui/button";
import { TextArea } from "../../ui/field";
import { toastError } from "../../ui/toast";
import { chat_strings as strings } from "../../strings/chat";

type Rating = Feedback["rating"];
interface FeedbackProps {
  readonly chat_id: string;
  readonly message: Message;
  /** The comment form is open. */
  readonly noting: boolean;
  readonly onNoting: (noting: boolean) => void;
}

/** The first click rates, another one on the same thumb withdraws it. */
export function Thumbs({ chat_id, message, noting, onNoting }: FeedbackProps) {
  const { requestId, feedback } = message;
  const [pending_rating, setPendingRating] = useState<Rating | null | undefined>(undefined);
  const shown_rating = pending_rating === undefined ? (feedback?.rating ?? null) : pending_rating;
  const rate = async (rating: Rating) => {
    const next = shown_rating === rating ? null : rating;
    setPendingRating(next);
    onNoting(next !== null);
    try {
      if (next === null) await withdrawFeedback(chat_id, requestId);
      else await giveFeedback(chat_id, requestId, { rating: next, note: feedback?.note ?? null });
    } catch (error) {
      onNoting(false);
      toastError(error);
    }
    setPendingRating(undefined);
  };
  return (
    <>
      {(["up", "down"] as const).map((rating) => (
        <IconButton
          key={rating}
          small
          icon={`thumb-${rating}`}
          label={strings.rate[rating]}
          aria-pressed={shown_rating === rating}
          onClick={() => void rate(rating)}
        />
      ))}
      {feedback && !noting && (
        <Button small kind="ghost" onClick={() => onNoting(true)}>
          {feedback.note === null ? strings.add_note : strings.change_note}
        </Button>
      )}
    </>
  );
}

/** Shown below the thumbs after a click on one. */
export function FeedbackNote({ chat_id, message, onNoting }: FeedbackProps) {
  const { requestId, feedback } = message;
  const [note, setNote] = useState(feedback?.note ?? "");
  const [busy, setBusy] = useState(false);
  if (!feedback) return null;
  const save = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    try {
      await giveFeedback(chat_id, requestId, { rating: feedback.rating, note });
      onNoting(false);
    } catch (error) {
      toastError(error);
    }
    setBusy(false);
  };
  return (
    <form
      class="feedback-form"
      onSubmit={save}
      onKeyDown={({ key }) => {
        if (key === "Escape") onNoting(false);
      }}
    >
      <TextArea
        label={strings.note[feedback.rating]}
        hint={strings.note_hint}
        rows={2}
        maxLength={4_000}
        value={note}
        onValue={setNote}
      />
      <div class="row">
        <Button small kind="primary" type="submit" busy={busy}>
          {strings.keep_note}
        </Button>
        <Button small kind="ghost" onClick={() => onNoting(false)}>
          {strings.no_note}
        </Button>
      </div>
    </form>
  );
}
