import { imageSize } from 'image-size';

/** The pixels of a picture, of which this is the beginning; undefined where it is none. */
export function pixelsOf(head: Uint8Array): Readonly<{ width: number; height: number }> | undefined {
  try {
    const { width, height } = imageSize(head);
    return { width, height };
  } catch {
    return undefined;
  }
}
