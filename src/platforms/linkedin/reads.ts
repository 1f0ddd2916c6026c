import * as z from 'zod';
import type { AccountCall } from '../call.ts';
import type { Paging } from '../interactions.ts';
import type { ListedPost, MeasuredPost, PostMetrics } from '../posts.ts';
import { refused, unlessRefused } from '../shared/errors.ts';
import { count, readable, text, word } from '../shared/fields.ts';
import { metricsOfEach } from '../shared/metrics.ts';
import { path } from '../shared/rest.ts';
import { callApi, Elements, idOfUrn, isOrganization, kindOfUrn, postUrl, readPage, sessionOf, Urn } from './api.ts';
import { plainText } from './text.ts';

const File = z.object({ id: z.string() });
const Files = z.object({ images: z.array(File) });
const Content = z.object({ media: File.optional().catch(undefined), multiImage: Files.optional().catch(undefined) });

export const Post = z
  .object({ id: Urn, author: word, commentary: word, createdAt: z.number(), content: Content.catch({}).default({}) })
  .transform(({ content: { media, multiImage }, ...post }) => ({
    ...post,
    files: [media, ...(multiImage?.images ?? [])].flatMap((file) => file?.id ?? []),
  }));

/** Reads posts, the newest first; few apps may read the posts of members. */
export async function readPosts(call: AccountCall, author: string, page: Paging) {
  const { scopes } = sessionOf(call.session);
  if (!isOrganization(author) && !scopes.some((scope) => scope.startsWith('r_member_social')))
    throw refused('permission_denied', 'LinkedIn lets this app list the posts of organizations only.');
  const where = path`/rest/posts?q=author&author=${{ author }}&sortBy=CREATED`;
  const requested = { ...where, headers: { 'x-restli-method': 'FINDER' } };
  const { elements, cursor } = await readPage(call, requested, page);
  return { posts: readable(Post, elements), cursor };
}

/** A post keeps its number even if a list gives it another kind of URN. */
export const isSame = (published: string, { platform_post_id: id }: ListedPost): boolean =>
  idOfUrn(published) === idOfUrn(id);

type PagePosts = Paging & Readonly<{ pageId?: string | undefined }>;

/** Lists posts with their counts if available, but without files, which would each need a request. */
export async function list(call: AccountCall, { pageId = sessionOf(call.session).member, ...page }: PagePosts) {
  const { posts, cursor } = await readPosts(call, pageId, page);
  const ids = posts.map(({ id }) => id);
  const counted = await statisticsOf(call, pageId, ids);
  const view = posts.map(({ id, commentary, createdAt }): ListedPost => ({
    platform_post_id: id,
    permalink: postUrl(call.hosts, id),
    text: plainText(commentary),
    created_at: createdAt,
    media: [],
    metrics: counted.get(id),
    page_id: pageId,
  }));
  return { posts: view, cursor };
}

const Statistics = z.object({ share: text, ugcPost: text, totalShareStatistics: z.record(z.string(), count) });

/** Reads counts for posts of an organization, in one request for shares and one for other posts. */
async function statisticsOf(call: AccountCall, page: string, posts: readonly string[]) {
  const kinds = Map.groupBy(isOrganization(page) ? posts : [], (urn) => kindOfUrn(urn) as 'share' | 'ugcPost');
  const found = await Promise.all(
    [...kinds].map(async ([kind, urns]) => {
      // In Rest.li syntax, the parentheses and commas of a list are not encoded.
      const where = `/rest/organizationalEntityShareStatistics?q=organizationalEntity&organizationalEntity={page}&${kind}s=`;
      const ids = Object.fromEntries(urns.map((urn, at) => [`post${at}`, urn]));
      const names = Object.keys(ids).map((name) => `{${name}}`);
      const requested = { method: 'GET', path: `${where}List(${names.join(',')})`, ids: { ...ids, page } } as const;
      const { elements } = (await unlessRefused(callApi(call, requested, Elements))) ?? { elements: [] };
      return readable(Statistics, elements).flatMap((one) => {
        const id = one[kind] ?? (urns.length === 1 ? urns[0] : undefined);
        return id === undefined ? [] : [[id, metricsOf(one)] as const];
      });
    }),
  );
  return new Map(found.flat());
}

const FURTHER = { impressionCount: 'views', uniqueImpressionsCount: 'reach', clickCount: 'clicks' } as const;

function metricsOf({ totalShareStatistics: total }: z.output<typeof Statistics>): PostMetrics {
  const { likeCount: likes = 0, commentCount: comments = 0, shareCount: shares = 0 } = total;
  const extra = Object.fromEntries(Object.entries(FURTHER).map(([name, own]) => [own, total[name] ?? 0]));
  return { likes, comments, shares, saves: 0, extra };
}

const Metadata = z.object({
  reactionSummaries: z.record(z.string(), z.object({ count })).catch({}),
  commentSummary: z.object({ count }).catch({ count: 0 }),
});

async function countsOf(call: AccountCall, post: string): Promise<PostMetrics | undefined> {
  const requested = callApi(call, { method: 'GET', ...path`/rest/socialMetadata/${{ post }}` }, Metadata);
  const found = await unlessRefused(requested, 'not_found');
  if (found === undefined) return undefined;
  const likes = Object.values(found.reactionSummaries).reduce((sum, { count: some }) => sum + some, 0);
  return { likes, comments: found.commentSummary.count, shares: 0, saves: 0 };
}

/** Reads metrics; those of organizations are requested per page. Posts unknown to LinkedIn are absent. */
export async function metrics(call: AccountCall, posts: readonly MeasuredPost[]) {
  const counted = new Map<string, PostMetrics>();
  for (const [page = '', own] of Map.groupBy(posts, ({ page_id }) => page_id)) {
    const ids = own.map(({ id }) => id);
    for (const [id, found] of await statisticsOf(call, page, ids)) counted.set(id, found);
  }
  return metricsOfEach(posts, async ({ id }) => counted.get(id) ?? countsOf(call, id));
}
