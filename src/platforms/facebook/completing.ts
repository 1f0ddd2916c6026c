import * as z from 'zod';
import type { InboundEvent } from '../inbound.ts';
import type { Person, PlatformComment, PlatformConversation, PlatformMention } from '../records.ts';
import type { AccountCall } from '../call.ts';
import { asPage } from './api.ts';
import { mediaOf, Media, readComment } from './comments.ts';
import { personOf, Somebody, text } from './fields.ts';

const Profile = z.object({ name: text, first_name: text, last_name: text, profile_pic: text });
const Mentioning = z.object({
  message: text,
  from: Somebody,
  permalink_url: text,
  full_picture: text,
  attachment: Media,
});

/** Reads what a push leaves out: names and pictures of people, and what may be done with a comment. */
export async function complete(call: AccountCall, fact: InboundEvent): Promise<InboundEvent> {
  switch (fact.kind) {
    case 'comment':
      return { ...fact, comment: await wholeComment(call, fact.comment) };
    case 'mention':
      return { ...fact, mention: await wholeMention(call, fact.mention) };
    case 'message':
    case 'postback':
    case 'referral':
      return { ...fact, conversation: await introduced(call, fact.conversation) };
    default:
      return fact;
  }
}

async function wholeComment(call: AccountCall, told: PlatformComment): Promise<PlatformComment> {
  const { platform_id: comment, platform_post_id: post, page_id: page } = told;
  const found = await readComment(call, { comment, post, page });
  return { ...found, author: better(found.author, told.author), is_owner: told.is_owner || found.is_owner };
}

async function wholeMention(call: AccountCall, told: PlatformMention): Promise<PlatformMention> {
  const { platform_id: thing, comment_id: comment, page_id: page } = told;
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
    ...told,
    author: better(personOf(found.from), told.author),
    text: found.message ?? told.text,
    media: media.length > 0 ? media : told.media,
    permalink: found.permalink_url ?? told.permalink,
  };
}

async function introduced(call: AccountCall, told: PlatformConversation): Promise<PlatformConversation> {
  const { participant, page_id: page } = told;
  if (participant.name !== '') return told;
  const query = { fields: 'first_name,last_name,name,profile_pic' };
  const ask = { method: 'GET', path: '/{person}', ids: { person: participant.id }, query } as const;
  const { name, first_name, last_name, profile_pic } = await asPage(call, page, ask, Profile);
  const whole = name ?? [first_name, last_name].filter((part) => part !== undefined).join(' ');
  return { ...told, participant: { ...participant, name: whole, avatar_url: profile_pic } };
}

/** Graph does not always name who the push has named. */
function better(found: Person, told: Person): Person {
  return found.id === '' ? told : { ...told, ...found };
}
