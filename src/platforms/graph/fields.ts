import * as z from 'zod';
import type { Person } from '../inbox-types.ts';
import { LongId, text } from '../shared/fields.ts';
import { Id } from './api.ts';

/** Parses a time such as `2026-01-31T18:10:30+0000` to milliseconds. */
export const Time = z
  .string()
  .transform((iso) => Date.parse(iso))
  .pipe(z.number());

/** An id, which older push formats send as a number. */
export const PushedId = LongId.pipe(Id);
/** The same; undefined if missing or invalid. */
export const maybePushedId = PushedId.optional().catch(undefined);

/** A flag, which some pushes send as text; false if missing or invalid. */
export const Flag = z.union([z.boolean(), z.literal('true').transform(() => true)]).catch(false);

/** A person as Graph names them to a page; absent if Graph does not disclose the person. */
export const Somebody = z
  .object({
    id: Id,
    name: z.string().catch(''),
    username: text,
    picture: z
      .object({ data: z.object({ url: text }) })
      .optional()
      .catch(undefined),
  })
  .optional()
  .catch(undefined);

/** Converts a person; an unknown person gets an empty id, and one without a name is shown by username. */
export function personOf(somebody: z.output<typeof Somebody>): Person {
  if (somebody === undefined) return { id: '', name: '' };
  const { id, name, username, picture } = somebody;
  return { id, name: name || (username ?? ''), username, avatar_url: picture?.data.url };
}

/** A person of whom only the username is known, which also serves as id. */
export function personNamed(username: string | undefined, avatar_url?: string): Person {
  return username === undefined ? { id: '', name: '' } : { id: username, name: username, username, avatar_url };
}
