import type { Person, PlatformConversation } from '../inbox-types.ts';

/** A person, by phone number (which may be hidden), by an id that only this business knows, or by both. */
export type Called = Readonly<{ wa_id?: string | undefined; user_id?: string | undefined }>;

/** The conversation with a person, by the id that stays when the number changes; undefined without any id. */
export function conversationWith(
  called: Called,
  about: Omit<Person, 'id'> = { name: '' },
): PlatformConversation | undefined {
  const { wa_id, user_id } = called;
  const id = user_id ?? wa_id;
  if (id === undefined) return undefined;
  return { platform_id: id, participant: { ...about, id }, metadata: { ...(wa_id !== undefined && { wa_id }) } };
}

export const knownBy = (id: string): Called => (/^\d+$/.test(id) ? { wa_id: id } : { user_id: id });

/** The recipient of a message: the number if it is known, as not every message accepts other ids. */
export function recipientOf({ platform_id: id, metadata }: PlatformConversation) {
  const number = metadata?.['wa_id'];
  if (typeof number === 'string') return { to: number };
  return /^\d+$/.test(id) ? { to: id } : { recipient: id };
}
