import * as z from 'zod';
import { personNamed, PushedId, Time } from '../graph/fields.ts';
import { Files, filesOf } from '../graph/files.ts';
import type { Person, PlatformComment } from '../inbox-types.ts';
import { flag, text, word } from '../shared/fields.ts';
import { pollContent } from '../shared/inbox/content.ts';

const Poll = z.object({ option_a: text, option_b: text, option_c: text, option_d: text });
const TextAttachment = z.object({ plaintext: word, link_attachment_url: text });

export const CONTENT_FIELDS =
  'text,media_type,media_url,thumbnail_url,children{media_type,media_url,thumbnail_url},gif_url,link_attachment_url,' +
  'poll_attachment,text_attachment';

/** The requested fields of a post or reply; Threads identifies people only by username. */
export const Thread = Files.extend({
  id: PushedId,
  username: word,
  text: word,
  timestamp: Time,
  permalink: text,
  profile_picture_url: text,
  root_post: z.object({ id: PushedId }).optional().catch(undefined),
  replied_to: z.object({ id: PushedId }).optional().catch(undefined),
  is_reply_owned_by_me: z.boolean().optional().catch(undefined),
  has_replies: flag,
  hide_status: word,
  gif_url: text,
  link_attachment_url: text,
  poll_attachment: Poll.optional().catch(undefined),
  text_attachment: TextAttachment.optional().catch(undefined),
});
export type Thread = z.output<typeof Thread>;

export const authorOf = ({ username, profile_picture_url }: Thread): Person =>
  personNamed(username, profile_picture_url);

/** The content of a post: an attached text is added to the text, GIFs and links to the files. */
export function contentOf(thread: Thread): Pick<PlatformComment, 'text' | 'media' | 'metadata'> {
  const { gif_url: gif, link_attachment_url: link, poll_attachment: poll, text_attachment: more } = thread;
  const words = [thread.text, more?.plaintext].filter(Boolean).join('\n\n');
  const media = [
    ...filesOf(thread),
    ...attached('image', gif),
    ...attached('link', link),
    ...attached('link', more?.link_attachment_url),
  ];
  if (poll === undefined) return { text: words, media };
  const options = Object.values(poll).filter((option) => option !== undefined);
  const { text: short, metadata } = pollContent({ question: words, options });
  return { text: words || short, media, metadata };
}

const attached = (type: string, url: string | undefined) => (url === undefined ? [] : [{ type, url }]);
