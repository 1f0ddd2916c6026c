/** Writes posts and threads, looks up posts whose response was lost, and reads and removes posts. */
import * as z from 'zod';
import { HOUR } from '#kernel/clock.ts';
import type { AccountCall } from '../call.ts';
import type { Posts, PublishCall } from '../posts.ts';
import { unlessRefused } from '../shared/errors.ts';
import { anything, dataOf } from '../shared/fields.ts';
import { type CreatedPost, type Part, postingSteps, removeAll, type Lookup } from '../shared/posting.ts';
import { metricsOf } from '../shared/metrics.ts';
import { path } from '../shared/rest.ts';
import { clockOf, isSameText, onlyMatch } from '../shared/settle.ts';
import { request, Id, timeIn } from './api.ts';
import { assertFits, check, optionsOf, rules } from './rules.ts';
import { listedOf, countsOf, parentOf, permalinkOf, postsOf, readPosts, writtenText } from './tweets.ts';
import { upload } from './upload.ts';

/** How many of the account's newest posts are searched. */
const max_results = 40;

const Made = dataOf(z.object({ id: Id }));

type WriteCall = AccountCall & Partial<Pick<PublishCall, 'post'>>;

/** Writes a post; the options apply to the first post of a thread. */
export function write(call: WriteCall, part: Part): Promise<CreatedPost> {
  const { text, index, parent, files: media_ids } = part;
  const isFirst = index === 0 && parent === undefined && call.post !== undefined;
  const { alts: _, tagged_user_ids, ...options } = isFirst ? optionsOf(call.post) : {};
  const json = {
    ...(text !== '' && { text: text.toWellFormed() }),
    ...(parent !== undefined && { reply: { in_reply_to_tweet_id: parent } }),
    ...(media_ids.length > 0 && { media: { media_ids, ...(tagged_user_ids && { tagged_user_ids }) } }),
    ...options,
  };
  return request(call, { method: 'POST', path: '/2/tweets', json, makes: 'post' }, Made);
}

/** Looks for a post whose response was lost; a missing post may still exist, as the timeline may lag. */
export async function find(call: AccountCall, part: Part, { sentAt, taken }: Lookup): Promise<CreatedPost | 'unknown'> {
  const { parent, text, files } = part;
  const clock = clockOf(call);
  const { items } = await postsOf(clock.call, 'tweets', { max_results });
  // X may add the usernames of the people replied to at the start of a reply.
  const caption = (words: string) => (parent === undefined ? words : words.replace(/^(?:@\w{1,15}\s+)+/, ''));
  const found = onlyMatch(
    items,
    (post) =>
      parentOf(post) === parent &&
      timeIn(post.id) >= clock.at(sentAt) &&
      post.attachments.media_keys.length === files.length &&
      isSameText(caption(writtenText(post)), caption(text)) &&
      !taken.has(post.id),
  );
  return found === 'unknown' ? found : { id: found.id };
}

/** Deletes a post; a missing post counts as success. */
export async function removePost(call: AccountCall, id: string): Promise<void> {
  await unlessRefused(request(call, { method: 'DELETE', ...path`/2/tweets/${{ id }}` }, anything), 'not_found');
}

const MOST_IDS = 100;
const LEAST = 5;

/** Alt texts come from the options, which belong to the first post. */
const publish = postingSteps({
  assertFits,
  maxWaitMs: HOUR,
  permalinkOf,
  upload: (call, { ref, kind }, at) =>
    upload(call, { ref, kind: kind === 'video' ? kind : 'image', use: 'tweet', alt: optionsOf(call.post).alts?.[at] }),
  write,
  find,
});

export const posts: Posts = {
  rules,
  check,
  publish,
  remove: removeAll(removePost),
  syncDepth: 25,
  async list(call, { limit, cursor }) {
    const max_results = Math.min(Math.max(limit, LEAST), MOST_IDS);
    const query = { max_results, pagination_token: cursor, exclude: 'retweets,replies' };
    const { items, includes, cursor: next } = await postsOf(call, 'tweets', query);
    return { posts: items.map((one) => listedOf(call, one, includes)), cursor: next };
  },
  metrics: (call, measured) =>
    metricsOf(measured, MOST_IDS, async (ids) => (await readPosts(call, ids)).map((post) => [post.id, countsOf(post)])),
};
