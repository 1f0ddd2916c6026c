import { isoTime } from '#kernel/clock.ts';

type Metadata = Readonly<Record<string, unknown>>;

/** How somebody reacts to a message as it is stored; without emojis it was taken back, at `at` (milliseconds). */
export type Reaction = Readonly<{
  by: Readonly<{ id: string; name: string }>;
  emojis: readonly string[];
  at: number;
}>;

/** How many people's reactions are kept of a message. */
const MOST = 100;

/** The reactions to a message, as they are stored. */
export const reactionsIn = ({ reactions }: Metadata): readonly Reaction[] => (reactions ?? []) as readonly Reaction[];

/** The reactions with another one of one of the people; one that is known to be older changes nothing. */
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

/** The reactions that came before their message, with who the participant of its conversation is. */
export function withParticipant(metadata: Metadata, participant: Reaction['by']): Metadata {
  const reactions = reactionsIn(metadata).map((one) => (one.by.id === '' ? { ...one, by: participant } : one));
  return { ...metadata, ...(reactions.length > 0 && { reactions }) };
}

/** The metadata of a message as the API shows it. */
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
