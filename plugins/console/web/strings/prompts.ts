/** Strings of the prompts page, and the prompt templates. */
export const prompt_strings = {
  title: "Prompts",
  text:
    "Saved instructions that shape the answers of a chat. They apply when a language model " +
    "writes the answers.",
  unused_title: "Prompts have no effect for now",
  unused:
    "Answers quote the documents word for word, so there is nothing to shape. An administrator " +
    "can set up a language model; then prompts can be chosen in every chat.",
  unused_admin:
    "Answers quote the documents word for word, so there is nothing to shape. Once a language " +
    "model writes the answers, prompts can be chosen in every chat.",
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
  name_hint: "What you look for when you choose it.",
  instruction: "Instruction",
  instruction_hint: "What answers are asked to respect, in your own words.",
  note: "Note",
  note_hint: "For people only; answers don’t see it.",
  empty_title: "Write down how answers should read",
  empty_text: "Begin with one of these, or write your own.",
  delete_title: "Delete this prompt?",
  delete_text: (name: string) =>
    `“${name}” leaves every chat that uses it. Answers that exist stay as they are.`,
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
