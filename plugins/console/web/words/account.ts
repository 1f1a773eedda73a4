/** The words of signing in, of the account and of API keys. */

export const account_words = {
  email: "Email", password: "Password", new_password: "New password", current_password: "Current password",
  password_hint: "At least 10 characters. A few words in a row are easy to keep in mind.",
  show_password: "Show password", hide_password: "Hide password",
  password_short: (missing: number) => `${missing} more ${missing === 1 ? "character" : "characters"}`,
  sign_in: {
    title: "Sign in", action: "Sign in", forgot: "Forgot it? Ask an administrator for a new link, or run", command: "dossier user passwd --email you@example.com --password-stdin",
    setup_title: "Nobody is set up here yet", setup_text: "Open the link that the server printed when it started. This prints a new one:", setup_command: "dossier setup --link",
  },
  setup: {
    title: "Welcome to Dossier", text: "Create the first administrator. Everything stays on this server.", action: "Create administrator",
    bad_title: "This set-up link does not work", no_token: "The link is incomplete: it ends in #t= and a long word.", again: "Print a new link on the server with:", done_title: "Dossier is set up already", to_sign_in: "Sign in",
  },
  invite: {
    title: { invitation: "Welcome to Dossier", reset: "Choose a new password" }, text: (email: string) => `For ${email}.`, action: { invitation: "Set password and sign in", reset: "Set password and sign in" },
    bad_title: "This link does not work", no_token: "The link is incomplete: it ends in #t= and a long word.",
  },
  account: {
    title: "Account", text: (email: string, role: string) => `${email} · ${role}`, roles: { admin: "Administrator", member: "Member" },
    password_title: "Password", password_text: "Changing it signs you out everywhere else.", password_action: "Change password", password_done: "Password changed. You are signed out everywhere else.",
    theme_title: "Theme", theme_text: "Kept in this browser.", theme_label: "Theme",
    sessions_title: "Sessions", sessions_text: "Where you are signed in. A session ends after 12 hours without use, and after 14 days in any case.",
    sessions_label: "Sessions", device: "Device", address: "Address", started: "Signed in", seen: "Last seen", current: "This one", actions: "Actions",
    end: "Sign out", end_label: (device: string) => `Sign out ${device}`, ended: "Signed out there.", end_others: "Sign out everywhere else", end_others_title: "Sign out everywhere else?",
    end_others_text: "Every other browser where you are signed in asks for your password again.", ended_others: "Signed out everywhere else.", unknown_device: "Unknown browser",
    keys_title: "API keys", keys_text: "For scripts and other services that work with your folders.", keys_link: "Manage API keys",
  },
  keys: {
    title: "API keys", text: "Keys let scripts and other services work with your folders through the API. Each key acts as you.", create: "Create key", label: "API keys",
    name: "Name", scopes: "May", created: "Created", used: "Last used", expires: "Expires", status: "Status", actions: "Actions", never: "Never",
    may: { read: "Read", both: "Read and write" }, states: { active: "Active", deactivated: "Deactivated", expired: "Expired" },
    deactivate: "Deactivate", deactivate_label: (name: string) => `Deactivate ${name}`, deactivate_title: (name: string) => `Deactivate “${name}”?`,
    deactivate_text: "Whatever uses this key stops working with its next request. This can’t be undone.", deactivate_used: (ago: string) => `It was last used ${ago}.`, deactivate_unused: "It was never used.",
    deactivated: "Key deactivated.",
    empty_title: "No keys yet", empty_text: "Create one to use the API from a script, a terminal or another service.",
    create_title: "Create an API key", name_label: "Name", name_hint: "What uses it, such as “Backup script”.", expires_label: "Expires",
    expiries: { "30": "In 30 days", "90": "In 90 days", "365": "In a year", never: "Never", custom: "On a day of my choice" }, day_label: "Last day", scope_label: "It may",
    scope_options: { both: "Read and write", read: "Read only: get and search" },
    once_title: "Your new API key", once_text: "Copy this key now. It is shown only once; Dossier keeps just a fingerprint of it.", once_label: "API key", once_env: "As a line of an .env file", once_done: "I have saved it",
    once_leave: "Close without saving?", once_leave_text: "The key can’t be shown again. You would have to create another.", once_leave_action: "Close", once_back: "Back",
    try_title: "Try it", try_text: "Lists your folders. Put your key into the environment first:", try_language: "Language", env_label: "Environment", code_label: (language: string) => `Example for ${language}`,
  },
} as const;
