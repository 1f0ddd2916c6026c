import type { Person, PlatformConversation } from '../inbox-types.ts';

/** A person by phone number, by an id that only this business knows, or both; the number may be hidden. */
export type Called = Readonly<{ wa_id?: string | undefined; user_id?: string | undefined }>;

/** The conversation with a person, by the id that survives a changed number; undefined for nobody. */
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

/** Names the person by number if it is known, as not all messages accept other ids. */
export function recipientOf({ platform_id: id, metadata }: PlatformConversation) {
  const number = metadata?.['wa_id'];
  if (typeof number === 'string') return { to: number };
  return /^\d+$/.test(id) ? { to: id } : { recipient: id };
}
