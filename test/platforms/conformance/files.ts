import { mp4, png } from '../../harness/media-samples.ts';
import type { Door } from './subject.ts';

export const uprightVideo = (ms?: number) => mp4({ ms, tracks: [{ handler: 'vide', width: 720, height: 1280 }] });
export const wideVideo = (ms?: number) => mp4({ ms, tracks: [{ handler: 'vide', width: 1280, height: 720 }] });

/** Stores a picture; its id. */
export const picture = (door: Door, bytes = png()) => door.upload('a.png', 'image/png', bytes);
/** Stores a video; its id. */
export const video = (door: Door, bytes = uprightVideo()) => door.upload('a.mp4', 'video/mp4', bytes);

/** The number at the end of a text, which makes a file unlike all others. */
export const numberIn = (text: string) => Number(/\d+$/.exec(text)![0]);
