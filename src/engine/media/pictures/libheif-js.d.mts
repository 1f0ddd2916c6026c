/** The part of libheif-js that is used; the package has no types of it. */
declare module 'libheif-js/wasm-bundle.js' {
  type Pixels = Readonly<{ data: Uint8ClampedArray; width: number; height: number }>;
  type HeifImage = Readonly<{
    is_primary(): boolean;
    has_alpha_channel(): boolean;
    get_width(): number;
    get_height(): number;
    /** Writes RGBA into `data`; null if it cannot be decoded. */
    display(into: Pixels, done: (shown: Pixels | null) => void): void;
  }>;
  const libheif: Readonly<{ HeifDecoder: new () => Readonly<{ decode(bytes: Uint8Array): readonly HeifImage[] }> }>;
  export default libheif;
}
