/** Strings around the pages and panels of plugins. */

export const part_strings = {
  fault_title: (plugin: string) => `The plugin ${plugin} can’t show this`,
  slow_title: (plugin: string) => `The plugin ${plugin} does not answer`,
  slow_text: "Its part of this page is still being made. Everything else works.",
  stuck_title: (plugin: string) => `The plugin ${plugin} stopped this page last time`,
  stuck_text: "It is left out, so that the page can be used. Tell whoever looks after the plugin.",
  mistake: (plugin: string, message: string) =>
    `The plugin ${plugin} has made a mistake: ${message}`,
  no_module: "Its module has no default export with a function mount.",
  panels: "Panels of plugins",
} as const;
