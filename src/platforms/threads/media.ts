import * as z from 'zod';
import { Time } from '../graph/fields.ts';
import { Key } from '../graph/push-values.ts';
import type { Attachment, Person } from '../records.ts';
import { flag, text, word } from '../shared/fields.ts';

const File = z.object({ media_type: word, media_url: text });

/** A post or a reply, as far as its fields were asked for; people are known by their names alone. */
export const Thread = File.extend({
  id: Key,
  username: word,
  text: word,
  timestamp: Time,
  permalink: text,
  thumbnail_url: text,
  children: z
    .object({ data: z.array(File) })
    .optional()
    .catch(undefined),
  profile_picture_url: text,
  root_post: z.object({ id: Key }).optional().catch(undefined),
  replied_to: z.object({ id: Key }).optional().catch(undefined),
  is_reply_owned_by_me: z.boolean().optional().catch(undefined),
  has_replies: flag,
  hide_status: word,
});
export type Thread = z.output<typeof Thread>;

/** Who wrote a post: its name is the only id that is shown. */
export function authorOf({ username, profile_picture_url: avatar_url }: Thread): Person {
  return { id: username, name: username, username, avatar_url };
}

/** The files of a post: those of its items if it has several. */
export function filesOf({
  children,
  ...whole
}: z.output<typeof File> & Pick<Thread, 'children'>): readonly Attachment[] {
  return (children?.data ?? [whole]).flatMap(({ media_type: kind, media_url: url }) =>
    url === undefined ? [] : [{ type: typeOf(kind), url }],
  );
}

function typeOf(kind: string): Attachment['type'] {
  if (kind === 'VIDEO') return 'video';
  return kind === 'AUDIO' ? 'audio' : 'image';
}
