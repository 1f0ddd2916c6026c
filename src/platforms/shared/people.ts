import type { Person, PlatformConversation } from '../records.ts';

/** A conversation with the person of it as `read` knows them, unless the push has named them. */
export async function introduced(
  conversation: PlatformConversation,
  read: (person: string) => Promise<Omit<Person, 'id'>>,
): Promise<PlatformConversation> {
  const { participant } = conversation;
  if (participant.name !== '') return conversation;
  return { ...conversation, participant: { ...participant, ...(await read(participant.id)) } };
}
