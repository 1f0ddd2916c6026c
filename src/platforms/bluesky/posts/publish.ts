import * as z from 'zod';
import type { AccountCall, Hosts } from '../../call.ts';
import type { OutgoingPost, PublishCall } from '../../posts.ts';
import { Attached, Composed, type Written, attach, compose } from './compose.ts';
import { isNamed, refused, unclear, unlessRefused, isRefused } from '../../shared/errors.ts';
import { text } from '../../shared/fields.ts';
import { commentOf } from '../../shared/first-comment.ts';
import { defineStep, defineSteps } from '../../shared/steps.ts';
import { sessionOf } from '../accounts/session.ts';
import { deleteRecord, getRecord, ownRecordRef, recordRefOf, POSTS, putRecord, uriOf } from '../records.ts';

const Cid = z.object({ cid: z.string().min(1).max(200) });

const Ref = z.object({ uri: z.string(), cid: z.string() });
export type Ref = Readonly<z.output<typeof Ref>>;

const segmentsOf = (post: OutgoingPost) => [post, ...post.segments];

/** No step is visible: `compose` decides keys and records, and writing the same record again changes nothing. */
const BLOBS = defineStep({
  name: 'blobs',
  kind: 'invisible',
  result: z.array(z.array(Attached)),
  run: attachAll,
});
const COMPOSE = defineStep({
  name: 'compose',
  kind: 'invisible',
  result: Composed,
  run: (call) => compose(call, BLOBS.findIn(call.done) ?? []),
});
const writeStep = (index: number) =>
  defineStep({ name: `write.${index}`, kind: 'idempotent', result: Ref, run: (call) => writePost(call, index) });
const COMMENT = defineStep({
  name: 'comment',
  kind: 'idempotent',
  optional: 'first_comment',
  result: Ref.partial().extend({ refused: text }),
  run: writeComment,
});

const FIRST = writeStep(0);

export const publish = defineSteps({
  steps(post) {
    const segments = segmentsOf(post);
    return [
      ...(segments.some(({ media }) => media.length > 0) ? [BLOBS] : []),
      COMPOSE,
      ...segments.map((_, index) => writeStep(index)),
      ...commentOf(post, COMMENT),
    ];
  },

  finish(done, hosts) {
    const { did, handle, posts, comment } = COMPOSE.resultIn(done);
    const { cid } = FIRST.findIn(done) ?? {};
    const { refused: first_comment_error } = COMMENT.findIn(done) ?? {};
    const uriAt = ({ rkey }: Written) => uriOf({ repo: did, collection: POSTS, rkey });
    const uris = posts.map(uriAt);
    const segments = posts.flatMap((written, index) =>
      writeStep(index).findIn(done) === undefined
        ? []
        : [{ platform_post_id: uriAt(written), permalink: permalinkOf(hosts, handle, written.rkey) }],
    );
    return {
      platform_post_id: uris[0]!,
      permalink: permalinkOf(hosts, handle, posts[0]!.rkey),
      segments,
      metadata: {
        ...(cid !== undefined && { cid }),
        uris,
        ...(comment && { first_comment_uri: uriAt(comment) }),
        ...(first_comment_error !== undefined && { first_comment_error }),
      },
    };
  },
});

/** Deletes every post of a thread, the last one first; a missing post counts as success. */
export async function remove(
  call: AccountCall,
  platformPostId: string,
  metadata: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { uris, first_comment_uri: comment } = metadata;
  const all = [platformPostId, ...(Array.isArray(uris) ? uris : []), comment].filter((uri) => typeof uri === 'string');
  for (const uri of [...new Set(all)].toReversed()) {
    const ref = recordRefOf(uri);
    if (ref?.repo !== sessionOf(call.session).did) {
      throw refused('permission_denied', 'This is not a post of this account.');
    }
    await deleteRecord(call, ref, z.unknown());
  }
}

export function permalinkOf(hosts: Hosts, handle: string, rkey: string): string {
  return `${hosts['web']!}/profile/${handle}/post/${rkey}`;
}

async function attachAll(call: PublishCall): Promise<Attached[][]> {
  const all: Attached[][] = [];
  for (const index of segmentsOf(call.post).keys()) all.push(await attach(call, index));
  return all;
}

async function writePost(call: PublishCall, index: number): Promise<Ref> {
  const { done } = call;
  const written = COMPOSE.resultIn(done).posts[index]!;
  if (index === 0) return write(call, written, index);
  const reply = { root: FIRST.resultIn(done), parent: writeStep(index - 1).resultIn(done) };
  return write(call, { ...written, record: { ...written.record, reply } }, index);
}

function writeComment(call: PublishCall): Promise<Ref> {
  const comment = COMPOSE.resultIn(call.done).comment!;
  const root = FIRST.resultIn(call.done);
  return write(call, { ...comment, record: { ...comment.record, reply: { root, parent: root } } });
}

async function write(call: PublishCall, written: Written, segment?: number): Promise<Ref> {
  try {
    return await put(call, written);
  } catch (error) {
    if (!isNamed(error, 'BlobNotFound')) throw error;
    // Servers delete unused blobs after a while. So the record does not exist yet, and the blobs are uploaded again.
    if (segment !== undefined) await attach(call, segment);
    return put(call, { ...written, record: withoutThumb(written.record) });
  }
}

/** Creates the post unless its key exists, and returns the stored record. */
export async function put(call: AccountCall, { rkey, record }: Written): Promise<Ref> {
  const ref = ownRecordRef(call, POSTS, rkey);
  const made = await unlessRefused(putRecord(call, ref, record, Cid), 'duplicate');
  // If the key exists, the record is ours, because only this post knew the key; it may have been edited since.
  const { cid } = made ?? (await getRecord(call, ref, Cid).catch(unclearIfMissing));
  return { uri: uriOf(ref), cid };
}

function unclearIfMissing(error: unknown): never {
  throw isRefused(error, 'not_found') ? unclear(undefined, error) : error;
}

function withoutThumb(record: Written['record']): Written['record'] {
  const embed = record['embed'] as { external?: Readonly<Record<string, unknown>> } | undefined;
  if (!embed?.external) return record;
  const { thumb: _, ...external } = embed.external;
  return { ...record, embed: { ...embed, external } };
}
