import * as z from 'zod';
import { HOUR } from '#kernel/clock.ts';
import type { AccountCall } from '../call.ts';
import type { CreatedComment } from '../interactions.ts';
import type { Done, OutgoingPost, PublishCall } from '../posts.ts';
import { isRefused, unclear, unfit, unlessRefused } from '../shared/errors.ts';
import { anything } from '../shared/fields.ts';
import { commentOf, firstComment, firstCommentIn } from '../shared/first-comment.ts';
import { pendingAs } from '../shared/pending.ts';
import { readCard } from '../shared/web/link-card.ts';
import { path } from '../shared/rest.ts';
import { isSameText, onlyMatch, SKEW_MS } from '../shared/settle.ts';
import { defineStep, defineSteps } from '../shared/steps.ts';
import { actorOf, answerTo, callApi, postUrl } from './api.ts';
import { writing } from './comments.ts';
import { Post, readPosts } from './reads.ts';
import { assertFits, attached, optionsOf } from './rules.ts';
import { commentaryOf, plainText } from './text.ts';
import { awaitFiles, upload } from './uploads.ts';

const VIDEO_MS = 2 * HOUR;
/** How many of the newest posts are searched for a lost post. */
const NEWEST = 50;

const SEEN_BY = { public: 'PUBLIC', connections_only: 'CONNECTIONS', logged_in: 'LOGGED_IN' } as const;

/** The text of a refusal because a file is not ready; some logins may not read a file's state beforehand. */
const NOT_READY = /^MEDIA_ASSET_(?!PROCESSING_FAILED)/;
/** The text of a refusal (404 or 400) because a post is too new for comments. */
const NO_ACTIVITY = /unable to obtain activity/i;

const Made = z.object({ id: z.string() });
type Made = Readonly<z.output<typeof Made>>;

const Begun = z.object({
  at: z.number(),
  card: z.object({ title: z.string(), description: z.string() }).optional(),
});

/** Stores the time before sending, to tell the post from older ones. */
const BEGIN = defineStep({ name: 'begin', kind: 'invisible', result: Begun, run: begin });

/** The files of a post; for an article this is only the thumbnail. */
const filesOf = ({ media, options }: OutgoingPost) => [
  ...media,
  ...attached(options).map(({ source: ref }) => ({ ref, kind: 'image' as const })),
];

const fileStep = (at: number) =>
  defineStep({
    name: `file.${at}`,
    kind: 'invisible',
    result: z.object({ urn: z.string() }),
    run(call) {
      const { kind, ref } = filesOf(call.post)[at]!;
      return upload(call, kind as Exclude<typeof kind, 'audio'>, ref);
    },
  });
type FileStep = ReturnType<typeof fileStep>;

const fileSteps = (post: OutgoingPost) => filesOf(post).map((_, at) => fileStep(at));
const urnsIn = ({ post, done }: PublishCall): readonly string[] =>
  fileSteps(post).map((file) => file.resultIn(done).urn);

const readyStep = (files: readonly FileStep[]) =>
  defineStep({
    name: 'ready',
    kind: 'invisible',
    maxWaitMs: VIDEO_MS,
    redo: files,
    result: anything,
    run: (call) => awaitFiles(call, urnsIn(call)),
  });

const postStep = (files: readonly FileStep[]) =>
  defineStep({
    name: 'post',
    kind: 'visible',
    redo: [...files, readyStep(files)],
    result: Made,
    run: create,
    /** Searches the newest posts of an organization; a missing post may still exist. */
    async settle(call) {
      const { posts } = await readPosts(call, actorOf(call.post.page_id), { limit: NEWEST });
      const found = onlyMatch(posts, (one) => isOurs(call, one));
      return found === 'unknown' ? found : { made: { id: found.id } };
    },
  });

const idIn = (done: Done): string => postStep([]).resultIn(done).id;

const COMMENT = firstComment({ write: writeComment, find: writing.settle }, ({ done }) => idIn(done));

/** Writes the first comment; for a while, a new post (especially a video) cannot have comments. */
async function writeComment(...comment: Parameters<typeof writing.send>): Promise<CreatedComment> {
  try {
    return await writing.send(...comment);
  } catch (error) {
    if (isRefused(error, 'not_found') || (isRefused(error) && NO_ACTIVITY.test(error.upstream ?? '')))
      throw pendingAs(error);
    throw error;
  }
}

async function begin(call: PublishCall): Promise<z.output<typeof Begun>> {
  const at = call.now();
  const { article } = optionsOf(call.post);
  if (article === undefined || article.title !== undefined) return { at };
  // LinkedIn does not read linked pages, so the link card is made here.
  const card = await readCard(call, article.source);
  if (!card) throw unfit('platform_data.linkedin.article.title: the page of the article has none that can be read.');
  return { at, card: { title: card.title, description: card.description } };
}

function contentOf(call: PublishCall): object | undefined {
  const { post, done } = call;
  const { article, poll, alts = [] } = optionsOf(post);
  const [first, ...more] = urnsIn(call);
  const imageOf = (id: string, at: number) => ({ id, altText: alts[at] || undefined });
  if (article) {
    const { source, title, description } = { ...BEGIN.resultIn(done).card, ...article };
    return { article: { source, title, description: description || undefined, thumbnail: first } };
  }
  if (poll) {
    const { question, options, duration } = poll;
    return { poll: { question, options: options.map((text) => ({ text })), settings: { duration } } };
  }
  if (first === undefined) return undefined;
  if (more.length > 0) return { multiImage: { images: [first, ...more].map(imageOf) } };
  const { kind, filename = 'Document' } = post.media[0]!;
  if (kind === 'image') return { media: imageOf(first, 0) };
  return { media: { id: first, title: post.title?.trim() || (kind === 'file' ? filename : undefined) } };
}

async function create(call: PublishCall): Promise<Made> {
  const { post } = call;
  const { reshare: parent, is_reshare_disabled: isReshareDisabledByAuthor = false } = optionsOf(post);
  const json = {
    author: actorOf(post.page_id),
    commentary: commentaryOf(post.text),
    visibility: SEEN_BY[post.visibility as keyof typeof SEEN_BY],
    distribution: { feedDistribution: 'MAIN_FEED', targetEntities: [], thirdPartyDistributionChannels: [] },
    lifecycleState: 'PUBLISHED',
    isReshareDisabledByAuthor,
    content: contentOf(call),
    reshareContext: parent && { parent },
  };
  const isFirst = call.kept === undefined;
  if (isFirst) await call.keep({});
  try {
    const { headers } = await answerTo(call, { method: 'POST', path: '/rest/posts', json });
    const id = headers['x-restli-id'];
    if (id === undefined) throw unclear();
    return { id };
  } catch (error) {
    if (isRefused(error) && NOT_READY.test(error.upstream ?? '')) throw pendingAs(error);
    const made = isRefused(error, 'duplicate') && !isFirst ? await duplicateIn(call, error.upstream ?? '') : undefined;
    if (made === undefined) throw error;
    return made;
  }
}

/** The post that a duplicate refusal names, but only if an earlier try created it; otherwise undefined. */
async function duplicateIn(call: PublishCall, text: string): Promise<Made | undefined> {
  const [post = ''] = /urn:li:(?:share|ugcPost):\d+/.exec(text) ?? [];
  const requested = callApi(call, { method: 'GET', ...path`/rest/posts/${{ post }}` }, Post);
  const found = await unlessRefused(requested, 'not_found', 'permission_denied', 'invalid_request');
  return found && isOurs(call, found) ? { id: found.id } : undefined;
}

function isOurs(call: PublishCall, found: z.output<typeof Post>): boolean {
  const { post, done } = call;
  const own = urnsIn(call);
  return (
    found.author === post.page_id &&
    found.createdAt >= BEGIN.resultIn(done).at - SKEW_MS &&
    isSameText(plainText(found.commentary), plainText(commentaryOf(post.text))) &&
    found.files.every((file) => own.includes(file))
  );
}

export const publish = defineSteps({
  assertFits,
  steps(post) {
    const files = fileSteps(post);
    const ready = files.length > 0 ? [readyStep(files)] : [];
    return [BEGIN, ...files, ...ready, postStep(files), ...commentOf(post, COMMENT)];
  },
  finish(done, hosts) {
    const id = idIn(done);
    return { platform_post_id: id, permalink: postUrl(hosts, id), metadata: firstCommentIn(done) };
  },
});

/** Deletes a post; a missing post counts as success. */
export async function remove(call: AccountCall, post: string): Promise<void> {
  const headers = { 'x-restli-method': 'DELETE' };
  await unlessRefused(answerTo(call, { method: 'DELETE', ...path`/rest/posts/${{ post }}`, headers }), 'not_found');
}
