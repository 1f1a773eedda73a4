/** Strings around the pages and panels of plugins. */

export const part_strings = {
  fault_title: (plugin: string) => `The plugin ${plugin} can’t show this`,
  slow_title: (plugin: string) => `The plugin ${plugin} is not responding`,
  slow_text: "Its part of this page is still loading. Everything else works.",
  stuck_title: (plugin: string) => `The plugin ${plugin} made this page hang last time`,
  stuck_text:
    "It was skipped so that you can use the page. Tell the person who maintains the plugin.",
  mistake: (plugin: string, message: string) =>
    `The plugin ${plugin} reported an error: ${message}`,
  no_module: "The default export of its module has no mount function.",
  panels: "Plugin panels",
} as const;
