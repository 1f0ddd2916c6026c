import * as z from 'zod';
import { HOUR } from '#kernel/clock.ts';
import type { AccountCall } from '../call.ts';
import { nextPageToken } from '../googleapis/api.ts';
import type { ListedPost, Posts, PublishCall } from '../posts.ts';
import { failedLater, unlessRefused } from '../shared/errors.ts';
import { instant, readable, text, word } from '../shared/fields.ts';
import { pending } from '../shared/pending.ts';
import { path } from '../shared/rest.ts';
import { isSameText, onlyMatch, SKEW_MS } from '../shared/settle.ts';
import { defineStep, defineSteps } from '../shared/steps.ts';
import { atLocation, Named, Nothing } from './api.ts';
import { checkWith, fieldsOf, LONGEST_TITLE } from './options.ts';
import { LARGEST_IMAGE_BYTES, SMALLEST_IMAGE_BYTES, tooSmall } from './places.ts';

const LONGEST_TEXT = 1500;
const FETCH_MINUTES = 60;
/** How long Google may take to review a post before it is shown. */
const CHECK_MS = HOUR;
const MOST_PER_PAGE = 100;
const REJECTED = 'Google rejected the post: it may break the content policy of Business Profiles.';

const LocalPost = z.object({ name: Named, state: word, searchUrl: text });
const Created = z.object({ id: z.string(), state: word, searchUrl: text });
type Created = z.output<typeof Created>;

const PostView = LocalPost.extend({
  summary: word,
  topicType: word,
  createTime: instant,
  media: z
    .array(z.object({ mediaFormat: word, googleUrl: text }))
    .optional()
    .catch(undefined),
});
const Listed = z.object({ localPosts: z.array(z.unknown()).default([]), nextPageToken });

const check = checkWith((post, add) => {
  post.media.forEach((item, at) => {
    if (item.kind === 'image') for (const message of tooSmall(item)) add(`media.${at}`, message);
  });
});

/** Stores the time before sending, to tell the post from older ones if the response is lost. */
const BEGIN = defineStep({
  name: 'begin',
  kind: 'invisible',
  result: z.object({ at: z.number() }),
  run: async (call) => ({ at: call.now() }),
});
const CREATE = defineStep({ name: 'create', kind: 'visible', result: Created, run: create, settle });
const SHOWN = defineStep({
  name: 'shown',
  kind: 'idempotent',
  maxWaitMs: CHECK_MS,
  redo: [BEGIN, CREATE],
  result: Created,
  run: (call) => presented(call, CREATE.resultIn(call.done)),
});

const createdOf = ({ name: id, state, searchUrl }: z.output<typeof LocalPost>): Created => ({ id, state, searchUrl });

async function create(call: PublishCall): Promise<Created> {
  const { post, link } = call;
  const links = await Promise.all(post.media.map(({ ref }) => link(ref, { minutes: FETCH_MINUTES, lasting: true })));
  const media = links.map((sourceUrl) => ({ mediaFormat: 'PHOTO', sourceUrl }));
  const json = { ...fieldsOf(post), ...(media.length > 0 && { media }) };
  return createdOf(await atLocation(call, { path: '/localPosts' }, { method: 'POST', json, edit: true }, LocalPost));
}

/** Waits for Google's review; a rejected post is never shown. */
async function presented(call: AccountCall, created: Created): Promise<Created> {
  const { id } = created;
  const looked = created.state === 'PROCESSING' ? await readPost(call, id) : created;
  if (looked.state === 'PROCESSING') throw pending('Google is still looking at the post.');
  if (looked.state === 'REJECTED') throw failedLater('blocked', REJECTED);
  return looked;
}

const readPost = async (call: AccountCall, post: string): Promise<Created> =>
  createdOf(await atLocation(call, path`/localPosts/${{ post }}`, { method: 'GET' }, LocalPost));

async function listPosts(call: AccountCall, query: Readonly<{ pageSize: number; pageToken?: string | undefined }>) {
  const page = await atLocation(call, { path: '/localPosts' }, { method: 'GET', query }, Listed);
  return { posts: readable(PostView, page.localPosts), cursor: page.nextPageToken };
}

/** Searches the listed posts; a missing post may still exist, because Google may not list it yet. */
async function settle(call: PublishCall): Promise<Readonly<{ made: Created }> | 'unknown'> {
  const { at } = BEGIN.resultIn(call.done);
  const { topicType, summary = '' } = fieldsOf(call.post);
  const { posts } = await listPosts(call, { pageSize: MOST_PER_PAGE });
  const found = onlyMatch(
    posts,
    (one) =>
      one.topicType === topicType && isSameText(one.summary, summary) && Date.parse(one.createTime) >= at - SKEW_MS,
  );
  return found === 'unknown' ? found : { made: createdOf(found) };
}

const postOf = ({ name, searchUrl, summary, createTime, media = [] }: z.output<typeof PostView>): ListedPost => ({
  platform_post_id: name,
  permalink: searchUrl,
  text: summary,
  created_at: Date.parse(createTime),
  media: media.flatMap(({ mediaFormat, googleUrl: url }) =>
    url === undefined ? [] : [{ type: mediaFormat === 'VIDEO' ? 'video' : 'image', url }],
  ),
});

/** Local posts (updates, events and offers), which appear on Google Search and Maps. */
export const posts: Posts = {
  rules: {
    text: { max_length: LONGEST_TEXT, counting_mode: 'utf16' },
    title: { max: LONGEST_TITLE, counting: 'utf16', required: false },
    media: {
      max_image_size_bytes: LARGEST_IMAGE_BYTES,
      max_video_size_bytes: 0,
      supported_image_types: ['image/jpeg', 'image/png'],
      supported_video_types: [],
      pictures: { min_size_bytes: SMALLEST_IMAGE_BYTES },
      pulls: 'any_address',
      sources: ['media_id', 'url'],
    },
    carousel: { supported: false, min_items: 1, max_items: 1, allow_video: false, images_only: true },
    text_only: true,
    threads: { supported: false, max_segments: 1 },
    first_comment: false,
    visibilities: ['public'],
  },
  check,
  publish: defineSteps({
    steps: () => [BEGIN, CREATE, SHOWN],
    finish(done) {
      const { id, state, searchUrl } = SHOWN.findIn(done) ?? CREATE.resultIn(done);
      return { platform_post_id: id, permalink: searchUrl, metadata: { state } };
    },
  }),
  async remove(call, post) {
    const request = { method: 'DELETE', edit: true } as const;
    await unlessRefused(atLocation(call, path`/localPosts/${{ post }}`, request, Nothing), 'not_found');
  },
  syncDepth: 25,
  async list(call, { limit, cursor: pageToken }) {
    const page = await listPosts(call, { pageSize: Math.min(limit, MOST_PER_PAGE), pageToken });
    // Posts that Google rejected are omitted, because they are not public.
    return { ...page, posts: page.posts.filter(({ state }) => state !== 'REJECTED').map(postOf) };
  },
};
