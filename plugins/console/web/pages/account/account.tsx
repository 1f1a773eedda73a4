/** The user's own account: password, theme, sessions. */
import { useMutation, useQuery } from "@tanstack/preact-query";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { api, ApiProblem } from "../../api/client";
import { keys, refresh } from "../../api/queries";
import type { AccountSession, Answer, Page } from "../../api/types";
import { useSignOut } from "../../app/sign-out";
import { useUser } from "../../app/session";
import { setTheme, theme, type Theme } from "../../app/theme";
import { Button, ButtonLink } from "../../ui/button";
import { ConfirmDialog } from "../../ui/dialog";
import { Segments } from "../../ui/field";
import { Problem } from "../../ui/note";
import { PageHeader } from "../../ui/page-header";
import { Loading } from "../../ui/states";
import { Table, type Column } from "../../ui/table";
import { Tag } from "../../ui/tag";
import { toast, toastError } from "../../ui/toast";
import { Time } from "../../ui/time";
import { account_strings } from "../../strings/account";
import { common_strings as shared } from "../../strings/common";
import { PasswordField } from "./password-field";
import { deviceOf } from "./user-agent";

const strings = account_strings.account;

export default function Account() {
  const { email, role } = useUser();
  const signOut = useSignOut();
  const account = useQuery({
    queryKey: keys.account,
    queryFn: () => api<Answer<"getAccount">>("/account"),
  });
  return (
    <>
      <PageHeader
        title={strings.title}
        text={strings.text(email, strings.roles[role])}
        actions={
          <Button icon="log-out" onClick={signOut}>
            {shared.navigation.sign_out}
          </Button>
        }
      />
      <div class="settings">
        {(account.data?.has_password ?? account.isError) && <Password email={email} />}
        <Setting title={strings.theme_title} text={strings.theme_text}>
          <Segments
            label={strings.theme_label}
            value={theme.value}
            onValue={(value) => setTheme(value as Theme)}
            options={[
              { value: "system", label: shared.navigation.system, icon: "monitor" },
              { value: "light", label: shared.navigation.light, icon: "sun" },
              { value: "dark", label: shared.navigation.dark, icon: "moon" },
            ]}
          />
        </Setting>
        <Setting title={strings.keys_title} text={strings.keys_text}>
          <div>
            <ButtonLink href="/keys" icon="key">
              {strings.keys_link}
            </ButtonLink>
          </div>
        </Setting>
      </div>
      <Sessions />
    </>
  );
}

const Setting = ({
  title,
  text,
  children,
}: {
  readonly title: string;
  readonly text: string;
  readonly children: ComponentChildren;
}) => (
  <section class="card setting">
    <div class="stack-small">
      <h2>{title}</h2>
      <p class="muted">{text}</p>
    </div>
    <div>{children}</div>
  </section>
);

function Password({ email }: { readonly email: string }) {
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const change = useMutation({
    mutationFn: (body: { current_password: string; new_password: string }) =>
      api("/account/password", { method: "PUT", body }),
    onSuccess: () => {
      setCurrent("");
      setNext("");
      toast({ text: strings.password_done });
      void refresh(keys.sessions[0]);
    },
  });
  const problem = change.error instanceof ApiProblem ? change.error : null;
  const wrong_current = problem?.at("/current_password");
  const wrong_new = problem?.at("/new_password") ?? problem?.at("/password");
  const send = (event: Event) => {
    event.preventDefault();
    if (!change.isPending) change.mutate({ current_password: current, new_password: next });
  };
  return (
    <Setting title={strings.password_title} text={strings.password_text}>
      <form class="stack" onSubmit={send}>
        <input
          class="vh"
          type="email"
          name="email"
          value={email}
          autocomplete="username"
          readOnly
          tabIndex={-1}
          aria-hidden="true"
        />
        <PasswordField
          label={account_strings.current_password}
          value={current}
          onValue={setCurrent}
          error={wrong_current}
        />
        <PasswordField
          label={account_strings.new_password}
          value={next}
          onValue={setNext}
          fresh
          error={wrong_new}
        />
        {change.error && !wrong_current && !wrong_new && <Problem error={change.error} />}
        <div>
          <Button type="submit" busy={change.isPending} disabled={current === "" || next === ""}>
            {strings.password_action}
          </Button>
        </div>
      </form>
    </Setting>
  );
}

function Sessions() {
  const [is_confirming, setConfirming] = useState(false);
  const sessions = useQuery({
    queryKey: keys.sessions,
    queryFn: () => api<Page<AccountSession>>("/account/sessions", { query: { per_page: 200 } }),
  });
  const end = useMutation({
    mutationFn: (id: string) => api(`/account/sessions/${id}`, { method: "DELETE" }),
    onSuccess: () => toast({ text: strings.ended }),
    onError: toastError,
    onSettled: () => refresh(keys.sessions[0]),
  });
  const has_others = (sessions.data?.data.length ?? 0) > 1;
  return (
    <section class="card">
      <div class="card-head card-head-text">
        <div>
          <h2>{strings.sessions_title}</h2>
          <p class="muted">{strings.sessions_text}</p>
        </div>
        {has_others && (
          <Button small onClick={() => setConfirming(true)}>
            {strings.end_others}
          </Button>
        )}
      </div>
      <Loading query={sessions} rows={2}>
        {({ data }) => (
          <Table
            label={strings.sessions_label}
            columns={sessionColumns(({ id }) => end.mutate(id))}
            rows={data}
            row_key={({ id }) => id}
          />
        )}
      </Loading>
      {is_confirming && <EndOthersDialog onClose={() => setConfirming(false)} />}
    </section>
  );
}

const sessionColumns = (
  onEnd: (session: AccountSession) => void,
): readonly Column<AccountSession>[] => [
  {
    key: "device",
    header: strings.device,
    kind: "main",
    cell: ({ user_agent, current }) => (
      <span class="row row-wrap">
        <span class="strong">{deviceOf(user_agent) ?? strings.unknown_device}</span>
        {current && <Tag tone="ok">{strings.current}</Tag>}
      </span>
    ),
  },
  {
    key: "address",
    header: strings.address,
    cell: ({ address }) => <span class="mono">{address ?? "–"}</span>,
  },
  {
    key: "started",
    header: strings.started,
    cell: ({ created_at }) => <Time value={created_at} />,
  },
  {
    key: "seen",
    header: strings.seen,
    cell: ({ last_seen_at }) => <Time value={last_seen_at} />,
  },
  {
    key: "actions",
    header: strings.actions,
    kind: "actions",
    cell: (session) =>
      !session.current && (
        <Button
          kind="ghost"
          small
          class="bad-text"
          aria-label={strings.end_label(deviceOf(session.user_agent) ?? strings.unknown_device)}
          onClick={() => onEnd(session)}
        >
          {strings.end}
        </Button>
      ),
  },
];

function EndOthersDialog({ onClose }: { readonly onClose: () => void }) {
  const endOthers = async () => {
    await api("/account/sessions", { method: "DELETE" });
    toast({ text: strings.ended_others });
    await refresh(keys.sessions[0]);
  };
  return (
    <ConfirmDialog
      title={strings.end_others_title}
      confirm_label={strings.end_others}
      onClose={onClose}
      onConfirm={endOthers}
    >
      <p>{strings.end_others_text}</p>
    </ConfirmDialog>
  );
}
