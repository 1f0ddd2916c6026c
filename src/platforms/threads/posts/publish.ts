import type { AccountCall } from '../../call.ts';
import { Success } from '../../graph/api.ts';
import type { NamedPost } from '../../graph/containers.ts';
import type { Done, OutgoingPost, Publish, PublishCall, Published, Step } from '../../posts.ts';
import { unlessRefused } from '../../shared/errors.ts';
import { firstCommentIn } from '../../shared/first-comment.ts';
import { asUser } from '../api.ts';
import { containers, planOf, type Written } from '../containers.ts';
import { assertFits, optionsOf, partsOf } from './rules.ts';

/** How long Threads has to fetch a media item. */
const FETCH_MINUTES = 60;
const COMMENT: Step = Object.freeze({ name: 'comment', kind: 'idempotent', optional: 'first_comment' });

/**
 * Each post of a thread is made, awaited and published before the one that answers it. No step is visible, because a
 * container makes at most one post.
 */
export const publish = Object.freeze<Publish>({ steps, run, finish });

const partAt = (index: number) => `.${index}`;

function steps(post: OutgoingPost): readonly Step[] {
  const parts = partsOf(post).flatMap((_, index) => containers.steps(partAt(index)));
  return post.first_comment === undefined ? parts : [...parts, COMMENT];
}

async function run(call: PublishCall, step: string): Promise<unknown> {
  const { post, done } = call;
  if (Object.keys(done).length === 0) assertFits(post);
  if (step === COMMENT.name) {
    const replyTo = containers.named(done, partAt(0))!.id;
    return containers.inOne(call, planOf(call, { text: post.first_comment!, replyTo }));
  }
  const index = Number(step.slice(step.indexOf('.') + 1));
  return containers.run(call, step, planOf(call, partOf(call, index)), partAt(index));
}

/** A post of a thread; the first one has the options, the others answer the one before. */
function partOf({ post, done, link }: PublishCall, index: number): Written {
  const parts = partsOf(post);
  const { text, media } = parts[index]!;
  const { alts = [], allowlisted_country_codes: countries, ...options } = optionsOf(post);
  const before = parts.slice(0, index).flatMap((part) => part.media).length;
  const files = media.map(({ ref, kind }, at) => async () => ({
    media_type: kind === 'video' ? 'VIDEO' : 'IMAGE',
    [kind === 'video' ? 'video_url' : 'image_url']: await link(ref, { minutes: FETCH_MINUTES }),
    alt_text: alts[before + at] || undefined,
  }));
  if (index > 0) return { text, media: files, replyTo: containers.named(done, partAt(index - 1))!.id };
  return { text, media: files, more: { ...options, allowlisted_country_codes: countries?.join(',') } };
}

function finish(done: Done): Published {
  const indexes = Object.keys(done)
    .flatMap((name) => /^publish\.(\d+)$/.exec(name)?.[1] ?? [])
    .toSorted((one, other) => Number(one) - Number(other));
  // The id of a part may be known before its name is read.
  const parts = indexes.map((at) => containers.named(done, `.${at}`) ?? (done[`publish.${at}`] as Partial<NamedPost>));
  const [first] = parts;
  if (first?.id === undefined) throw new Error('nobody knows the id of a post whose answer got lost');
  return {
    platform_post_id: first.id,
    permalink: first.permalink,
    metadata: {
      ids: parts.flatMap(({ id }) => id ?? []),
      ...firstCommentIn(done[COMMENT.name]),
    },
  };
}

/** Deletes every post of a thread, the last one first; one that does not exist is no error. */
export async function remove(
  call: AccountCall,
  platformPostId: string,
  { ids, first_comment_id: comment }: Readonly<Record<string, unknown>>,
): Promise<void> {
  const all = [platformPostId, ...(Array.isArray(ids) ? ids : []), comment].filter((id) => typeof id === 'string');
  for (const id of [...new Set(all)].toReversed()) await removeMedia(call, id);
}

/** Deletes a post or a reply of the profile. */
export async function removeMedia(call: AccountCall, media: string): Promise<void> {
  await unlessRefused(asUser(call, { method: 'DELETE', path: '/{media}', ids: { media } }, Success), 'not_found');
}
