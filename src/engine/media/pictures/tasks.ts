import type { PictureSpec } from '#kernel/pictures/picture.ts';

/** A task for the picture process: convert a file, or make a thumbnail; `from` and `to` are paths. */
export type PictureTask =
  | Readonly<{ kind: 'fit'; from: string; type: string; to: string; spec: PictureSpec; keepMetadata: boolean }>
  | Readonly<{ kind: 'thumbnail'; from: string; type: string; to: string; width: number }>;

export type Made = Readonly<{ content_type: string; width: number; height: number; size_bytes: number }>;

/** What was written, or why the picture is refused, as the end of a sentence. */
export type PictureResult = Readonly<{ made: Made }> | Readonly<{ refused: string }>;

/** The refusal of a picture that a decoder cannot read or that crashes it. */
export const UNREADABLE = 'cannot be read: it is damaged or incomplete';

/** A refusal of a picture; its message is shown to the user. */
export class RefusedError extends Error {}

/** A response; `failed` names a problem of the machine, and after `leaving` the process takes no more tasks. */
export type PictureReply = Readonly<{ result: PictureResult; leaving?: boolean }> | Readonly<{ failed: string }>;

/** The first message of the process; `unavailable` says why it cannot work. */
export type PictureGreeting = 'ready' | Readonly<{ unavailable: string }>;
