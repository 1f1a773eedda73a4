/** Certificates created at the time of the test, by openssl. */
import { join } from "node:path";
import { temporaryDirectory } from "./data-directory";

/** For localhost and 127.0.0.1; `name` is its subject. @throws Error without openssl */
export async function selfSigned(name: string): Promise<{ cert: string; key: string }> {
  const directory = temporaryDirectory();
  const at = (file: string) => join(directory, file);
  const command = Bun.spawnSync([
    "openssl",
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
    ...["-keyout", at("key"), "-out", at("cert"), "-subj", `/CN=${name}`, "-days", "2"],
    ...["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"],
  ]);
  if (command.exitCode !== 0) throw new Error(command.stderr.toString());
  return { cert: await Bun.file(at("cert")).text(), key: await Bun.file(at("key")).text() };
}
