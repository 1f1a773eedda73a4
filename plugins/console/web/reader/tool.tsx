/** A button of the toolbars above a document. */
import { Icon, type IconName } from "../ui/icons";

/** An icon with a tooltip; `pressed` makes it a toggle. */
export function Tool({
  icon,
  label,
  pressed,
  onPress,
}: {
  readonly icon: IconName;
  readonly label: string;
  readonly pressed?: boolean;
  readonly onPress: () => void;
}) {
  return (
    <button
      type="button"
      class="tool"
      aria-label={label}
      title={label}
      aria-pressed={pressed}
      onClick={onPress}
    >
      <Icon name={icon} />
    </button>
  );
}
