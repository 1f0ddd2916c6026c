const ORIENTATION = 0x0112;

/**
 * Removes EXIF, XMP and IPTC from a JPEG, because blobs are public and may contain the location. Keeps the orientation.
 * Returns other bytes unchanged.
 */
export function withoutCameraData(body: Uint8Array): Uint8Array {
  const jpeg = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (jpeg.length < 4 || jpeg.readUInt16BE(0) !== 0xffd8) return body;
  const kept: Uint8Array[] = [jpeg.subarray(0, 2)];
  let at = 2;
  while (at + 4 <= jpeg.length && jpeg[at] === 0xff) {
    const marker = jpeg[at + 1]!;
    if (marker === 0xda) break;
    if (marker === 0xff) {
      at++;
      continue;
    }
    const end = at + 2 + jpeg.readUInt16BE(at + 2);
    if (end > jpeg.length || end < at + 4) return body;
    const turn = marker === 0xe1 ? orientationOf(jpeg.subarray(at + 4, end)) : undefined;
    if (turn !== undefined && turn !== 1) kept.push(turned(turn));
    if (marker !== 0xe1 && marker !== 0xed) kept.push(jpeg.subarray(at, end));
    at = end;
  }
  return Buffer.concat([...kept, jpeg.subarray(at)]);
}

function orientationOf(segment: Buffer): number | undefined {
  if (segment.toString('latin1', 0, 6) !== 'Exif\0\0' || segment.length < 20) return undefined;
  const tiff = segment.subarray(6);
  const little = tiff.toString('latin1', 0, 2) === 'II';
  const u16 = (at: number) => (little ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const directory = little ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  if (directory + 2 > tiff.length) return undefined;
  const entries = u16(directory);
  for (let i = 0; i < entries; i++) {
    const at = directory + 2 + i * 12;
    if (at + 12 > tiff.length) return undefined;
    if (u16(at) === ORIENTATION) {
      const turn = u16(at + 8);
      return turn >= 1 && turn <= 8 ? turn : undefined;
    }
  }
  return undefined;
}

/** An EXIF segment that contains only the orientation. */
function turned(turn: number): Buffer {
  const tiff = Buffer.from('4d4d002a00000008000101120003000000010000000000000000', 'hex');
  tiff.writeUInt16BE(turn, 18);
  const head = Buffer.from('ffe10000457869660000', 'hex');
  head.writeUInt16BE(head.length - 2 + tiff.length, 2);
  return Buffer.concat([head, tiff]);
}
