/**
 * Users, for administrators: invite, change the role, deactivate, hand out a link for a new
 * password.
 */
import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { api, type ApiProblem } from "../../api/client";
import { keys, refresh } from "../../api/queries";
import type { Answer, Page, RowOf } from "../../api/types";
import { useUser } from "../../app/session";
import { Button } from "../../ui/button";
import { Secret } from "../../ui/copy";
import { ConfirmDialog, Dialog, FormDialog } from "../../ui/dialog";
import { Select, TextField } from "../../ui/field";
import { Time } from "../../ui/format";
import { Menu, type MenuItem } from "../../ui/menu";
import { PageHeader } from "../../ui/page-header";
import { Pager } from "../../ui/pager";
import { Empty, Loading } from "../../ui/states";
import { Table, type Column } from "../../ui/table";
import { Tag } from "../../ui/tag";
import { toast, toastError } from "../../ui/toast";
import { user_strings as strings } from "../../strings/users";

type FullUser = RowOf<"listUsers">;
type Role = FullUser["role"];
type LinkKind = keyof typeof strings.link_title;
/** What is being asked, of whom. */
type Asking = { readonly what: "deactivate" | "reset"; readonly user: FullUser } | null;
interface Link {
  readonly kind: LinkKind;
  readonly email: string;
  readonly url: string;
}

const stateOf = ({ active, invited }: FullUser): keyof typeof strings.states =>
  !active ? "inactive" : invited ? "invited" : "active";
const tones = { active: "ok", invited: "run", inactive: "plain" } as const;
const roles = (["member", "admin"] as const).map((value) => ({
  value,
  label: strings.roles[value],
}));

export default function Users() {
  const me = useUser();
  const [page, setPage] = useState(1);
  const [inviting, setInviting] = useState(false);
  const [asking, setAsking] = useState<Asking>(null);
  const [link, setLink] = useState<Link | null>(null);
  const users = useQuery({
    queryKey: [...keys.users, page],
    queryFn: () => api<Page<FullUser>>("/users", { query: { page } }),
    placeholderData: (before) => before,
  });
  const change = async (
    { id }: FullUser,
    body: { readonly role?: Role; readonly active?: boolean },
  ) => {
    try {
      await api(`/users/${id}`, { method: "PATCH", body });
      toast({ text: strings.changed });
    } catch (error) {
      toastError(error);
    }
    await refresh("user");
  };
  const itemsOf = (user: FullUser): readonly MenuItem[] => [
    { label: strings.reset, icon: "key", run: () => setAsking({ what: "reset", user }) },
    user.role === "admin"
      ? {
          label: strings.make_member,
          icon: "user",
          run: () => void change(user, { role: "member" }),
        }
      : {
          label: strings.make_admin,
          icon: "shield",
          run: () => void change(user, { role: "admin" }),
        },
    "separator",
    user.active
      ? {
          label: strings.deactivate,
          icon: "remove",
          danger: true,
          run: () => setAsking({ what: "deactivate", user }),
        }
      : {
          label: strings.activate,
          icon: "restore",
          run: () => void change(user, { active: true }),
        },
  ];
  const columns: readonly Column<FullUser>[] = [
    {
      key: "email",
      header: strings.email,
      kind: "main",
      cell: ({ id, email }) => (
        <span class="row">
          <span class="strong wrap-anywhere">{email}</span>
          {id === me.id && <Tag dot={false}>{strings.you}</Tag>}
        </span>
      ),
    },
    { key: "role", header: strings.role, kind: "tight", cell: ({ role }) => strings.roles[role] },
    {
      key: "status",
      header: strings.status,
      kind: "tight",
      cell: (user) => <Tag tone={tones[stateOf(user)]}>{strings.states[stateOf(user)]}</Tag>,
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
    },
    {
      key: "actions",
      header: strings.actions,
      kind: "actions",
      cell: (user) => <Menu label={strings.menu(user.email)} items={itemsOf(user)} />,
    },
  ];
  const invite = (
    <Button kind="primary" icon="plus" data-shortcut="n" onClick={() => setInviting(true)}>
      {strings.invite}
    </Button>
  );
  return (
    <>
      <PageHeader title={strings.title} text={strings.text} actions={invite} />
      <section class="card">
        <Loading query={users}>
          {({ data, pagination }) =>
            pagination.total === 0 ? (
              <Empty icon="users" title={strings.empty_title}>
                {strings.empty_text}
              </Empty>
            ) : (
              <>
                <Table
                  label={strings.label}
                  columns={columns}
                  rows={data}
                  row_key={({ id }) => id}
                />
                <Pager page={page} pagination={pagination} onPage={setPage} />
              </>
            )
          }
        </Loading>
      </section>
      {inviting && <InviteDialog onClose={() => setInviting(false)} onInvited={setLink} />}
      {asking?.what === "deactivate" && (
        <ConfirmDialog
          title={strings.deactivate_title(asking.user.email)}
          confirm_label={strings.deactivate}
          onClose={() => setAsking(null)}
          onConfirm={async () => {
            await api(`/users/${asking.user.id}`, { method: "PATCH", body: { active: false } });
            toast({ text: strings.changed });
            await refresh("user");
          }}
        >
          <p>{strings.deactivate_text}</p>
        </ConfirmDialog>
      )}
      {asking?.what === "reset" && (
        <ResetDialog user={asking.user} onClose={() => setAsking(null)} onReset={setLink} />
      )}
      {link && <LinkOnce link={link} onClose={() => setLink(null)} />}
    </>
  );
}

function InviteDialog({
  onClose,
  onInvited,
}: {
  readonly onClose: () => void;
  readonly onInvited: (link: Link) => void;
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
      own_pointers={["/email"]}
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

function ResetDialog({
  user,
  onClose,
  onReset,
}: {
  readonly user: FullUser;
  readonly onClose: () => void;
  readonly onReset: (link: Link) => void;
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

function LinkOnce({
  link: { kind, email, url },
  onClose,
}: {
  readonly link: Link;
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
