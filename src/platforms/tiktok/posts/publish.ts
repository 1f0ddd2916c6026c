import type * as z from 'zod';
import type { AccountCall, Hosts } from '../../call.ts';
import type {
  Done,
  ListedPost,
  LookupCall,
  OutgoingPost,
  Publish,
  PublishCall,
  Published,
  Settled,
  Step,
} from '../../posts.ts';
import { refused } from '../../shared/errors.ts';
import { firstComment, firstCommentIn } from '../../shared/first-comment.ts';
import { pending } from '../../shared/pending.ts';
import { isSameText, onlyMatch, secondOf } from '../../shared/settle.ts';
import { permalinkOf, sessionOf } from '../api.ts';
import { failureOf } from '../errors.ts';
import { findComment, writeComment } from '../inbox/comments.ts';
import { type Creator, readBusinessCreator, readCreator } from './creator.ts';
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

const HOUR = 3_600_000;
/** How often the id of a public post is asked for that is not known yet; it is pushed as well. */
const NAME_EVERY_S = 300;

const CREATOR: Step = { name: 'creator', kind: 'invisible' };
const BEGIN: Step = { name: 'begin', kind: 'invisible', secret: true };
const UPLOAD: Step = { name: 'upload', kind: 'idempotent', maxWaitMs: 2 * HOUR };
const PUBLISH: Step = { name: 'publish', kind: 'visible' };
const PUBLISHED: Step = {
  name: 'published',
  kind: 'idempotent',
  maxWaitMs: 2 * HOUR,
  redo: [BEGIN, UPLOAD, PUBLISH].map(({ name }) => name),
};
const NAMED: Step = { name: 'named', kind: 'idempotent', optional: 'address', maxWaitMs: 24 * HOUR };
const COMMENT: Step = { name: 'comment', kind: 'visible', optional: 'first_comment' };

/** What a product of TikTok does in its own way. */
type Product = Readonly<{
  /** Videos are uploaded, not fetched. */
  uploads?: true;
  assertFits(post: OutgoingPost): void;
  creator(call: AccountCall): Promise<Creator>;
  publish(call: PublishCall, creator: Creator): Promise<string>;
  status(call: AccountCall, publishId: string): Promise<z.output<typeof Status>>;
  listed(call: AccountCall): Promise<readonly ListedPost[]>;
}>;

/** What is sent is known by this, until it has an id of its own. */
type Sent = Readonly<{ publish_id?: string; post_id?: string }>;
type State = Readonly<{ post_id?: string | undefined; draft?: true }>;

const sentIn = (done: Done): Sent => done[UPLOAD.name] ?? done[PUBLISH.name] ?? {};
const stateIn = (done: Done): State => done[PUBLISHED.name] ?? {};
/** What was known before the post was sent: its creator, and what it is. */
type Before = Creator & Readonly<{ username: string | undefined; kind: 'video' | 'photo' }>;

const creatorIn = (done: Done) => done[CREATOR.name] as Before;

/** The id of a post, where TikTok has told it. */
function idIn(done: Done): string | undefined {
  const { id } = (done[NAMED.name] ?? {}) as Readonly<{ id?: string }>;
  return id ?? stateIn(done).post_id ?? sentIn(done).post_id;
}

const comments = firstComment({ write: writeComment, find: findComment });

function publishing(product: Product): Publish {
  const isUploaded = (post: OutgoingPost) => product.uploads === true && isVideo(post);

  function steps(post: OutgoingPost, done: Done = {}): readonly Step[] {
    // Nothing waits for the id of a post that has none.
    const isMissing = idIn(done) === undefined && !stateIn(done).draft;
    const isOpen = isNamed(post) && (done[NAMED.name] !== undefined || isMissing);
    return [
      CREATOR,
      ...(isUploaded(post) ? [BEGIN, UPLOAD] : [PUBLISH]),
      PUBLISHED,
      ...(isOpen ? [NAMED] : []),
      ...(post.first_comment === undefined ? [] : [COMMENT]),
    ];
  }

  async function run(call: PublishCall, step: string): Promise<unknown> {
    const { done } = call;
    switch (step) {
      case CREATOR.name:
        return prepare(call);
      case BEGIN.name:
        return beginVideo(call, creatorIn(done), (await openVideo(call)).size);
      case UPLOAD.name:
        return uploadVideo(call, Begun.parse(done[BEGIN.name]), {
          begin: async () => beginVideo(call, creatorIn(done), (await openVideo(call)).size),
          received: (publishId) => received(call, publishId),
        });
      case PUBLISH.name:
        return { publish_id: await product.publish(call, creatorIn(done)) };
      case PUBLISHED.name:
        return published(call);
      case NAMED.name:
        return named(call);
      default:
        return comments.run(call, commentedId(done));
    }
  }

  async function prepare(call: PublishCall): Promise<unknown> {
    const { post } = call;
    product.assertFits(post);
    const creator = await product.creator(call);
    const { duration_ms } = isUploaded(post) ? await openVideo(call) : post.media[0]!;
    assertAllowed(post, creator, duration_ms);
    const { username = creator.creator_username } = sessionOf(call.session);
    return { ...creator, username, kind: isVideo(post) ? 'video' : 'photo' } satisfies Before;
  }

  async function received(call: PublishCall, publishId: string) {
    const { status, uploaded_bytes: bytes } = await product.status(call, publishId);
    return status === 'PROCESSING_UPLOAD' ? { bytes } : undefined;
  }

  async function published(call: PublishCall): Promise<State> {
    const { publish_id } = sentIn(call.done);
    if (publish_id === undefined) return {};
    const { status, why, id } = await product.status(call, publish_id);
    if (status === 'FAILED') throw failureOf(why);
    if (status === 'SEND_TO_USER_INBOX') return { draft: true };
    if (status === 'PUBLISH_COMPLETE') return { post_id: id };
    throw pending('TikTok is making the post.');
  }

  async function named(call: PublishCall): Promise<object> {
    const { id } = await product.status(call, sentIn(call.done).publish_id!);
    if (id === undefined) throw pending('TikTok has not told the id of the post yet.', NAME_EVERY_S);
    return { id };
  }

  /** Looks for a post of ours among the newest; none there says nothing, as TikTok lists what it has looked at. */
  async function settle(call: LookupCall, step: string): Promise<Settled> {
    if (step === COMMENT.name) return comments.settle(call, commentedId(call.done));
    const found = onlyMatch(
      await product.listed(call),
      ({ text, created_at }) => created_at >= secondOf(call.sentAt) && isSameText(text, call.post.text),
    );
    return found === 'unknown' ? found : { made: { post_id: found.platform_post_id } };
  }

  return { steps, run, finish, settle };
}

function commentedId(done: Done): string {
  const id = idIn(done);
  if (id === undefined) throw refused('not_found', 'TikTok has not told the id of the post.');
  return id;
}

function finish(done: Done, hosts: Hosts): Published {
  const { username, kind } = creatorIn(done);
  const { publish_id } = sentIn(done);
  const id = idIn(done);
  return {
    platform_post_id: id ?? publish_id!,
    permalink: id === undefined ? undefined : permalinkOf(hosts, username, id, kind),
    metadata: {
      ...(publish_id !== undefined && { publish_id }),
      ...(stateIn(done).draft && { draft: true }),
      ...firstCommentIn(done[COMMENT.name]),
    },
  };
}

/** By TikTok for Developers: videos are uploaded in chunks, photos fetched. */
export const publish = publishing({
  uploads: true,
  assertFits,
  creator: readCreator,
  publish: publishPhotos,
  status: developerStatus,
  listed: async (call) => (await list(call, { limit: 20 })).posts,
});

/** By the API for Business, which fetches everything. */
export const businessPublish = publishing({
  assertFits: assertFitsBusiness,
  creator: readBusinessCreator,
  publish: publishBusiness,
  status: businessStatus,
  listed: async (call) => (await listBusiness(call, { limit: 20 })).posts,
});
