/** The recogniser of text, Tesseract in WebAssembly: a picture goes in, words come out. Loaded on first use, in the child, and kept for later pages. */
import wasm_path from "tesseract.js-core/tesseract-core-simd-lstm.wasm" with { type: "file" };
import type { Module, TessBaseAPI } from "tesseract.js-core/tesseract-core-simd-lstm.js";
import { EngineFailure } from "../engine";
import { parseHocr, type Recognised } from "./hocr";
import { languagesIn, type Language } from "./languages";

/** How a picture is turned and mirrored before it is read, as EXIF counts: 1 not at all, 3 by half, 6 by a quarter clockwise, 8 by a quarter counter-clockwise. */
export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

export interface Recogniser {
  /** Names of files in the directory for languages that are none. */
  readonly unusable: readonly string[];
  /** Reads an encoded picture: PNG, JPEG, TIFF (its first frame), WebP, GIF, BMP or PGM. Null when it can't be decoded. @throws EngineFailure */
  readonly read: (picture: Uint8Array, orientation: Orientation, dots_per_inch: number | null) => Recognised | null;
}

interface Loaded {
  readonly module: Module;
  readonly api: TessBaseAPI;
  /** What the engine complained of since `said` was emptied. */
  readonly said: string[];
  /** The languages it was set up with. */
  set_up: string;
  unusable: readonly string[];
}
let loaded: Promise<Loaded> | undefined;

async function load(): Promise<Loaded> {
  const { default: start } = await import("tesseract.js-core/tesseract-core-simd-lstm.js");
  const said: string[] = [];
  const module = await start({ wasmBinary: await Bun.file(wasm_path).arrayBuffer(), print: () => {}, printErr: (line) => void said.push(line) });
  return { module, api: new module.TessBaseAPI(), said, set_up: "", unusable: [] };
}

/** Ready for the languages that lie in this directory now. @throws EngineFailure */
export async function openRecogniser(directory: string): Promise<Recogniser> {
  const engine = await (loaded ??= load());
  const guarded = <T>(work: () => T): T => {
    try { return work(); } catch (cause) {
      loaded = undefined;
      throw new EngineFailure(engine.module.HEAPU8?.byteLength ?? 0, cause);
    }
  };
  const languages = languagesIn(directory);
  const wanted = languages.map(({ name, version }) => `${name} ${version}`).join("\n");
  if (engine.set_up !== wanted) {
    const files = await Promise.all(languages.map(async ({ name, read }) => ({ name, bytes: await read() })));
    guarded(() => setUp(engine, languages, files));
    engine.set_up = wanted;
  }
  return { unusable: engine.unusable, read: (picture, orientation, dots_per_inch) => guarded(() => read(engine, picture, orientation, dots_per_inch)) };
}

/** Neural network only: that is what the engine was built with. */
const oem_lstm_only = 1;
/** Finds columns, blocks and lines by itself. */
const psm_auto = 3;

function setUp(engine: Loaded, languages: readonly Language[], files: readonly { readonly name: string; readonly bytes: Uint8Array }[]): void {
  const { module, api, said } = engine;
  for (const { name, bytes } of files) module.FS.writeFile(`${name}.traineddata`, bytes);
  said.length = 0;
  const failed = api.Init(null, languages.map(({ name }) => name).join("+"), oem_lstm_only) !== 0;
  engine.unusable = said.flatMap((line) => /^Failed loading language '(.+)'/.exec(line)?.[1] ?? []);
  for (const { name } of files) module.FS.unlink(`${name}.traineddata`);
  if (failed) throw new Error(`The recogniser can't be set up: ${said.join(" ")}`);
  api.SetPageSegMode(psm_auto);
}

/** Where the engine looks for the picture. */
const input = "/input";

function read({ module, api, said }: Loaded, picture: Uint8Array, orientation: Orientation, dots_per_inch: number | null): Recognised | null {
  said.length = 0;
  module.FS.writeFile(input, picture);
  const decoded = api.SetImageFile(orientation, 0) === 0; // Otherwise it would read the picture before this one once more.
  module.FS.unlink(input);
  if (!decoded) return null;
  if (dots_per_inch !== null) api.SetSourceResolution(dots_per_inch);
  api.Recognize(null);
  const recognised = parseHocr(api.GetHOCRText(0));
  api.Clear();
  return recognised;
}
