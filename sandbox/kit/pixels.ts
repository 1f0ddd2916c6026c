import { imageSize } from 'image-size';

/** The size of a picture from its first bytes; undefined if it is not a picture. */
export function pixelsOf(head: Uint8Array): Readonly<{ width: number; height: number }> | undefined {
  try {
    const { width, height } = imageSize(head);
    return { width, height };
  } catch {
    return undefined;
  }
}
