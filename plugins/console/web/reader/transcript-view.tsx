/**
 * A recording with its transcript: a click on a line plays from there, and the line being played is
 * highlighted.
 */
import { useQuery } from "@tanstack/preact-query";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { api } from "../api/client";
import type { Document } from "../api/types";
import { formatDuration } from "../ui/format";
import { Loading } from "../ui/states";
import { reader_strings as strings } from "../strings/reader";
import { scrollToMiddle, type Found, type Highlight } from "./highlight";
import { fileUrl } from "./views";
import { locate, type Hit } from "./quote-match";
import { styledPieces, type LookRange } from "./styled-pieces";

/** Times in seconds; both are 0 if unknown. */
export interface Cue {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly speaker: string | null;
}
interface Result {
  readonly segments: readonly Cue[];
}

export interface TranscriptProps {
  readonly document: Document;
  readonly highlight: Highlight | null;
  readonly onFound: (nearby_hits: Found) => void;
}

/** The player, if the recording was kept, and the lines below it. */
export function TranscriptView({ document, highlight, onFound }: TranscriptProps) {
  const query = useQuery({
    queryKey: ["transcription", "result", document.source.run_id, document.version],
    staleTime: Infinity,
    enabled: document.source.run_id !== null,
    queryFn: ({ signal }) =>
      api<Result>(`/transcriptions/${document.source.run_id}/result`, {
        query: { format: "json" },
        signal,
      }),
  });
  return (
    <div class="transcript">
      <Loading query={query} rows={8}>
        {(result) => (
          <Player
            document={document}
            cues={result.segments}
            highlight={highlight}
            onFound={onFound}
          />
        )}
      </Loading>
    </div>
  );
}

const playable = /^(audio|video)\//;

function Player({
  document,
  cues,
  highlight,
  onFound,
}: TranscriptProps & { readonly cues: readonly Cue[] }) {
  const media = useRef<HTMLVideoElement & HTMLAudioElement>(null);
  const [current, setCurrent] = useState(-1);
  const seek = (seconds: number) => {
    if (!media.current) return;
    media.current.currentTime = seconds;
    setCurrent(cueAt(cues, seconds));
    void media.current.play().catch(() => {});
  };
  useEffect(() => {
    if (highlight?.time_start != null && media.current)
      media.current.currentTime = highlight.time_start;
  }, [highlight]);
  const kind = document.media_type.split("/")[0];
  const Media = kind === "video" ? "video" : "audio";
  const is_playable = playable.test(document.media_type);
  return (
    <>
      <div class="transcript-player">
        {is_playable ? (
          <Media
            ref={media}
            src={fileUrl(document)}
            controls
            preload="metadata"
            aria-label={strings.player(document.name)}
            onTimeUpdate={() => setCurrent(cueAt(cues, media.current?.currentTime ?? -1))}
          />
        ) : (
          <p class="muted small">{strings.no_recording}</p>
        )}
      </div>
      <Lines
        cues={cues}
        current={current}
        highlight={highlight}
        onFound={onFound}
        onSeek={is_playable ? seek : null}
      />
    </>
  );
}

interface LinesProps {
  readonly cues: readonly Cue[];
  readonly current: number;
  readonly highlight: Highlight | null;
  readonly onFound: (found: Found) => void;
  readonly onSeek: ((seconds: number) => void) | null;
}

function Lines({ cues, current, highlight, onFound, onSeek }: LinesProps) {
  const list = useRef<HTMLOListElement>(null);
  const hits = useMemo(
    () => new Map(marksOf(cues, highlight).map((hit) => [hit.piece, hit])),
    [cues, highlight],
  );
  const shades = useMemo(
    () => new Map(shadesOf(cues, highlight).map((hit) => [hit.piece, hit])),
    [cues, highlight],
  );
  useLayoutEffect(() => {
    onFound(highlight ? hits.size > 0 : null);
    const mark = list.current?.querySelector("mark");
    if (mark) scrollToMiddle(list.current!, mark);
  }, [hits]);
  useEffect(() => {
    const line = list.current?.children[current];
    if (line && current >= 0) scrollIntoSight(list.current!, line);
  }, [current]);
  const has_times = cues.some(({ end }) => end > 0);
  return (
    <ol
      ref={list}
      class={has_times ? "cues" : "cues cues-untimed"}
      aria-label={strings.lines}
      tabIndex={0}
    >
      {cues.map((cue, index) => {
        const line = (
          <>
            {has_times && <span class="cue-time">{formatDuration(cue.start)}</span>}
            <span>
              {cue.speaker && cue.speaker !== cues[index - 1]?.speaker && (
                <span class="cue-speaker">{cue.speaker}</span>
              )}
              <Words text={cue.text} hit={hits.get(index)} shade={shades.get(index)} />
            </span>
          </>
        );
        return (
          <li key={index}>
            {onSeek && has_times ? (
              <button
                type="button"
                class="cue"
                aria-current={index === current ? "true" : undefined}
                title={strings.line_at(formatDuration(cue.start))}
                onClick={() => onSeek(cue.start)}
              >
                {line}
              </button>
            ) : (
              <div class="cue">{line}</div>
            )}
          </li>
        );
      })}
    </ol>
  );
}

function Words({
  text,
  hit,
  shade,
}: {
  readonly text: string;
  readonly hit: Hit | undefined;
  readonly shade: Hit | undefined;
}) {
  const ranges: LookRange[] = [
    ...(hit ? [{ from: hit.from, to: hit.to, look: "mark" as const }] : []),
    ...(shade ? [{ from: shade.from, to: shade.to, look: "shade" as const }] : []),
  ];
  return (
    <>
      {styledPieces({ from: 0, to: text.length }, ranges).map(({ from, to, looks }) => {
        const part = text.slice(from, to);
        if (looks.includes("mark")) return <mark key={from}>{part}</mark>;
        return looks.includes("shade") ? (
          <span key={from} class="passage-shade">
            {part}
          </span>
        ) : (
          part
        );
      })}
    </>
  );
}

/** The lines around the quote. */
const shadesOf = (cues: readonly Cue[], highlight: Highlight | null): Hit[] =>
  highlight?.surroundings === undefined
    ? []
    : locate(
        cues.map(({ text }) => text),
        highlight.surroundings,
      );

/** The lines that contain the passage, near its time if that is known. */
function marksOf(cues: readonly Cue[], highlight: Highlight | null): Hit[] {
  if (!highlight) return [];
  const { quote, time_start, time_end } = highlight;
  const nearby_texts = cues.map(({ start, end, text }) =>
    time_start === null || (end >= time_start - 2 && start <= (time_end ?? time_start) + 2)
      ? text
      : "",
  );
  const found = locate(nearby_texts, quote);
  return found.length > 0
    ? found
    : locate(
        cues.map(({ text }) => text),
        quote,
      );
}

/** The line at this second; -1 before the first. */
function cueAt(cues: readonly Cue[], seconds: number): number {
  let low = -1;
  let high = cues.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (cues[middle]!.start <= seconds) low = middle;
    else high = middle - 1;
  }
  return low;
}

function scrollIntoSight(list: HTMLElement, line: Element): void {
  const outer = list.getBoundingClientRect();
  const inner = line.getBoundingClientRect();
  if (inner.top < outer.top || inner.bottom > outer.bottom) scrollToMiddle(list, line);
}
