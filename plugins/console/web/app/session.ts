/** Who is signed in. */
import { useQuery } from "@tanstack/preact-query";
import { api } from "../api/client";
import { keys, queries } from "../api/queries";
import type { Answer, Session, User } from "../api/types";

export const useSession = () =>
  useQuery({
    queryKey: keys.session,
    queryFn: async () => {
      const session = await api<Session>("/session");
      remember(session.user !== null);
      return session;
    },
    staleTime: 5 * 60_000,
  });

/** The user who is signed in. Only for components inside the shell, where there is one. */
export function useUser(): User {
  const user = useSession().data?.user;
  if (!user) throw new Error("Nobody is signed in.");
  return user;
}

/**
 * Shows the console of `user`, or the sign-in page, and drops everything cached for the previous
 * user.
 */
export function setUser(user: User | null): void {
  remember(user !== null);
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== keys.session[0] });
  queries.setQueryData<Session>(
    keys.session,
    (session) => session && { ...session, user, setup_needed: user ? false : session.setup_needed },
  );
}

/** Whether somebody was signed in in this browser and did not sign out. */
const remembered = "dossier.signed_in";
function remember(signed_in: boolean): void {
  if (signed_in) localStorage.setItem(remembered, "1");
}
/** The session of whoever was signed in here has ended without them. */
export const hasLostSession = (): boolean => localStorage.getItem(remembered) !== null;

let signed_out = false;
/** Somebody has just signed out here: nobody is signed in again without a click. */
export const hasSignedOut = (): boolean => signed_out;

/** Here, and where the user came from when that wants it. */
export async function signOut(): Promise<void> {
  const further = await api<Answer<"signOut"> | undefined>("/session", { method: "DELETE" });
  signed_out = true;
  localStorage.removeItem(remembered);
  if (!further?.location) return setUser(null);
  location.assign(further.location);
  // Nothing else happens here until the browser has left.
  return new Promise(() => undefined);
}
