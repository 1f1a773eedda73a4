/** The toolbar above the pages of a PDF. */
import { useEffect, useState } from "preact/hooks";
import { reader_strings as strings } from "../strings/reader";
import { Icon } from "../ui/icons";
import { Tool } from "./tool";
import type { Step, Zoom } from "./zoom";

export interface PdfToolbarProps {
  readonly is_side_open: boolean;
  readonly is_find_open: boolean;
  readonly onList: () => void;
  readonly onFind: () => void;
  readonly onRotate: () => void;
  readonly current: number;
  readonly count: number;
  readonly zoom: Zoom;
  readonly percent: number;
  readonly onPage: (number: number) => void;
  readonly onZoom: (step: Step) => void;
}

/** Page navigation, zoom, rotation, and buttons for the sidebar and the find box. */
export function PdfToolbar({
  current,
  count,
  zoom,
  percent,
  onPage,
  onZoom,
  is_side_open,
  is_find_open,
  onList,
  onFind,
  onRotate,
}: PdfToolbarProps) {
  return (
    <div class="reader-tools" role="toolbar" aria-label={strings.page_tools}>
      <Tool icon="grid" label={strings.pages_and_outline} pressed={is_side_open} onPress={onList} />
      <button
        type="button"
        class="tool tool-roomy"
        aria-label={strings.previous_page}
        disabled={current <= 1}
        onClick={() => onPage(current - 1)}
      >
        <Icon name="chevron-up" />
      </button>
      <button
        type="button"
        class="tool tool-roomy"
        aria-label={strings.next_page}
        disabled={current >= count}
        onClick={() => onPage(current + 1)}
      >
        <Icon name="chevron-down" />
      </button>
      <PageField current={current} count={count} onPage={onPage} />
      <span class="tools-gap" />
      <button
        type="button"
        class="tool"
        aria-label={strings.zoom_out}
        onClick={() => onZoom("out")}
      >
        <Icon name="minus" />
      </button>
      <button
        type="button"
        class="tool tool-wide"
        aria-label={strings.fit_width(percent)}
        aria-pressed={zoom === "fit"}
        onClick={() => onZoom("fit")}
      >
        {percent} %
      </button>
      <button type="button" class="tool" aria-label={strings.zoom_in} onClick={() => onZoom("in")}>
        <Icon name="plus" />
      </button>
      <Tool icon="rotate" label={strings.rotate} onPress={onRotate} />
      <Tool icon="search" label={strings.find} pressed={is_find_open} onPress={onFind} />
    </div>
  );
}

function PageField({
  current,
  count,
  onPage,
}: Pick<PdfToolbarProps, "current" | "count" | "onPage">) {
  const [text, setText] = useState(String(current));
  useEffect(() => setText(String(current)), [current]);
  const go = (event: Event) => {
    event.preventDefault();
    const number = Number.parseInt(text, 10);
    if (Number.isFinite(number)) onPage(number);
    setText(String(current));
  };
  return (
    <form class="page-field" onSubmit={go}>
      <input
        class="page-number"
        inputMode="numeric"
        aria-label={strings.page_number(count)}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onBlur={go}
      />
      <span aria-hidden="true">{strings.of_pages(count)}</span>
    </form>
  );
}
