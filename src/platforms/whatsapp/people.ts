import type { Person, PlatformConversation } from '../inbox-types.ts';

/**
 * What WhatsApp calls a person: by the digits of their phone number, by an id that only this business knows them by, or
 * both. The number is missing where they have a name of their own choice instead.
 */
export type Called = Readonly<{ wa_id?: string | undefined; user_id?: string | undefined }>;

/** The conversation with a person, by the id that stays when they hide or change their number; undefined for nobody. */
export function conversationWith(
  called: Called,
  about: Omit<Person, 'id'> = { name: '' },
): PlatformConversation | undefined {
  const { wa_id, user_id } = called;
  const id = user_id ?? wa_id;
  if (id === undefined) return undefined;
  return { platform_id: id, participant: { ...about, id }, metadata: { ...(wa_id !== undefined && { wa_id }) } };
}

/** What a person is called, by one of their ids. */
export const knownBy = (id: string): Called => (/^\d+$/.test(id) ? { wa_id: id } : { user_id: id });

/** How a message names the person of a conversation: by number where it is known, as not all messages go by other ids. */
export function recipientOf({ platform_id: id, metadata }: PlatformConversation) {
  const number = metadata?.['wa_id'];
  if (typeof number === 'string') return { to: number };
  return /^\d+$/.test(id) ? { to: id } : { recipient: id };
}
