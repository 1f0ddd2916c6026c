import * as z from 'zod';
import type { InboundEvent } from '../../inbound.ts';
import type { Person, PlatformComment, PlatformMention } from '../../records.ts';
import type { AccountCall } from '../../call.ts';
import { asPage } from '../api.ts';
import { mediaOf, Media, readComment } from '../inbox/comments.ts';
import { personOf, Somebody } from '../../graph/fields.ts';
import { text } from '../../shared/fields.ts';
import { introduced } from '../../shared/people.ts';

const Profile = z.object({ name: text, first_name: text, last_name: text, profile_pic: text });
const Mentioning = z.object({
  message: text,
  from: Somebody,
  permalink_url: text,
  full_picture: text,
  attachment: Media,
});

/** Reads what a push omits: names and pictures of people, and capabilities of a comment. */
export async function complete(call: AccountCall, event: InboundEvent): Promise<InboundEvent> {
  switch (event.kind) {
    case 'comment':
      return { ...event, comment: await wholeComment(call, event.comment) };
    case 'mention':
      return { ...event, mention: await wholeMention(call, event.mention) };
    case 'message':
    case 'postback':
    case 'referral': {
      const { conversation } = event;
      const read = (person: string) => profileOf(call, conversation.page_id, person);
      return { ...event, conversation: await introduced(conversation, read) };
    }
    default:
      return event;
  }
}

async function wholeComment(call: AccountCall, reported: PlatformComment): Promise<PlatformComment> {
  const { platform_id: comment, platform_post_id: post, page_id: page } = reported;
  const found = await readComment(call, { comment, post, page });
  return { ...found, author: better(found.author, reported.author), is_owner: reported.is_owner || found.is_owner };
}

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

async function profileOf(call: AccountCall, page: string | undefined, person: string) {
  const query = { fields: 'first_name,last_name,name,profile_pic' };
  const ask = { method: 'GET', path: '/{person}', ids: { person }, query } as const;
  const { name, first_name, last_name, profile_pic: avatar_url } = await asPage(call, page, ask, Profile);
  return { name: name ?? [first_name, last_name].filter((part) => part !== undefined).join(' '), avatar_url };
}

/** Graph does not always name a person whom the push has named. */
function better(found: Person, reported: Person): Person {
  return found.id === '' ? reported : { ...reported, ...found };
}
