import * as z from 'zod';
import type { AccountCall } from '../../call.ts';
import { Changed, Id } from '../../graph/api.ts';
import type { ContainerPlan } from '../../graph/container-making.ts';
import { addressField, graphContainers } from '../../graph/containers.ts';
import { publishing } from '../../graph/posts.ts';
import type { OutgoingPost, PublishCall } from '../../posts.ts';
import { text } from '../../shared/fields.ts';
import { firstComment } from '../../shared/first-comment.ts';
import type { Fields } from '../../shared/rest.ts';
import { isSameText } from '../../shared/settle.ts';
import { asAccount, userOf } from '../api.ts';
import { failureOf, isUnready } from '../errors.ts';
import { writing } from '../inbox/comments.ts';
import { assertFits, type Kind, kindOf, optionsOf } from './rules.ts';

/** How long media URLs work; Instagram fetches the media while it processes a container. */
const LINK_MINUTES = 120;

const Listed = z.object({ id: Id, caption: text, media_type: text, permalink: text });

const containers = graphContainers({
  title: 'Instagram',
  edges: { make: 'media', publish: 'media_publish' },
  fields: { state: 'status_code', why: 'status' },
  request: asAccount,
  ownerOf: userOf,
  failureOf,
  isUnready,
});

/** Publishes by containers, which are invisible until published, and published at most once by their id. */
export const publish = publishing({
  containers,
  partsOf: () => [''],
  planOf,
  assertFits,
  isCommentable: (post) => kindOf(post) !== 'stories',
  comment: (postIn) => firstComment({ write: writing.send, find: writing.settle }, postIn),
  about: (post) => ({ media_type: kindOf(post) }),
  metadataOf: ([post]) => ({ media_type: post!['media_type'] }),
});

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

/** The newest posts that look like this one; stories are listed separately and have no captions. */
function listed(call: PublishCall, kind: Kind) {
  const { text: caption, media } = call.post;
  const type = { feed: 'IMAGE', carousel: 'CAROUSEL_ALBUM', reel: 'VIDEO', stories: undefined }[kind];
  const own = type ?? (media[0]!.kind === 'video' ? 'VIDEO' : 'IMAGE');
  const list = { edge: kind === 'stories' ? 'stories' : 'media', fields: 'caption,media_type', item: Listed };
  return containers.newest(call, list, (post) => {
    return post.media_type === own && (kind === 'stories' || isSameText(post.caption, caption));
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

function tagsOf(post: OutgoingPost, at: number): Fields {
  const tags = (optionsOf(post).user_tags ?? []).filter(({ item }) => item === at);
  if (tags.length === 0) return {};
  return { user_tags: JSON.stringify(tags.map(({ username, x, y }) => ({ username: plainName(username), x, y }))) };
}

const addressOf = (call: PublishCall, at: number) => addressField(call, call.post.media[at]!, LINK_MINUTES);

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
  const image = cover && (await addressField(call, { ref: cover.source, kind: 'image' }, LINK_MINUTES));
  return {
    media_type: 'REELS',
    share_to_feed,
    cover_url: image?.['image_url'],
    thumb_offset,
    audio_name,
    trial_params: trial && JSON.stringify({ graduation_strategy }),
  };
}

/** Deletes a post; only accounts with Facebook login can. */
export async function remove(call: AccountCall, media: string): Promise<void> {
  await asAccount(call, { method: 'DELETE', path: '/{media}', ids: { media } }, Changed);
}
