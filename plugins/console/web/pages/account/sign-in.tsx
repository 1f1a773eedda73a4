/** Sign-in: e-mail and password. */
export default function SignIn() { return <p>sign in</p>; }
