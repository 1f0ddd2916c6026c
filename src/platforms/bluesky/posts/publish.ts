import * as z from 'zod';
import type { AccountCall, Hosts } from '../../call.ts';
import type { Done, OutgoingPost, Publish, PublishCall, Published, Step } from '../../posts.ts';
import { type Attached, type Composed, type Written, attach, compose } from './compose.ts';
import { isNamed, refused, unclear, unlessRefused, isRefused } from '../../shared/errors.ts';
import { sessionOf } from '../accounts/session.ts';
import { deleteRecord, getRecord, ownPlace, placeOf, POSTS, putRecord, uriOf } from '../records.ts';

const Cid = z.object({ cid: z.string().min(1).max(200) });

export type Ref = Readonly<{ uri: string; cid: string }>;
type Commented = Ref | Readonly<{ refused: string }>;

/**
 * No step is visible and unrepeatable: `compose` fixes keys and records, and writing the same record under the same key
 * only if absent does nothing the second time.
 */
export const publish = Object.freeze<Publish>({ steps, run, finish });

function steps(post: OutgoingPost): readonly Step[] {
  const segments = [post, ...post.segments];
  return [
    ...(segments.some(({ media }) => media.length > 0) ? [{ name: 'blobs', kind: 'invisible' } as const] : []),
    { name: 'compose', kind: 'invisible' },
    ...segments.map((_, index) => ({ name: `write.${index}`, kind: 'idempotent' }) as const),
    ...(post.first_comment === undefined
      ? []
      : [{ name: 'comment', kind: 'idempotent', optional: 'first_comment' } as const]),
  ];
}

async function run(call: PublishCall, step: string): Promise<unknown> {
  if (step === 'blobs') return attachAll(call);
  if (step === 'compose') return compose(call, (call.done['blobs'] ?? []) as readonly (readonly Attached[])[]);
  if (step === 'comment') return writeComment(call);
  return writePost(call, Number(step.slice('write.'.length)));
}

function finish(done: Done, hosts: Hosts): Published {
  const { did, handle, posts, comment } = done['compose'] as Composed;
  const { cid } = (done['write.0'] ?? {}) as Partial<Ref>;
  const commented = done['comment'] as Commented | undefined;
  const uriAt = ({ rkey }: Written) => uriOf({ repo: did, collection: POSTS, rkey });
  const uris = posts.map(uriAt);
  const segments = posts.flatMap((written, index) =>
    done[`write.${index}`] === undefined
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
      ...(commented && 'refused' in commented && { first_comment_error: commented.refused }),
    },
  };
}

/** Deletes every post of a thread, last one first; a post that does not exist is no error. */
export async function remove(
  call: AccountCall,
  platformPostId: string,
  metadata: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { uris, first_comment_uri: comment } = metadata;
  const all = [platformPostId, ...(Array.isArray(uris) ? uris : []), comment].filter((uri) => typeof uri === 'string');
  for (const uri of [...new Set(all)].toReversed()) {
    const place = placeOf(uri);
    if (place?.repo !== sessionOf(call.session).did) {
      throw refused('permission_denied', 'This is not a post of this account.');
    }
    await deleteRecord(call, place, z.unknown());
  }
}

/** The web URL of a post. */
export function permalinkOf(hosts: Hosts, handle: string, rkey: string): string {
  return `${hosts['web']!}/profile/${handle}/post/${rkey}`;
}

async function attachAll(call: PublishCall): Promise<readonly (readonly Attached[])[]> {
  const all: (readonly Attached[])[] = [];
  for (const index of [call.post, ...call.post.segments].keys()) all.push(await attach(call, index));
  return all;
}

async function writePost(call: PublishCall, index: number): Promise<Ref> {
  const written = (call.done['compose'] as Composed).posts[index]!;
  if (index === 0) return write(call, written, index);
  const reply = { root: call.done['write.0'] as Ref, parent: call.done[`write.${index - 1}`] as Ref };
  return write(call, { ...written, record: { ...written.record, reply } }, index);
}

function writeComment(call: PublishCall): Promise<Ref> {
  const comment = (call.done['compose'] as Composed).comment!;
  const root = call.done['write.0'] as Ref;
  return write(call, { ...comment, record: { ...comment.record, reply: { root, parent: root } } });
}

async function write(call: PublishCall, written: Written, segment?: number): Promise<Ref> {
  try {
    return await put(call, written);
  } catch (error) {
    if (!isNamed(error, 'BlobNotFound')) throw error;
    // Servers delete unused blobs after a while. A missing card picture is omitted: the record cannot exist yet, or the
    // server would have kept its blobs.
    if (segment !== undefined) await attach(call, segment);
    return put(call, { ...written, record: withoutThumb(written.record) });
  }
}

/** Creates the post unless its key exists, and returns the stored record. */
export async function put(call: AccountCall, { rkey, record }: Written): Promise<Ref> {
  const place = ownPlace(call, POSTS, rkey);
  const made = await unlessRefused(putRecord(call, place, record, Cid), 'duplicate');
  // If the key exists already: only we knew it, so the record is ours, even if edited since.
  const { cid } = made ?? (await getRecord(call, place, Cid).catch(unclearIfMissing));
  return { uri: uriOf(place), cid };
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
