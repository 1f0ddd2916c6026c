import { imageSize } from 'image-size';

/** A picture's dimensions from its beginning; undefined if it is none. */
export function pixelsOf(head: Uint8Array): Readonly<{ width: number; height: number }> | undefined {
  try {
    const { width, height } = imageSize(head);
    return { width, height };
  } catch {
    return undefined;
  }
}
