/** Strings of the users page. */

export const user_strings = {
  title: "Users",
  text:
    "People who can sign in to this server. Everyone has their own folders, and " +
    "administrators can’t see other people’s documents.",
  label: "Users",
  invite: "Invite user",
  email: "Email",
  role: "Role",
  status: "Status",
  joined: "Joined",
  seen: "Last seen",
  actions: "Actions",
  never: "Never",
  you: "You",
  roles: { admin: "Administrator", member: "Member" },
  link_ended: "Invitation expired",
  link_ends: (ago: string) => `The link expires ${ago}`,
  link_again: "Create a new link.",
  invite_again: "New invitation link",
  states: { active: "Active", invited: "Invited", inactive: "Deactivated" },
  empty_title: "No users yet",
  empty_text: "Invite someone and send them the link.",
  invite_title: "Invite user",
  role_hint: "Administrators manage users and can see the state of the server.",
  link_title: { invitation: "Invitation link", reset: "Password reset link" },
  link_text: (email: string) =>
    `Send this link to ${email}. It works once, and is not shown again.`,
  link_label: "Link",
  link_done: "I have copied it",
  menu: (email: string) => `Actions for ${email}`,
  reset: "Create password reset link",
  make_admin: "Make administrator",
  make_member: "Make member",
  deactivate: "Deactivate",
  activate: "Activate",
  deactivate_title: (email: string) => `Deactivate ${email}?`,
  deactivate_text:
    "They are signed out everywhere, and their API keys stop working at the next " +
    "request. Their folders are kept.",
  delete: "Delete",
  delete_title: (email: string) => `Delete ${email}?`,
  delete_text:
    "They are signed out, and everything they own is permanently deleted: folders, " +
    "documents, chats, prompts, webhooks, imports, transcriptions and API keys. This " +
    "can’t be undone. Their entries in the audit log are kept.",
  deleted: "User deleted.",
  reset_title: (email: string) => `Create a password reset link for ${email}?`,
  reset_text:
    "Anyone who opens the link can choose a new password. The old password works until then.",
  changed: "User updated.",
} as const;
