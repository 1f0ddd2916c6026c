import * as z from 'zod';
import type { AccountCall } from '../../call.ts';
import { Changed, Id, listOf } from '../../graph/api.ts';
import { type ContainerPlan, graphContainers, type NamedPost } from '../../graph/containers.ts';
import type { OutgoingPost, Publish, Published, PublishCall, Step } from '../../posts.ts';
import { text } from '../../shared/fields.ts';
import { firstCommentIn } from '../../shared/first-comment.ts';
import type { Fields } from '../../shared/rest.ts';
import { isSameText } from '../../shared/settle.ts';
import { asAccount, userOf } from '../api.ts';
import { failureOf, isUnready } from '../errors.ts';
import { findBelow, writeBelow } from '../inbox/comments.ts';
import { assertFits, type Kind, kindOf, optionsOf } from './rules.ts';

/** How long addresses of media work: Instagram fetches them while it works on a container. */
const LINK_MINUTES = 120;
const NEWEST = 50;
const COMMENT: Step = { name: 'comment', kind: 'visible', optional: 'first_comment' };
/** Any comment of ours below our post is newer than the post, and no other send of ours writes there meanwhile. */
const ANY = Object.freeze({ sentAt: 0, taken: new Set<string>() });

const Listed = listOf(z.object({ id: Id, caption: text, media_type: text, permalink: text }));

const containers = graphContainers({
  title: 'Instagram',
  edges: { make: 'media', publish: 'media_publish' },
  fields: { state: 'status_code', why: 'status' },
  request: asAccount,
  ownerOf: userOf,
  failureOf,
  isUnready,
});

/** Posts are made as containers, which nobody sees, and published by their ids, each at most once. */
export const publish = Object.freeze<Publish>({
  steps: (post) => [...containers.steps(), ...(post.first_comment === undefined || isStory(post) ? [] : [COMMENT])],

  async run(call, step) {
    if (step === COMMENT.name) return { id: (await writeBelow(call, commentAsk(call))).comment_id };
    if (Object.keys(call.done).length === 0) assertFits(call.post);
    const result = await containers.run(call, step, planOf(call));
    return step === 'named' ? { ...(result as NamedPost), media_type: kindOf(call.post) } : result;
  },

  async settle(call) {
    const found = await findBelow(call, commentAsk(call), ANY);
    return found === 'unknown' ? found : { made: { id: found.comment_id } };
  },

  finish(done): Published {
    // The id may be known before the name is read.
    const { id, permalink, media_type } = (containers.named(done) ?? done['publish'] ?? {}) as Partial<Named>;
    if (id === undefined) throw new Error('nobody knows the id of a post whose answer got lost');
    return { platform_post_id: id, permalink, metadata: { media_type, ...firstCommentIn(done[COMMENT.name]) } };
  },
});

type Named = NamedPost & Readonly<{ media_type: Kind }>;

const isStory = (post: OutgoingPost) => kindOf(post) === 'stories';

function commentAsk({ done, post }: PublishCall) {
  return { post: containers.named(done)!.id, text: post.first_comment! };
}

function planOf(call: PublishCall): ContainerPlan {
  const { post } = call;
  const kind = kindOf(post);
  const items = [...post.media.keys()];
  return {
    children: kind === 'carousel' ? items.map((at) => () => itemForm(call, at)) : [],
    async whole(children) {
      if (kind === 'carousel') return { media_type: 'CAROUSEL', children: children.join(','), ...captionOf(post) };
      if (kind === 'stories') return { media_type: 'STORIES', ...(await addressOf(call, 0)), ...tagsOf(post, 0) };
      const own = kind === 'reel' ? await reelForm(call) : imageForm(call);
      return { ...(await addressOf(call, 0)), ...own, ...captionOf(post), ...tagsOf(post, 0) };
    },
    listed: () => listed(call, kind),
  };
}

/** The newest posts that look like this one; stories have a list of their own, and no captions. */
async function listed(call: PublishCall, kind: Kind) {
  const { post } = call;
  const path = kind === 'stories' ? '/{user}/stories' : '/{user}/media';
  const query = { fields: 'id,caption,media_type,permalink', limit: NEWEST };
  const { data } = await asAccount(call, { method: 'GET', path, ids: { user: userOf(call) }, query }, Listed);
  const type = { feed: 'IMAGE', carousel: 'CAROUSEL_ALBUM', reel: 'VIDEO', stories: undefined }[kind];
  const own = type ?? (post.media[0]!.kind === 'video' ? 'VIDEO' : 'IMAGE');
  return data.flatMap(({ id, caption, media_type, permalink }) => {
    const isOurs = media_type === own && (kind === 'stories' || isSameText(caption, post.text));
    return isOurs ? [{ id, permalink }] : [];
  });
}

const captionOf = (post: OutgoingPost): Fields => {
  const { location_id, collaborators, is_ai_generated } = optionsOf(post);
  return {
    caption: post.text.toWellFormed() || undefined,
    location_id,
    collaborators: collaborators && JSON.stringify(collaborators.map(plainName)),
    is_ai_generated,
  };
};

const plainName = (name: string) => name.replace('@', '');

/** The people in one of the media. */
function tagsOf(post: OutgoingPost, at: number): Fields {
  const tags = (optionsOf(post).user_tags ?? []).filter(({ item }) => item === at);
  if (tags.length === 0) return {};
  return { user_tags: JSON.stringify(tags.map(({ username, x, y }) => ({ username: plainName(username), x, y }))) };
}

/** Where Instagram fetches one of the media. */
async function addressOf(call: PublishCall, at: number): Promise<Fields> {
  const { ref, kind } = call.post.media[at]!;
  const url = await urlOf(call, ref);
  return kind === 'video' ? { video_url: url } : { image_url: url };
}

/** Addresses have to be ASCII. */
const urlOf = async (call: PublishCall, ref: string) => new URL(await call.link(ref, { minutes: LINK_MINUTES })).href;

const imageForm = ({ post }: PublishCall): Fields => ({ alt_text: optionsOf(post).alts?.[0] ?? undefined });

async function itemForm(call: PublishCall, at: number): Promise<Fields> {
  const isVideo = call.post.media[at]!.kind === 'video';
  return {
    is_carousel_item: true,
    ...(isVideo ? { media_type: 'VIDEO' } : { alt_text: optionsOf(call.post).alts?.[at] ?? undefined }),
    ...(await addressOf(call, at)),
    ...tagsOf(call.post, at),
  };
}

async function reelForm(call: PublishCall): Promise<Fields> {
  const { share_to_feed, cover, thumb_offset, audio_name, trial } = optionsOf(call.post);
  const graduation_strategy = trial === 'manual' ? 'MANUAL' : 'SS_PERFORMANCE';
  return {
    media_type: 'REELS',
    share_to_feed,
    cover_url: cover && (await urlOf(call, cover.source)),
    thumb_offset,
    audio_name,
    trial_params: trial && JSON.stringify({ graduation_strategy }),
  };
}

/** Deletes a post; by Facebook login alone. */
export async function remove(call: AccountCall, media: string): Promise<void> {
  await asAccount(call, { method: 'DELETE', path: '/{media}', ids: { media } }, Changed);
}
