/**
 * Removes the visible thoughts of a reasoning model, wherever they are: `<think>`, `<thinking>`,
 * `◁think▷`, and channels such as `<|channel|>analysis<|message|>`.
 */

const tag_words = "think|thinking|thought|thoughts|reasoning|reflection|scratchpad|analysis";
const token_words = "(?:thought|thinking|think)";
const opening = new RegExp(
  String.raw`<(?:${tag_words})(?:\s[^>]{0,100})?>|◁think▷|\[THINK\]|` +
    String.raw`<\|(?:begin_of_|start_)?${token_words}\|>`,
  "i",
);
const closing = new RegExp(
  String.raw`</\s*(?:${tag_words})\s*>|◁/think▷|\[/THINK\]|` +
    String.raw`<\|(?:end_of_|end_|/)${token_words}\|>`,
  "i",
);
const start = String.raw`(?:<\|start\|>\s{0,4}\w{0,20})?`;
/** `<|channel|>final<|message|>`: the following text belongs to the named channel. */
const channel = new RegExp(
  String.raw`${start}<\|channel\|>\s{0,4}([\w.]{0,40})[^<]{0,200}<\|message\|>`,
  "i",
);
const open_channel = new RegExp(String.raw`${start}<\|channel\|>`, "i");
/** Tokens of the model's own format, which are not text. */
const token = /<\|start\|>\s{0,4}\w{0,20}|<\|[a-z_]{1,40}\|>|<\/?(?:answer|final|response)>/gi;
/** The start of a tag at the end of the text so far: it may still become one. */
const unfinished = new RegExp(
  String.raw`(?:<\|start\|>\s{0,4}\w{0,20}(?:<\|?\w{0,8})?|<[|/]?[\w\s|/.="'-]{0,118}|` +
    String.raw`◁\/?\w{0,8}|\[\/?[A-Za-z]{0,5})$`,
  "i",
);
const unfinished_chars_max = 320;

interface Step {
  readonly text: string;
  readonly is_last: boolean;
}

/** Takes text piece by piece, and returns what is no thought. */
export class ReasoningFilter {
  /** The text so far was a thought whose end came without a beginning. */
  began_inside = false;
  /** What can't be decided yet. */
  private pending = "";
  private in_thought = false;

  /** The parts of this further text that are certainly not a thought. */
  remove(text: string): string {
    this.began_inside = false;
    this.pending += text;
    return this.take(false);
  }

  /** The rest: the start of what did not become a tag. An unfinished thought is dropped. */
  end(): string {
    this.began_inside = false;
    return this.take(true);
  }

  private take(all: boolean): string {
    let cleaned = "";
    for (;;) {
      const was_inside = this.began_inside;
      const step = this.in_thought ? this.leaveThought(all) : this.untilThought(all);
      cleaned = this.began_inside && !was_inside ? "" : cleaned + step.text;
      if (step.is_last) return cleaned;
    }
  }

  private untilThought(all: boolean): Step {
    const { pending } = this;
    const [begins, ends, named] = [opening, closing, channel].map((pattern) =>
      pattern.exec(pending),
    );
    const first = [begins, ends, named]
      .filter((match) => match !== null && match !== undefined)
      .toSorted((a, b) => a.index - b.index)[0];
    if (!first) {
      // Nothing is known yet of a channel without a name.
      const tail = open_channel.exec(pending) ?? (all ? null : unfinishedIn(pending));
      const to = tail?.index ?? pending.length;
      this.pending = all ? "" : pending.slice(to);
      return { text: pending.slice(0, to).replace(token, ""), is_last: true };
    }
    this.pending = pending.slice(first.index + first[0].length);
    if (first === ends) {
      this.began_inside = true;
      return { text: "", is_last: false };
    }
    this.in_thought = first === begins || !isAnswer(first[1]);
    return { text: pending.slice(0, first.index).replace(token, ""), is_last: false };
  }

  private leaveThought(all: boolean): Step {
    const { pending } = this;
    const end = closing.exec(pending);
    const next = channel.exec(pending);
    const first = end && next ? (end.index < next.index ? end : next) : (end ?? next);
    if (!first) {
      this.pending = all ? "" : pending.slice(-unfinished_chars_max);
      return { text: "", is_last: true };
    }
    this.pending = pending.slice(first.index + first[0].length);
    this.in_thought = first === next && !isAnswer(first[1]);
    return { text: "", is_last: false };
  }
}

/** Whether a channel contains text for the reader. */
const isAnswer = (name: string | undefined): boolean =>
  /^(?:final|response|answer)$/i.test(name ?? "");

function unfinishedIn(pending: string): { readonly index: number } | null {
  const from = Math.max(0, pending.length - unfinished_chars_max);
  const tail = unfinished.exec(pending.slice(from));
  return tail && { index: from + tail.index };
}
