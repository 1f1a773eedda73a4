/** Buttons for the previous and next citation, in whichever document they are. */
import { IconButton } from "../ui/button";
import { reader_strings as strings } from "../strings/reader";

/** `at` is the index of the citation shown. */
export function PassageButtons({
  at,
  count,
  onAt,
}: {
  readonly at: number;
  readonly count: number;
  readonly onAt: (at: number) => void;
}) {
  return (
    <>
      <IconButton
        label={strings.previous_passage}
        icon="chevron-left"
        small
        disabled={at === 0}
        onClick={() => onAt(at - 1)}
      />
      <IconButton
        label={strings.next_passage}
        icon="chevron-right"
        small
        disabled={at === count - 1}
        onClick={() => onAt(at + 1)}
      />
    </>
  );
}

/** The same as a toolbar of the reader. */
export const PassageSteps = (props: Parameters<typeof PassageButtons>[0]) => (
  <div class="passage-steps">
    <span class="small muted num" aria-live="polite">
      {strings.passage_of(props.at + 1, props.count)}
    </span>
    <PassageButtons {...props} />
  </div>
);
