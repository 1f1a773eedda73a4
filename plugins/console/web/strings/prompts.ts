/** Strings of the prompts page, and the prompt templates. */
export const prompt_strings = {
  title: "Prompts",
  text:
    "Saved instructions that shape the answers in a chat. They apply when a language " +
    "model writes the answers.",
  unused_title: "Prompts currently have no effect",
  unused:
    "Answers quote the documents word for word, so prompts don’t apply. Once an " +
    "administrator has set up a language model, you can choose prompts in every chat.",
  unused_admin:
    "Answers quote the documents word for word, so prompts don’t apply. Once you have " +
    "set up a language model, prompts can be chosen in every chat.",
  set_up_model: "Set up a model",
  new_prompt: "New prompt",
  edit_prompt: "Edit prompt",
  list: "Prompts",
  column_name: "Prompt",
  column_changed: "Changed",
  column_actions: "Actions",
  actions_of: (name: string) => `Actions for ${name}`,
  edit: "Edit",
  use: "Use in a chat",
  delete: "Delete",
  save: "Save prompt",
  name: "Name",
  name_hint: "A short name to find the prompt by.",
  instruction: "Instruction",
  instruction_hint: "How answers should be written, in your own words.",
  note: "Note",
  note_hint: "Optional. Shown to people only, and not used in answers.",
  empty_title: "Create your first prompt",
  empty_text: "Start with one of these templates, or write your own.",
  delete_title: "Delete this prompt?",
  delete_text: (name: string) =>
    `“${name}” is removed from every chat that uses it. Existing answers are not affected.`,
  deleted: (name: string) => `“${name}” was deleted`,
  templates: [
    {
      name: "Plain words",
      text:
        "Answer in short sentences and plain words. Explain every technical term the first " +
        "time it comes up.",
      description: "For readers who are new to the subject.",
    },
    {
      name: "Steps to take",
      text:
        "Answer as a numbered list of steps, in the order in which they are done. Name who does " +
        "each one when the documents say so.",
      description: "For instructions and procedures.",
    },
    {
      name: "Compare",
      text:
        "When sources differ, set them side by side in a table, name the document of each, " +
        "and say which one is newer.",
      description: "For questions over several documents.",
    },
  ],
} as const;
