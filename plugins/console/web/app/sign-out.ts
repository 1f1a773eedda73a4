/** Signing out from a component: leads to the sign-in page, or shows why it failed. */
import { useLocation } from "wouter-preact";
import { toastError } from "../ui/toast";
import { signOut } from "./session";

/** Returns a function that signs out. */
export function useSignOut(): () => void {
  const [, navigate] = useLocation();
  return () => void signOut().then(() => navigate("/"), toastError);
}
