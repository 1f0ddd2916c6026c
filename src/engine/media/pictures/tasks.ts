import type { PictureSpec } from '#kernel/pictures/picture.ts';

/** What the picture process is asked for: a file that fits, or a thumbnail; `from` and `to` are paths. */
export type PictureTask =
  | Readonly<{ kind: 'fit'; from: string; type: string; to: string; spec: PictureSpec; keepMetadata: boolean }>
  | Readonly<{ kind: 'thumbnail'; from: string; type: string; to: string; width: number }>;

export type Made = Readonly<{ content_type: string; width: number; height: number; size_bytes: number }>;

/** What was written, or why the picture is refused: the end of a sentence about it. */
export type PictureResult = Readonly<{ made: Made }> | Readonly<{ refused: string }>;

/** What a picture is refused with that a decoder gives up on, or is broken by. */
export const UNREADABLE = 'cannot be read: it is damaged or incomplete';

/** The sentence with which a picture is refused. */
export class RefusedError extends Error {}

/** An answer; `failed` says what the machine, not the picture, lacks; one that is `leaving` takes no more work. */
export type PictureReply = Readonly<{ result: PictureResult; leaving?: boolean }> | Readonly<{ failed: string }>;

/** What the process says when it has started; `unavailable` says why it cannot work. */
export type PictureGreeting = 'ready' | Readonly<{ unavailable: string }>;
