import * as z from 'zod';
import type { AccountCall } from '../call.ts';
import type { CreatedComment } from '../interactions.ts';
import type { OutgoingMedia } from '../media.ts';
import type { Done, OutgoingPost, OutgoingSegment, Posts, Publish, PublishCall } from '../posts.ts';
import type { SendCall, Sending } from '../sending.ts';
import { commentOf, firstComment, firstCommentIn } from './first-comment.ts';
import { defineStep, defineSteps } from './steps.ts';

const Made = z.object({ id: z.string() });
export type CreatedPost = Readonly<z.output<typeof Made>>;

/** Narrows the search for a lost post: when it was sent, and the ids of posts that are accounted for. */
export type Lookup = Readonly<{ sentAt: number; taken: ReadonlySet<string> }>;

/** One post of a thread; `files` are the platform's file ids, `parent` is the post it replies to. */
export type Part = Readonly<{ text: string; index: number; files: readonly string[]; parent?: string }>;

type Ways = Readonly<{
  assertFits(post: OutgoingPost): void;
  /** Uploads the nth file of a thread and returns its id; may be pending. */
  upload(call: PublishCall, file: OutgoingMedia, at: number): Promise<string>;
  /** How long the platform may take to process a file, in milliseconds. */
  maxWaitMs: number;
  write(call: PublishCall, part: Part): Promise<CreatedPost>;
  /** Looks for a post whose response was lost. */
  find(call: PublishCall, part: Part, wanted: Lookup): Promise<CreatedPost | 'unknown'>;
  permalinkOf: (hosts: PublishCall['hosts'], id: string) => string;
}>;

export const partsOf = (post: OutgoingPost): readonly OutgoingSegment[] => [post, ...post.segments];

const filesOf = (post: OutgoingPost) => partsOf(post).flatMap(({ media }) => media);
const answerPart = (parent: string, text: string): Part => ({ text, index: 0, files: [], parent });
/** The ids of the posts so far in the order of the thread; the steps come in any order from the store. */
function idsIn(done: Done): string[] {
  const indexes = Object.keys(done).flatMap((step) => /^post\.(\d+)$/.exec(step)?.[1] ?? []);
  return indexes.toSorted((one, other) => Number(one) - Number(other)).map((at) => Made.parse(done[`post.${at}`]).id);
}

/** Publishes a thread: files first, then each post once. If a response is lost, the post is looked up. */
export function postingSteps({ assertFits, upload, maxWaitMs, write, find, permalinkOf }: Ways): Publish {
  const fileStep = (at: number) =>
    defineStep({
      name: `media.${at}`,
      kind: 'invisible',
      maxWaitMs,
      redo: [],
      result: Made,
      run: async (call) => ({ id: await upload(call, filesOf(call.post)[at]!, at) }),
    });

  const postStep = (index: number) =>
    defineStep({
      name: `post.${index}`,
      kind: 'visible',
      result: Made,
      run: (call) => write(call, partAt(call, index)),
      async settle(call) {
        const wanted = { sentAt: call.sentAt, taken: new Set(idsIn(call.done)) };
        const found = await find(call, partAt(call, index), wanted);
        return found === 'unknown' ? found : { made: found };
      },
    });

  function partAt({ post, done }: PublishCall, index: number): Part {
    const parts = partsOf(post);
    const { text, media } = parts[index]!;
    const before = parts.slice(0, index).flatMap((part) => part.media).length;
    const files = media.map((_, at) => fileStep(before + at).resultIn(done).id);
    return { text, index, files, ...(index > 0 && { parent: postStep(index - 1).resultIn(done).id }) };
  }

  const commented = ({ id }: CreatedPost) => ({ comment_id: id });
  const comment = firstComment(
    {
      write: async (call, { post, text }) => commented(await write(call, answerPart(post, text))),
      async find(call, { post, text }, lookup) {
        const found = await find(call, answerPart(post, text), lookup);
        return found === 'unknown' ? found : commented(found);
      },
    },
    ({ done }) => postStep(0).resultIn(done).id,
  );

  return defineSteps({
    assertFits,
    steps: (post) => [
      ...filesOf(post).map((_, at) => fileStep(at)),
      ...partsOf(post).map((_, index) => postStep(index)),
      ...commentOf(post, comment),
    ],
    finish(done, hosts) {
      const ids = idsIn(done) as [string, ...string[]];
      const metadata = { ids, ...firstCommentIn(done) };
      const segments = ids.map((id) => ({ platform_post_id: id, permalink: permalinkOf(hosts, id) }));
      return { platform_post_id: ids[0], permalink: permalinkOf(hosts, ids[0]), segments, metadata };
    },
  });
}

/** Replies to a post or comment; if the response is lost, the reply is looked up. */
export function answering<Request extends Readonly<{ post: string; comment?: string | undefined; text: string }>>(
  write: (call: SendCall, part: Part) => Promise<CreatedPost>,
  find: (call: SendCall, part: Part, wanted: Lookup) => Promise<CreatedPost | 'unknown'>,
  permalinkOf: Ways['permalinkOf'],
): Sending<Request, CreatedComment> {
  const commentOf = ({ hosts }: SendCall, { id }: CreatedPost) => ({
    comment_id: id,
    permalink: permalinkOf(hosts, id),
  });
  const partOf = ({ post, comment, text }: Request) => answerPart(comment ?? post, text);
  return {
    send: async (call, request) => commentOf(call, await write(call, partOf(request))),
    async settle(call, request, wanted) {
      const found = await find(call, partOf(request), wanted);
      return found === 'unknown' ? found : commentOf(call, found);
    },
  };
}

/** Removes every post of a thread, last first, and the first comment. */
export function removeAll(remove: (call: AccountCall, id: string) => Promise<void>): NonNullable<Posts['remove']> {
  return async function removeThread(call, id, { ids, first_comment_id: comment }) {
    const all = [id, ...(Array.isArray(ids) ? ids : []), comment].filter((one) => typeof one === 'string');
    for (const one of [...new Set(all)].toReversed()) await remove(call, one);
  };
}
