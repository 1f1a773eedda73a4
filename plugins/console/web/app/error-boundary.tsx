/** Keeps an error of one page from breaking the others. */
import { Component, type ComponentChildren } from "preact";
import { common_strings as strings } from "../strings/common";
import { Button } from "../ui/button";
import { Empty } from "../ui/states";

/** Shows the message of an error that its children throw while rendering, and a reload button. */
export class ErrorBoundary extends Component<
  { readonly children: ComponentChildren },
  { readonly fault: string | null }
> {
  override state = { fault: null };
  static override getDerivedStateFromError = (error: unknown) => ({
    fault: error instanceof Error ? error.message : String(error),
  });
  override render() {
    if (this.state.fault === null) return this.props.children;
    return (
      <Empty
        icon="alert"
        title={strings.page_fault.title}
        actions={
          <Button kind="primary" icon="refresh" onClick={() => location.reload()}>
            {strings.reload}
          </Button>
        }
      >
        {strings.page_fault.next} <code>{this.state.fault}</code>
      </Empty>
    );
  }
}
