/** Strings of the users page. */

export const user_strings = {
  title: "Users",
  text:
    "Who may sign in to this server. Everyone has folders of their own; administrators see " +
    "nobody else’s documents.",
  label: "Users",
  invite: "Invite user",
  email: "Email",
  role: "Role",
  status: "Status",
  joined: "Since",
  seen: "Last seen",
  actions: "Actions",
  never: "Never",
  you: "You",
  roles: { admin: "Administrator", member: "Member" },
  link_ended: "Invitation ended",
  link_ends: (ago: string) => `The link ends ${ago}`,
  link_again: "Make a new link for them.",
  invite_again: "New invitation link",
  states: { active: "Active", invited: "Invited", inactive: "Deactivated" },
  empty_title: "Nobody is here yet",
  empty_text: "Invite someone, and send them the link.",
  invite_title: "Invite someone",
  role_hint: "Administrators manage users and see the state of the server.",
  link_title: { invitation: "Invitation link", reset: "Link for a new password" },
  link_text: (email: string) => `Send this link to ${email}. It works once, and is shown only now.`,
  link_label: "Link",
  link_done: "I have sent it",
  menu: (email: string) => `Actions for ${email}`,
  reset: "New password link",
  make_admin: "Make administrator",
  make_member: "Make member",
  deactivate: "Deactivate",
  activate: "Activate",
  deactivate_title: (email: string) => `Deactivate ${email}?`,
  deactivate_text:
    "They are signed out everywhere, and their API keys stop working with the next request. " +
    "Their folders stay.",
  delete: "Delete",
  delete_title: (email: string) => `Delete ${email}?`,
  delete_text:
    "They are signed out, and everything of theirs goes for good: folders, documents, chats, " +
    "prompts, webhooks, imports, transcriptions and API keys. There is no way back. The audit " +
    "log keeps what they did.",
  deleted: "User deleted.",
  reset_title: (email: string) => `New password link for ${email}?`,
  reset_text: "The link lets whoever opens it choose a new password. The old one works until then.",
  changed: "User changed.",
} as const;
