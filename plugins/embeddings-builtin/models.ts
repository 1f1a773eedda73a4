/** The available models: the bundled one, and those added to the data directory. */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { t, UsageError, Validator } from "../../core/sdk";
import { builtin_model, type ModelDescription } from "./contract";
import { Encoder } from "./encoder";
import { compiledKernel } from "./kernels";
import { InvalidModel, readModel } from "./model-container";
import { copyModel, hashOf, writeDurably, type ModelFile } from "./model-files";
import builtin_weights from "./models/multilingual-e5-small.bin" with { type: "file" };
import builtin from "./models/multilingual-e5-small.json";

/** A model and where its file is. */
export interface KnownModel extends ModelDescription, ModelFile {}
/** What the model expects before a query and before a passage. */
export interface Prefixes {
  readonly query_prefix: string;
  readonly document_prefix: string;
}

/** In code points: a prefix is a word or a short sentence. */
const prefix_length_max = 100;
const name_pattern = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const bytes_max = 2 ** 31;
const shape = new Validator(
  t.Object({
    name: t.String({ pattern: name_pattern.source }),
    bytes: t.Integer({ minimum: 1, maximum: bytes_max }),
    sha256: t.String({ pattern: "^[0-9a-f]{64}$" }),
    query_prefix: t.String({ maxLength: prefix_length_max }),
    document_prefix: t.String({ maxLength: prefix_length_max }),
  }),
);

/** The models of a data directory: each is a description and a file with its hash in the name. */
export class Models {
  private readonly directory: string;
  constructor(paths: { readonly data: string }) {
    this.directory = join(paths.data, "models");
  }

  /** The bundled one first, then by name. Unreadable ones are left out. */
  list(): KnownModel[] {
    const names = namesIn(this.directory)
      .filter((name) => name.endsWith(".json"))
      .map((name) => name.slice(0, -".json".length))
      .sort();
    return [builtin_model, ...names].flatMap((name) => this.find(name) ?? []);
  }

  /** The model of this name; undefined if it is unknown or its description is invalid. */
  find(name: string): KnownModel | undefined {
    if (name === builtin_model) return this.builtin();
    if (!name_pattern.test(name)) return undefined;
    try {
      const description: unknown = JSON.parse(readFileSync(this.descriptionPath(name), "utf8"));
      shape.validate(description);
      const valid = description as ModelDescription;
      return { ...valid, name, path: this.weightsPath({ ...valid, name }), source: null };
    } catch {
      return undefined;
    }
  }

  /**
   * Copies a model in after it was read and has encoded a test text. One of the same name is
   * replaced. @throws UsageError, Error that says what is wrong with the file.
   */
  async add(from: string, prefixes: Prefixes, chosen_name?: string): Promise<KnownModel> {
    const path = resolve(from);
    const name = chosen_name ?? basename(path).replace(/\.bin$/, "");
    if (!name_pattern.test(name) || name === builtin_model)
      throw new UsageError(
        `${name} is not a valid model name. Choose another with --name: lower-case ` +
          `letters, digits, dots and dashes, and not ${builtin_model}, which is built in.`,
      );
    for (const prefix of Object.values(prefixes))
      if (prefix.length > prefix_length_max)
        throw new UsageError(`A prefix can have at most ${prefix_length_max} characters.`);
    const data = mapModel(path);
    await requireRunnable(data, path);
    const sha256 = hashOf(data);
    const description = { name, bytes: data.length, sha256, ...prefixes };
    const weights = this.weightsPath(description);
    mkdirSync(this.directory, { recursive: true, mode: 0o700 });
    await copyModel(path, weights);
    if (hashOf(Bun.mmap(weights)) !== sha256) {
      rmSync(weights, { force: true });
      throw new Error(`the file ${path} changed while it was being copied.`);
    }
    writeDurably(this.descriptionPath(name), `${JSON.stringify(description, null, 2)}\n`);
    for (const other of namesIn(this.directory))
      if (weights_pattern.exec(other)?.[1] === name && join(this.directory, other) !== weights)
        rmSync(join(this.directory, other), { force: true });
    return { ...description, path: weights, source: null };
  }

  /** When running from source, the project's file is mapped; one inside the executable can't be. */
  private builtin(): KnownModel {
    const path = Bun.isStandaloneExecutable
      ? join(this.directory, `${builtin_model}.bin`)
      : builtin_weights;
    return { ...builtin, path, source: builtin_weights };
  }
  private descriptionPath(name: string): string {
    return join(this.directory, `${name}.json`);
  }
  private weightsPath({ name, sha256 }: ModelDescription): string {
    return join(this.directory, `${name}@${sha256.slice(0, 16)}.bin`);
  }
}

const weights_pattern = /^(.*)@[0-9a-f]{16}\.bin$/;

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function mapModel(path: string): Uint8Array {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats?.isFile()) throw new UsageError(`there is no file ${path}`);
  if (stats.size === 0 || stats.size > bytes_max)
    throw new UsageError(
      `the file ${path} has ${stats.size} bytes, but a model must have 1 to ${bytes_max}.`,
    );
  return Bun.mmap(path);
}

async function requireRunnable(data: Uint8Array, path: string): Promise<void> {
  try {
    const encoder = new Encoder(readModel(data), await compiledKernel());
    await encoder.embed("Hello.", {
      prefix: "",
      workspace: encoder.openWorkspace(),
      pause: () => undefined,
    });
  } catch (error) {
    if (!(error instanceof InvalidModel)) throw error;
    throw new UsageError(
      `the file ${path} is not a model that the encoder can run: ${error.message}.`,
    );
  }
}
