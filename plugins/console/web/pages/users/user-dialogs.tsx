/** Inviting, deactivating and resetting users; links are shown once. */
import { useState } from "preact/hooks";
import { api, type ApiProblem } from "../../api/client";
import { refresh } from "../../api/queries";
import type { Answer, RowOf } from "../../api/types";
import { Button } from "../../ui/button";
import { Secret } from "../../ui/copy";
import { ConfirmDialog, Dialog, FormDialog } from "../../ui/dialog";
import { Select, TextField } from "../../ui/field";
import { toast } from "../../ui/toast";
import { user_strings as strings } from "../../strings/users";

/** A user as administrators see it. */
export type FullUser = RowOf<"listUsers">;
export type Role = FullUser["role"];
/** A link with which its recipient chooses a password. */
export interface PasswordLink {
  readonly kind: keyof typeof strings.link_title;
  readonly email: string;
  readonly url: string;
}

const roles = (["member", "admin"] as const).map((value) => ({
  value,
  label: strings.roles[value],
}));

/** Asks for the email address and role of a new user; ends with a link. */
export function InviteDialog({
  onClose,
  onInvited,
}: {
  readonly onClose: () => void;
  readonly onInvited: (link: PasswordLink) => void;
}) {
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Role>("member");
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const invite = async () => {
    const { invite_url, user } = await api<Answer<"inviteUser">>("/users", {
      method: "POST",
      body: { email: email.trim(), role },
    });
    onInvited({ kind: "invitation", email: user.email, url: invite_url });
    await refresh("user");
  };
  return (
    <FormDialog
      title={strings.invite_title}
      submit_label={strings.invite}
      disabled={email.trim() === ""}
      onClose={onClose}
      onSubmit={invite}
      field_pointers={["/email"]}
      onProblem={setProblem}
    >
      <TextField
        label={strings.email}
        type="email"
        value={email}
        onValue={setEmail}
        error={problem?.at("/email")}
        autofocus
        spellcheck={false}
      />
      <Select
        label={strings.role}
        hint={strings.role_hint}
        value={role}
        onValue={(value) => setRole(value as Role)}
        options={roles}
      />
    </FormDialog>
  );
}

/** Confirms that a user gets a link to choose a new password. */
export function ResetDialog({
  user,
  onClose,
  onReset,
}: {
  readonly user: FullUser;
  readonly onClose: () => void;
  readonly onReset: (link: PasswordLink) => void;
}) {
  const reset = async () =>
    onReset({
      kind: "reset",
      email: user.email,
      url: (await api<Answer<"resetUser">>(`/users/${user.id}/reset`, { method: "POST" }))
        .reset_url,
    });
  return (
    <FormDialog
      title={strings.reset_title(user.email)}
      submit_label={strings.reset}
      onClose={onClose}
      onSubmit={reset}
    >
      <p>{strings.reset_text}</p>
    </FormDialog>
  );
}

/** Shows a link, which the server does not show again. */
export function LinkDialog({
  link: { kind, email, url },
  onClose,
}: {
  readonly link: PasswordLink;
  readonly onClose: () => void;
}) {
  return (
    <Dialog
      title={strings.link_title[kind]}
      sticky
      onClose={onClose}
      foot={
        <Button kind="primary" onClick={onClose}>
          {strings.link_done}
        </Button>
      }
    >
      <p>{strings.link_text(email)}</p>
      <Secret label={strings.link_label} text={url} />
    </Dialog>
  );
}

export function DeactivateDialog({
  user: { id, email },
  onClose,
}: {
  readonly user: FullUser;
  readonly onClose: () => void;
}) {
  const deactivate = async () => {
    await api(`/users/${id}`, { method: "PATCH", body: { active: false } });
    toast({ text: strings.changed });
    await refresh("user");
  };
  return (
    <ConfirmDialog
      title={strings.deactivate_title(email)}
      confirm_label={strings.deactivate}
      onClose={onClose}
      onConfirm={deactivate}
    >
      <p>{strings.deactivate_text}</p>
    </ConfirmDialog>
  );
}

export function DeleteDialog({
  user: { id, email },
  onClose,
}: {
  readonly user: FullUser;
  readonly onClose: () => void;
}) {
  const remove = async () => {
    await api(`/users/${id}`, { method: "DELETE" });
    toast({ text: strings.deleted });
    await refresh("user");
  };
  return (
    <ConfirmDialog
      title={strings.delete_title(email)}
      confirm_label={strings.delete}
      typed_name={email}
      onClose={onClose}
      onConfirm={remove}
    >
      <p>{strings.delete_text}</p>
    </ConfirmDialog>
  );
}
