/**
 * Types of files imported `with { type: "file" }`, which are paths, in the executable too; and of
 * the part of Tesseract in use, which ships no types.
 */
declare module "*.wasm" {
  const path: string;
  export default path;
}
declare module "*.traineddata.gz" {
  const path: string;
  export default path;
}
declare module "tesseract.js-core/tesseract-core-simd-lstm.js" {
  export interface TessBaseAPI {
    /** 0 on success. */
    Init(directory: string | null, languages: string, mode: number): number;
    SetPageSegMode(mode: number): void;
    /** Decodes the file `/input`; 0 on success. */
    SetImageFile(orientation: number, angle: number): number;
    SetSourceResolution(dots_per_inch: number): void;
    /** The image that was set. */
    GetInputImage(): object;
    SetRectangle(left: number, top: number, width: number, height: number): void;
    Recognize(monitor: null): number;
    GetHOCRText(page: number): string;
    Clear(): void;
  }
  export interface Module {
    readonly TessBaseAPI: new () => TessBaseAPI;
    readonly FS: { writeFile(path: string, bytes: Uint8Array): void; unlink(path: string): void };
    /** The address of an object of the engine. */
    getPointer(object: object): number;
  }
  export default function start(options: {
    readonly instantiateWasm: (
      imports: WebAssembly.Imports,
      done: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
    ) => void;
    readonly print: (line: string) => void;
    readonly printErr: (line: string) => void;
  }): Promise<Module>;
}
