const ORIENTATION = 0x0112;
export const UPRIGHT = 1;

export const PREFIX = 'Exif\0\0';
/** EXIF data longer than this is not searched for the orientation. */
export const MOST_EXIF_BYTES = 1_048_576;

/** The orientation in EXIF data; undefined if it is no EXIF. JPEG requires a prefix, other formats may have it. */
export function exifTurn(segment: Uint8Array, prefix?: 'prefixed'): number | undefined {
  const isPrefixed = Buffer.from(segment.subarray(0, PREFIX.length)).toString('latin1') === PREFIX;
  if (prefix !== undefined && !isPrefixed) return undefined;
  return orientationOf(isPrefixed ? segment.subarray(PREFIX.length) : segment);
}

/** Reads the orientation from the first TIFF directory. */
function orientationOf(tiff: Uint8Array): number {
  const data = new DataView(tiff.buffer, tiff.byteOffset, tiff.byteLength);
  if (data.byteLength < 14) return UPRIGHT;
  const little = data.getUint16(0) === 0x4949;
  const directory = data.getUint32(4, little);
  if (directory + 2 > data.byteLength) return UPRIGHT;
  const entries = data.getUint16(directory, little);
  for (let i = 0, at = directory + 2; i < entries && at + 12 <= data.byteLength; i += 1, at += 12) {
    if (data.getUint16(at, little) !== ORIENTATION) continue;
    const turn = data.getUint16(at + 8, little);
    return turn > UPRIGHT && turn <= 8 ? turn : UPRIGHT;
  }
  return UPRIGHT;
}

/** EXIF data with nothing but an orientation. */
export function turned(turn: number): Buffer {
  const tiff = Buffer.from('4d4d002a00000008000101120003000000010000000000000000', 'hex');
  tiff.writeUInt16BE(turn, 18);
  return tiff;
}
