import { HOUR } from '#kernel/clock.ts';
import * as z from 'zod';
import type { AccountCall } from '../../call.ts';
import type { Done, ListedPost, LookupCall, OutgoingPost, Publish, PublishCall } from '../../posts.ts';
import { refused } from '../../shared/errors.ts';
import { text } from '../../shared/fields.ts';
import { commentOf, firstComment, firstCommentIn } from '../../shared/first-comment.ts';
import { pending } from '../../shared/pending.ts';
import { isSameText, onlyMatch, secondOf } from '../../shared/settle.ts';
import { defineStep, defineSteps } from '../../shared/steps.ts';
import { permalinkOf, sessionOf } from '../api.ts';
import { failureOf } from '../errors.ts';
import { findComment, writeComment } from '../inbox/comments.ts';
import { Creator, readBusinessCreator, readCreator } from './creator.ts';
import {
  assertAllowed,
  beginVideo,
  businessStatus,
  developerStatus,
  publishBusiness,
  publishPhotos,
  type Status,
} from './products.ts';
import { list, listBusiness } from './reads.ts';
import { assertFits, assertFitsBusiness, isNamed, isVideo } from './rules.ts';
import { Begun, openVideo, uploadVideo } from './upload.ts';

/** How often (seconds) the id of a public post is requested while it is unknown; it is pushed as well. */
const NAME_EVERY_S = 300;

type Product = Readonly<{
  /** Whether videos are uploaded in place of being fetched by TikTok. */
  uploads?: true;
  assertFits(post: OutgoingPost): void;
  creator(call: AccountCall): Promise<Creator>;
  publish(call: PublishCall, creator: Creator): Promise<string>;
  status(call: AccountCall, publishId: string): Promise<z.output<typeof Status>>;
  listed(call: AccountCall): Promise<readonly ListedPost[]>;
}>;

/** The creator and the kind of post, read before anything is sent. */
const Before = Creator.extend({ username: text, kind: z.enum(['video', 'photo']) });
/** The publishing process, which identifies the post until its own id is known. */
const Sent = z.object({ publish_id: text, post_id: text });
const State = z.object({ post_id: text, draft: z.literal(true).optional() });

const isUploaded = (product: Product, post: OutgoingPost) => product.uploads === true && isVideo(post);

function publishing(product: Product): Publish {
  const creator = defineStep({
    name: 'creator',
    kind: 'invisible',
    result: Before,
    run: (call) => prepare(product, call),
  });
  const begin = async (call: PublishCall) =>
    beginVideo(call, creator.resultIn(call.done), (await openVideo(call)).size);
  const begun = defineStep({ name: 'begin', kind: 'invisible', secret: true, result: Begun, run: begin });
  const uploaded = defineStep({
    name: 'upload',
    kind: 'idempotent',
    maxWaitMs: 2 * HOUR,
    result: Sent,
    run: (call) =>
      uploadVideo(call, begun.resultIn(call.done), {
        begin: () => begin(call),
        received: (publishId) => received(product, call, publishId),
      }),
  });
  const sent = defineStep({
    name: 'publish',
    kind: 'visible',
    result: Sent,
    run: async (call) => ({ publish_id: await product.publish(call, creator.resultIn(call.done)) }),
    settle: (call) => settle(product, call),
  });
  const sentIn = (done: Done) => uploaded.findIn(done) ?? sent.findIn(done) ?? {};
  const published = defineStep({
    name: 'published',
    kind: 'idempotent',
    maxWaitMs: 2 * HOUR,
    redo: [begun, uploaded, sent],
    result: State,
    run: (call) => awaitPublished(product, call, sentIn(call.done).publish_id),
  });
  const named = defineStep({
    name: 'named',
    kind: 'idempotent',
    optional: 'address',
    maxWaitMs: 24 * HOUR,
    result: z.object({ id: text }),
    run: (call) => awaitName(product, call, sentIn(call.done).publish_id!),
  });

  /** The id of a post, if TikTok has reported it. */
  const idIn = (done: Done) => named.findIn(done)?.id ?? published.findIn(done)?.post_id ?? sentIn(done).post_id;

  const comment = firstComment({ write: writeComment, find: findComment }, ({ done }) => {
    const id = idIn(done);
    if (id === undefined) throw refused('not_found', 'TikTok has not returned the id of the post.');
    return id;
  });

  return defineSteps({
    assertFits: product.assertFits,

    steps(post, done) {
      // If the post will never get an id, there is no step that waits for it.
      const isMissing = idIn(done) === undefined && !published.findIn(done)?.draft;
      const isOpen = isNamed(post) && (named.findIn(done) !== undefined || isMissing);
      return [
        creator,
        ...(isUploaded(product, post) ? [begun, uploaded] : [sent]),
        published,
        ...(isOpen ? [named] : []),
        ...commentOf(post, comment),
      ];
    },

    finish(done, hosts) {
      const { username, kind } = creator.resultIn(done);
      const { publish_id } = sentIn(done);
      const id = idIn(done);
      return {
        platform_post_id: id ?? publish_id!,
        permalink: id === undefined ? undefined : permalinkOf(hosts, username, id, kind),
        metadata: {
          ...(publish_id !== undefined && { publish_id }),
          ...(published.findIn(done)?.draft && { draft: true }),
          ...firstCommentIn(done),
        },
      };
    },
  });
}

async function prepare(product: Product, call: PublishCall): Promise<z.output<typeof Before>> {
  const { post } = call;
  const creator = await product.creator(call);
  const { duration_ms } = isUploaded(product, post) ? await openVideo(call) : post.media[0]!;
  assertAllowed(post, creator, duration_ms);
  const { username = creator.creator_username } = sessionOf(call.session);
  return { ...creator, username, kind: isVideo(post) ? 'video' : 'photo' };
}

async function received(product: Product, call: PublishCall, publishId: string) {
  const { status, uploaded_bytes: bytes } = await product.status(call, publishId);
  return status === 'PROCESSING_UPLOAD' ? { bytes } : undefined;
}

async function awaitPublished(
  product: Product,
  call: PublishCall,
  publishId: string | undefined,
): Promise<z.output<typeof State>> {
  if (publishId === undefined) return {};
  const { status, why, id } = await product.status(call, publishId);
  if (status === 'FAILED') throw failureOf(why);
  if (status === 'SEND_TO_USER_INBOX') return { draft: true };
  if (status === 'PUBLISH_COMPLETE') return { post_id: id };
  throw pending('TikTok is making the post.');
}

async function awaitName(product: Product, call: PublishCall, publishId: string): Promise<{ id: string }> {
  const { id } = await product.status(call, publishId);
  if (id === undefined) throw pending('TikTok has not returned the id of the post yet.', NAME_EVERY_S);
  return { id };
}

/** Searches the newest posts; a missing post may still exist, as TikTok lists only reviewed posts. */
async function settle(
  product: Product,
  call: LookupCall,
): Promise<Readonly<{ made: { post_id: string } }> | 'unknown'> {
  const found = onlyMatch(
    await product.listed(call),
    ({ text: words, created_at }) => created_at >= secondOf(call.sentAt) && isSameText(words, call.post.text),
  );
  return found === 'unknown' ? found : { made: { post_id: found.platform_post_id } };
}

/** Publishing by TikTok for Developers, which fetches photos; videos are uploaded in chunks. */
export const publish = publishing({
  uploads: true,
  assertFits,
  creator: readCreator,
  publish: publishPhotos,
  status: developerStatus,
  listed: async (call) => (await list(call, { limit: 20 })).posts,
});

/** Publishing by the API for Business, which fetches videos and photos. */
export const businessPublish = publishing({
  assertFits: assertFitsBusiness,
  creator: readBusinessCreator,
  publish: publishBusiness,
  status: businessStatus,
  listed: async (call) => (await listBusiness(call, { limit: 20 })).posts,
});
