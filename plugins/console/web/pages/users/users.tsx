/** Users, for administrators: the list with roles, and actions on each. */
import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { api } from "../../api/client";
import { keys, refresh } from "../../api/queries";
import type { BodyOf, Page } from "../../api/types";
import { useUser } from "../../app/session";
import { Button } from "../../ui/button";
import { formatAgo, formatDateTime } from "../../ui/format";
import { Menu, type MenuItem } from "../../ui/menu";
import { PageHeader } from "../../ui/page-header";
import { PagedTable } from "../../ui/paged-table";
import { Empty } from "../../ui/states";
import type { Column } from "../../ui/table";
import { Tag } from "../../ui/tag";
import { toast, toastError } from "../../ui/toast";
import { Time } from "../../ui/time";
import { user_strings as strings } from "../../strings/users";
import {
  DeactivateDialog,
  DeleteDialog,
  InviteDialog,
  LinkDialog,
  ResetDialog,
  type FullUser,
  type PasswordLink,
} from "./user-dialogs";

type UserDialog = { readonly kind: "deactivate" | "delete" | "reset"; readonly user: FullUser };

const stateOf = ({ active, invited }: FullUser): keyof typeof strings.states =>
  !active ? "inactive" : invited ? "invited" : "active";
const tones = { active: "ok", invited: "run", inactive: "plain" } as const;

export default function Users() {
  const own_user = useUser();
  const [page, setPage] = useState(1);
  const [inviting, setInviting] = useState(false);
  const [dialog, setDialog] = useState<UserDialog | null>(null);
  const [link, setLink] = useState<PasswordLink | null>(null);
  const users = useQuery({
    queryKey: [...keys.users, page],
    queryFn: () => api<Page<FullUser>>("/users", { query: { page } }),
    placeholderData: (previous) => previous,
  });
  const close = () => setDialog(null);
  const invite = (
    <Button kind="primary" icon="plus" data-shortcut="n" onClick={() => setInviting(true)}>
      {strings.invite}
    </Button>
  );
  return (
    <>
      <PageHeader title={strings.title} text={strings.text} actions={invite} />
      <section class="card">
        <PagedTable
          query={users}
          page={page}
          onPage={setPage}
          label={strings.label}
          columns={columns(own_user.id, setDialog)}
          empty={
            <Empty icon="users" title={strings.empty_title}>
              {strings.empty_text}
            </Empty>
          }
        />
      </section>
      {inviting && <InviteDialog onClose={() => setInviting(false)} onInvited={setLink} />}
      {dialog?.kind === "deactivate" && <DeactivateDialog user={dialog.user} onClose={close} />}
      {dialog?.kind === "delete" && <DeleteDialog user={dialog.user} onClose={close} />}
      {dialog?.kind === "reset" && (
        <ResetDialog user={dialog.user} onClose={close} onReset={setLink} />
      )}
      {link && <LinkDialog link={link} onClose={() => setLink(null)} />}
    </>
  );
}

async function changeUser({ id }: FullUser, body: BodyOf<"changeUser">): Promise<void> {
  try {
    await api(`/users/${id}`, { method: "PATCH", body });
    toast({ text: strings.changed });
  } catch (error) {
    toastError(error);
  }
  await refresh("user");
}

const itemsOf = (user: FullUser, onDialog: (dialog: UserDialog) => void): readonly MenuItem[] => [
  {
    label: user.invited ? strings.invite_again : strings.reset,
    icon: "key",
    run: () => onDialog({ kind: "reset", user }),
  },
  user.role === "admin"
    ? {
        label: strings.make_member,
        icon: "user",
        run: () => void changeUser(user, { role: "member" }),
      }
    : {
        label: strings.make_admin,
        icon: "shield",
        run: () => void changeUser(user, { role: "admin" }),
      },
  "separator",
  user.active
    ? {
        label: strings.deactivate,
        icon: "remove",
        danger: true,
        run: () => onDialog({ kind: "deactivate", user }),
      }
    : {
        label: strings.activate,
        icon: "restore",
        run: () => void changeUser(user, { active: true }),
      },
  {
    label: strings.delete,
    icon: "trash",
    danger: true,
    run: () => onDialog({ kind: "delete", user }),
  },
];

/** When an invitation expires, or that it has expired and what to do then. */
function UserState({ user }: { readonly user: FullUser }) {
  const state = stateOf(user);
  const expires_at = state === "invited" ? user.invite_expires_at : null;
  const has_expired = expires_at !== null && Date.parse(expires_at) <= Date.now();
  return (
    <span class="two-lines as-wide">
      <span>
        <Tag tone={has_expired ? "warn" : tones[state]}>
          {has_expired ? strings.link_ended : strings.states[state]}
        </Tag>
      </span>
      {expires_at !== null && (
        <span title={formatDateTime(expires_at)}>
          {has_expired ? strings.link_again : strings.link_ends(formatAgo(expires_at))}
        </span>
      )}
    </span>
  );
}

const columns = (
  own_id: string,
  onDialog: (dialog: UserDialog) => void,
): readonly Column<FullUser>[] => [
  {
    key: "email",
    header: strings.email,
    kind: "main",
    cell: ({ id, email }) => (
      <span class="row">
        <span class="strong wrap-anywhere">{email}</span>
        {id === own_id && <Tag dot={false}>{strings.you}</Tag>}
      </span>
    ),
  },
  { key: "role", header: strings.role, kind: "tight", cell: ({ role }) => strings.roles[role] },
  {
    key: "status",
    header: strings.status,
    kind: "tight",
    cell: (user) => <UserState user={user} />,
  },
  {
    key: "seen",
    header: strings.seen,
    kind: "tight",
    cell: ({ last_seen_at }) => <Time value={last_seen_at} missing={strings.never} />,
  },
  {
    key: "joined",
    header: strings.joined,
    kind: "tight",
    cell: ({ created_at }) => <Time value={created_at} />,
    wide_only: true,
    roomy_only: true,
  },
  {
    key: "actions",
    header: strings.actions,
    kind: "actions",
    cell: (user) => <Menu label={strings.menu(user.email)} items={itemsOf(user, onDialog)} />,
  },
];
