import type { AccountCall } from '../../call.ts';
import { Success } from '../../graph/api.ts';
import { addressField } from '../../graph/containers.ts';
import { publishing } from '../../graph/posts.ts';
import type { PublishCall } from '../../posts.ts';
import { unlessRefused } from '../../shared/errors.ts';
import { repeatableComment } from '../../shared/first-comment.ts';
import { partsOf, removeAll } from '../../shared/posting.ts';
import { asUser } from '../api.ts';
import { containers, planOf, type Written } from '../containers.ts';
import { assertFits, optionsOf } from './rules.ts';

/** How long a media URL works, from which Threads fetches the file. */
const FETCH_MINUTES = 60;

/** Publishes the posts of a thread in order, each as a reply to the one before; the first comment comes last. */
export const publish = publishing({
  containers,
  partsOf: (post) => partsOf(post).map((_, index) => `.${index}`),
  planOf: (call, index, before) => planOf(call, partOf(call, index, before)),
  assertFits,
  comment: (postIn) =>
    repeatableComment((call) =>
      containers.inOne(call, planOf(call, { text: call.post.first_comment!, replyTo: postIn(call) })),
    ),
  metadataOf: (parts) => ({ ids: parts.flatMap(({ id }) => id ?? []) }),
});

/** One post of a thread: the first has the options, the others reply to the one before. */
function partOf(call: PublishCall, index: number, replyTo: string | undefined): Written {
  const { post } = call;
  const parts = partsOf(post);
  const { text, media } = parts[index]!;
  const { alts = [], allowlisted_country_codes: countries, ...options } = optionsOf(post);
  const before = parts.slice(0, index).flatMap((part) => part.media).length;
  const files = media.map((file, at) => async () => ({
    media_type: file.kind === 'video' ? 'VIDEO' : 'IMAGE',
    ...(await addressField(call, file, FETCH_MINUTES)),
    alt_text: alts[before + at] || undefined,
  }));
  if (index > 0) return { text, media: files, replyTo };
  return { text, media: files, more: { ...options, allowlisted_country_codes: countries?.join(',') } };
}

export async function removeMedia(call: AccountCall, media: string): Promise<void> {
  await unlessRefused(asUser(call, { method: 'DELETE', path: '/{media}', ids: { media } }, Success), 'not_found');
}

/** Deletes every post of a thread; a missing post counts as success. */
export const remove = removeAll(removeMedia);
