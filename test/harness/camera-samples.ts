import { crc32, deflateSync } from 'node:zlib';
import { mp4 } from './media-samples.ts';

/** Words that stand in each sample where cameras write a place, and none of which may be left. */
export const PLACES: readonly string[] = ['GPS', '+52.5200+013.4050', 'Pixel', 'Harbour'];

const be = (value: number, bytes = 4) => {
  const made = Buffer.alloc(bytes);
  made.writeUIntBE(value, 0, bytes);
  return made;
};
const le = (value: number) => {
  const made = Buffer.alloc(4);
  made.writeUInt32LE(value);
  return made;
};
const latin = (text: string) => Buffer.from(text, 'latin1');

/** TIFF data with an orientation, and a place behind it. */
const tiff = (turn: number) =>
  Buffer.concat([
    Buffer.from('4d4d002a00000008000101120003000000010000000000000000', 'hex').fill(turn, 19, 20),
    latin('GPS +52.5200+013.4050 Pixel'),
  ]);

/** TIFF data with nothing but an orientation. */
export const bareTiff = (turn: number) => tiff(turn).subarray(0, 26);

const segment = (marker: number, body: Buffer) =>
  Buffer.concat([Buffer.from([0xff, marker]), be(body.length + 2, 2), body]);
const APP0 = segment(0xe0, latin('JFIF\0'));
const ICC = segment(0xe2, latin('ICC_PROFILE\0 colours'));
const FRAME = Buffer.from('ffc0000b080004000401011100', 'hex');
/** Stuffed and restarted data, which are no markers. */
const SCAN = Buffer.from('ffda00020102ff0003ffd004ff0005', 'hex');
const MORE = Buffer.concat([segment(0xc4, Buffer.alloc(20)), SCAN]);
const END = Buffer.from('ffd9', 'hex');

export const exifSegment = (data: Buffer) => segment(0xe1, Buffer.concat([latin('Exif\0\0'), data]));

/** A JPEG in which stand these segments beside what is needed, and this behind it. */
export const jpegOf = (segments: readonly Buffer[], tail: Buffer = Buffer.alloc(0)): Buffer<ArrayBuffer> =>
  Buffer.concat([Buffer.from('ffd8', 'hex'), APP0, ...segments, ICC, FRAME, SCAN, MORE, END, tail]);

/** A JPEG as a phone writes it, with a film behind it. */
export const cameraJpeg = (turn: number) =>
  jpegOf(
    [
      exifSegment(tiff(turn)),
      segment(0xe1, latin('http://ns.adobe.com/xap/1.0/\0<x GPSLatitude="52"/>')),
      segment(0xed, latin('Photoshop 3.0\0Harbour')),
      segment(0xe2, latin('MPF\0 GPS')),
    ],
    Buffer.concat([Buffer.from('ffd8', 'hex'), exifSegment(tiff(1)), END]),
  );

const chunk = (type: string, data: Buffer) => {
  const body = Buffer.concat([latin(type), data]);
  return Buffer.concat([be(data.length), body, be(crc32(body))]);
};
const HEADER = chunk('IHDR', Buffer.concat([be(4), be(4), Buffer.from([8, 0, 0, 0, 0])]));
const DATA = chunk('IDAT', deflateSync(Buffer.alloc(20)));

export const exifChunk = (data: Buffer) => chunk('eXIf', data);

/** A PNG in which stand these chunks before its data, and those behind them. */
export const pngOf = (before: readonly Buffer[], behind: readonly Buffer[] = []): Buffer<ArrayBuffer> =>
  Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    HEADER,
    chunk('iCCP', latin('colours')),
    ...before,
    DATA,
    ...behind,
    chunk('IEND', Buffer.alloc(0)),
  ]);

export const cameraPng = (turn: number) =>
  Buffer.concat([
    pngOf(
      [exifChunk(tiff(turn)), chunk('tEXt', latin('Comment\0Harbour'))],
      [chunk('zTXt', latin('Raw profile type exif\0\0GPS')), chunk('iTXt', latin('XML:com.adobe.xmp\0\0\0\0\0GPS'))],
    ),
    latin('Pixel'),
  ]);

const part = (type: string, data: Buffer) =>
  Buffer.concat([latin(type), le(data.length), data, Buffer.alloc(data.length % 2)]);
const PICTURE = Buffer.from('MAEAnQEqAQABAAEAHCWkAANwAP77lAAA', 'base64');

/** A WebP with these flags and with these parts behind its picture. */
export function webpOf(flags: number, behind: readonly Buffer[]): Buffer<ArrayBuffer> {
  const head = Buffer.from([flags, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  const body = [part('VP8X', head), part('ICCP', latin('colours')), part('VP8 ', PICTURE), ...behind];
  const all = Buffer.concat([latin('WEBP'), ...body]);
  return Buffer.concat([latin('RIFF'), le(all.length), all]);
}

export const exifPart = (data: Buffer) => part('EXIF', data);

export const cameraWebp = (turn: number) =>
  Buffer.concat([
    webpOf(0x2c, [exifPart(Buffer.concat([latin('Exif\0\0'), tiff(turn)])), part('XMP ', latin('<x GPS="52"/>'))]),
    latin('Pixel'),
  ]);

const box = (type: string, ...inner: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(inner);
  return Buffer.concat([be(body.length + 8), latin(type), body]);
};

/** An MP4 as a phone writes it: with a place in the film, in its track and among its keys. */
export function cameraMp4(): Buffer<ArrayBuffer> {
  const plain = mp4();
  const at = plain.indexOf('moov') - 4;
  const moov = plain.subarray(at + 8);
  const track = moov.indexOf('trak') - 4;
  const keys = box('keys', Buffer.alloc(4), be(1), box('mdta', latin('com.apple.quicktime.location.ISO6709')));
  const list = box('ilst', box('data', latin('+52.5200+013.4050/')));
  const film = box('udta', box('\xa9xyz', latin('\0\x12\x15\xc7+52.5200+013.4050/')), box('\xa9mod', latin('Pixel')));
  const own = box('udta', box('loci', latin('\0\0\0\0Harbour\0')));
  return Buffer.concat([
    plain.subarray(0, at),
    box(
      'moov',
      moov.subarray(0, track),
      box('trak', moov.subarray(track + 8), own),
      film,
      box('meta', box('hdlr', Buffer.alloc(24)), keys, list),
    ),
    box('uuid', Buffer.from('be7acfcb97a942e89c71999491e3afac', 'hex'), latin('<x GPS="52"/>')),
  ]);
}
