/** Answers as chat completions, complete or in chunks, with their citations as annotations. */
import { withBlankCode } from "../../core/lib/code-ranges";
import { codePoints } from "../../core/sdk";
import type { AnswerResult } from "../chats/contract";
import { pagesOf, type Citation } from "../search/contract";

/** Where a document is read in the console, below the public address. */
const reader_path = "/console/documents";

/** The fields that every chunk of a completion repeats. `created` is in seconds. */
export interface CompletionHead {
  readonly id: string;
  /** The model as the caller named it. */
  readonly model: string;
  readonly created: number;
  readonly public_url: string;
}
/** A citation as OpenAI writes those of web pages. */
export interface Annotation {
  readonly type: "url_citation";
  readonly url_citation: {
    readonly url: string;
    readonly title: string;
    /** Position of the marker in the answer: code points, end exclusive. */
    readonly start_index: number;
    readonly end_index: number;
  };
}

/** Additions to the OpenAI form: clients may read or ignore them. */
const extrasOf = ({ outcome, grounded, citations, related, warnings, model }: AnswerResult) => ({
  outcome,
  grounded,
  citations,
  related,
  warnings,
  model,
});

/** Zeros if no language model was used. */
const usageOf = ({ usage }: AnswerResult) => {
  const { input_tokens = 0, output_tokens = 0 } = usage ?? {};
  return {
    prompt_tokens: input_tokens,
    completion_tokens: output_tokens,
    total_tokens: input_tokens + output_tokens,
  };
};

/** The complete answer. */
export const completionOf = (head: CompletionHead, result: AnswerResult) => ({
  id: head.id,
  object: "chat.completion",
  created: head.created,
  model: head.model,
  choices: [
    {
      index: 0,
      message: {
        role: "assistant",
        content: result.answer,
        refusal: null,
        annotations: annotationsOf(result.answer, result.citations, head.public_url),
      },
      logprobs: null,
      finish_reason: "stop",
    },
  ],
  usage: usageOf(result),
  dossier: extrasOf(result),
});

/** Each marker in the text that refers to a citation, as a URL annotation. */
function annotationsOf(
  text: string,
  citations: readonly Citation[],
  public_url: string,
): Annotation[] {
  const by_id = new Map(citations.map((citation) => [String(citation.id), citation]));
  return [...withBlankCode(text).matchAll(/\[(\d+)\]/g)].flatMap((marker) => {
    const citation = by_id.get(marker[1]!);
    if (!citation) return [];
    const start_index = codePoints(text.slice(0, marker.index));
    return {
      type: "url_citation",
      url_citation: {
        url: urlOf(citation, public_url),
        title: titleOf(citation),
        start_index,
        end_index: start_index + marker[0].length,
      },
    } as const;
  });
}

const urlOf = ({ document_id, start, end, page }: Citation, public_url: string): string => {
  const place = new URLSearchParams({ start: String(start), end: String(end) });
  if (page !== null) place.set("page", String(page));
  return `${public_url}${reader_path}/${document_id}?${place.toString()}`;
};
const titleOf = (citation: Citation): string => {
  const pages = pagesOf(citation);
  return pages === null ? citation.document_name : `${citation.document_name}, ${pages}`;
};

/** The chunks of a streamed completion. */
export class CompletionChunks {
  private sent = "";

  constructor(
    private readonly head: CompletionHead,
    private readonly options: { readonly include_usage: boolean },
  ) {}

  /** The chunk that begins the message. */
  first(): string {
    return this.chunk({ role: "assistant", content: "", refusal: null });
  }

  /** A chunk with further text; empty if there is none. */
  text(piece: string): string {
    this.sent += piece;
    return piece === "" ? "" : this.chunk({ content: piece });
  }

  /**
   * The rest of the answer, its citations and the end. If the final answer differs from what was
   * streamed, it is sent after it: what was sent can't be taken back.
   */
  end(result: AnswerResult): string {
    const { head, options } = this;
    const continues = result.answer.startsWith(this.sent);
    const unsent = continues
      ? result.answer.slice(this.sent.length)
      : `\n\n---\n\n${result.answer}`;
    const before = continues ? 0 : codePoints(this.sent) + codePoints("\n\n---\n\n");
    const annotations = annotationsOf(result.answer, result.citations, head.public_url).map(
      (annotation) => moved(annotation, before),
    );
    return [
      this.text(unsent),
      annotations.length === 0 ? "" : this.chunk({ annotations }),
      this.chunk({}, "stop", { dossier: extrasOf(result) }),
      options.include_usage ? event({ ...this.base, choices: [], usage: usageOf(result) }) : "",
      done,
    ].join("");
  }

  private get base() {
    const { id, created, model } = this.head;
    return { id, object: "chat.completion.chunk", created, model };
  }

  private chunk(delta: object, finish_reason: "stop" | null = null, extras: object = {}): string {
    return event({
      ...this.base,
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
      ...(this.options.include_usage && { usage: null }),
      ...extras,
    });
  }
}

const moved = ({ type, url_citation }: Annotation, by: number): Annotation => ({
  type,
  url_citation: {
    ...url_citation,
    start_index: url_citation.start_index + by,
    end_index: url_citation.end_index + by,
  },
});

/** An event of the stream. */
export const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
const done = "data: [DONE]\n\n";
