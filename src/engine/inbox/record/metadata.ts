import { isoTime } from '#kernel/clock.ts';

type Metadata = Readonly<Record<string, unknown>>;

/** A stored reaction; an empty list of emojis means that it was withdrawn at `at` (milliseconds). */
export type Reaction = Readonly<{
  by: Readonly<{ id: string; name: string }>;
  emojis: readonly string[];
  at: number;
}>;

/** How many people's reactions are kept for a message. */
const MOST = 100;

export const reactionsIn = ({ reactions }: Metadata): readonly Reaction[] => (reactions ?? []) as readonly Reaction[];

/** Replaces one person's reaction, unless the new one is older. */
export function withReaction(
  reactions: readonly Reaction[],
  { by, emojis, at }: Omit<Reaction, 'at'> & Readonly<{ at: number | undefined }>,
  now: number,
): readonly Reaction[] {
  const before = reactions.find((one) => one.by.id === by.id);
  if (before !== undefined && at !== undefined && before.at > at) return reactions;
  const reaction = { by, emojis, at: at ?? before?.at ?? now };
  return [...reactions.filter((one) => one !== before), reaction].slice(-MOST);
}

/** Adds the participant to reactions that arrived before their message. */
export function withParticipant(metadata: Metadata, participant: Reaction['by']): Metadata {
  const reactions = reactionsIn(metadata).map((one) => (one.by.id === '' ? { ...one, by: participant } : one));
  return { ...metadata, ...(reactions.length > 0 && { reactions }) };
}

export function presentMetadata(row: Metadata): Metadata {
  const { mark: _, reactions: stored, edited_at: editedAt, ...metadata } = row;
  const reactions = reactionsIn({ reactions: stored }).flatMap(({ by, emojis, at }) =>
    emojis.map((emoji) => ({ emoji, by, at: isoTime(at) })),
  );
  return {
    ...metadata,
    ...(typeof editedAt === 'number' && { edited_at: isoTime(editedAt) }),
    ...(reactions.length > 0 && { reactions }),
  };
}
