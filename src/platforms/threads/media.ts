import * as z from 'zod';
import { personNamed, Time } from '../graph/fields.ts';
import { Files } from '../graph/files.ts';
import { Key } from '../graph/push-values.ts';
import type { Person } from '../records.ts';
import { flag, text, word } from '../shared/fields.ts';

/** A post or a reply, as far as its fields were asked for; people are known by their names alone. */
export const Thread = Files.extend({
  id: Key,
  username: word,
  text: word,
  timestamp: Time,
  permalink: text,
  profile_picture_url: text,
  root_post: z.object({ id: Key }).optional().catch(undefined),
  replied_to: z.object({ id: Key }).optional().catch(undefined),
  is_reply_owned_by_me: z.boolean().optional().catch(undefined),
  has_replies: flag,
  hide_status: word,
});
export type Thread = z.output<typeof Thread>;

/** Who wrote a post. */
export const authorOf = ({ username, profile_picture_url }: Thread): Person =>
  personNamed(username, profile_picture_url);
