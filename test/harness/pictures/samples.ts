import sharp, { type Sharp } from 'sharp';

/** Colours that change slowly, with noise, as a photo's do; `seed` makes it another one. */
export function scene(width: number, height: number, { seed = 1, noise = 40 } = {}): Sharp {
  const data = Buffer.alloc(width * height * 3);
  let state = seed;
  for (let y = 0, at = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1, at += 3) {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      const grain = ((state >>> 16) % (noise + 1)) - noise / 2;
      data[at] = clamp((200 * x) / width + 28 + grain);
      data[at + 1] = clamp((200 * y) / height + 28 + grain);
      data[at + 2] = clamp(((x * 3) / width + y / height > 2 ? 190 : 60) + grain);
    }
  }
  return sharp(data, { raw: { width, height, channels: 3 } });
}

const clamp = (value: number) => Math.min(Math.max(Math.round(value), 0), 255);

const PLACE = {
  IFD0: { Make: 'Pixel', Model: 'Harbour' },
  IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 31/1 12/1' },
};

/** A JPEG as a phone writes it: turned, and with the place where it was taken. */
export async function phonePhoto(width: number, height: number, orientation = 6, quality = 95) {
  const turned = orientation >= 5;
  const image = scene(turned ? height : width, turned ? width : height)
    .withExif(PLACE)
    .withMetadata({ orientation })
    .jpeg({ quality });
  return bytesOf(image);
}

/** The bytes in a buffer of their own, as forms take them. */
export const bytesOf = async (image: Sharp): Promise<Buffer<ArrayBuffer>> => Buffer.from(await image.toBuffer());

/** An animation of two frames. */
export async function animation(type: 'gif' | 'webp', side = 40) {
  const frame = (background: string) => sharp({ create: { width: side, height: side, channels: 3, background } });
  const frames = await Promise.all([frame('#ff0000').png().toBuffer(), frame('#0000ff').png().toBuffer()]);
  return bytesOf(sharp(frames, { join: { animated: true } }).toFormat(type, { delay: [100, 100] }));
}
