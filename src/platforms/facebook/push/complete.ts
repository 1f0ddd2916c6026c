import * as z from 'zod';
import type { PlatformMention } from '../../inbox-types.ts';
import type { AccountCall } from '../../call.ts';
import { asPage } from '../api.ts';
import { mediaOf, Media, readComment } from '../inbox/comments.ts';
import { messenger } from '../inbox/messages.ts';
import { personOf, Somebody } from '../../graph/fields.ts';
import { better, completing } from '../../graph/push-messages.ts';
import { text } from '../../shared/fields.ts';

const Mentioning = z.object({
  message: text,
  from: Somebody,
  permalink_url: text,
  full_picture: text,
  attachment: Media,
});

/** Reads what a push omits: names and pictures of people, and capabilities of a comment. */
export const complete = completing({
  comment: readComment,
  mention: wholeMention,
  people: { messenger, fields: 'first_name,last_name,name,profile_pic' },
});

async function wholeMention(call: AccountCall, reported: PlatformMention): Promise<PlatformMention> {
  const { platform_id: thing, comment_id: comment, page_id: page } = reported;
  const fields = `message,from{id,name,picture},permalink_url,${comment === undefined ? 'full_picture' : 'attachment'}`;
  const found = await asPage(
    call,
    page,
    { method: 'GET', path: '/{thing}', ids: { thing }, query: { fields } },
    Mentioning,
  );
  const picture = found.full_picture === undefined ? [] : [{ type: 'image', url: found.full_picture }];
  const media = [...mediaOf(found.attachment), ...picture];
  return {
    ...reported,
    author: better(personOf(found.from), reported.author),
    text: found.message ?? reported.text,
    media: media.length > 0 ? media : reported.media,
    permalink: found.permalink_url ?? reported.permalink,
  };
}
