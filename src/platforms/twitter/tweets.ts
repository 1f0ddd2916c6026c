/** Posts by and to the account, as the API and pushes have them. */
import * as z from 'zod';
import { tableOf } from '#kernel/text/table.ts';
import type { AccountCall, Hosts } from '../call.ts';
import type { ListedPost, PostMetrics } from '../posts.ts';
import type { Attachment, Person, PlatformComment, PlatformMention } from '../inbox-types.ts';
import { plainComment } from '../shared/comments.ts';
import { unlessRefused } from '../shared/errors.ts';
import { count, instant, readable, text, word } from '../shared/fields.ts';
import type { RestRequest, Path } from '../shared/rest.ts';
import { request, Id, sessionOf } from './api.ts';

const Link = z.object({ url: z.string(), expanded_url: text, media_key: text, media_url_https: text });
export const Entities = z.object({ urls: z.array(Link).catch([]) }).catch({ urls: [] });
export const Keys = z.object({ media_keys: z.array(z.string()) }).catch({ media_keys: [] });

/** Fields that X renamed in its API description of August 2026, which calls tweets posts. */
const RENAMED = Object.entries({ note_post: 'note_tweet', referenced_posts: 'referenced_tweets' });

function byOldNames(post: unknown): unknown {
  if (typeof post !== 'object' || post === null) return post;
  const old = RENAMED.flatMap(([now, before]) => (now in post ? [[before, post[now as keyof typeof post]]] : []));
  return { ...post, ...(Object.fromEntries(old) as object) };
}

const PostView = z.object({
  id: Id,
  /** The text; for more than 280 characters it is only the beginning. */
  text: word,
  note_tweet: z.object({ text: z.string(), entities: Entities }).optional().catch(undefined),
  created_at: instant,
  author_id: Id,
  conversation_id: Id.optional(),
  in_reply_to_user_id: text,
  referenced_tweets: z.array(z.object({ type: z.string(), id: Id })).catch([]),
  entities: Entities,
  attachments: Keys,
  public_metrics: z.record(z.string(), count).catch({}),
});
export const Post = z.preprocess(byOldNames, PostView);
export type Post = z.output<typeof Post>;

/** A person; some fields have other names in pushes. */
const User = z.looseObject({ id: Id, name: word, username: text, screen_name: text, profile_image_url: text });
type User = z.output<typeof User>;

const Media = z.object({
  media_key: z.string(),
  type: word,
  url: text,
  preview_image_url: text,
  variants: z.array(z.object({ url: z.string(), content_type: word, bit_rate: count })).catch([]),
});

const Listed = z.array(z.unknown()).catch([]);
const byKey = <T>(list: readonly T[], keyOf: (one: T) => string) => new Map(list.map((one) => [keyOf(one), one]));

export const Includes = z
  .object({ users: Listed, media: Listed })
  .catch({ users: [], media: [] })
  .transform(({ users, media }) => ({
    users: byKey(readable(User, users), ({ id }) => id),
    media: byKey(readable(Media, media), ({ media_key }) => media_key),
  }));
export type IncludedObjects = z.output<typeof Includes>;

const Page = z.object({
  data: Listed,
  includes: Includes,
  meta: z.object({ next_token: text }).catch({ next_token: undefined }),
});

/** Reads a list page and the objects included in it. */
export async function readPage<T extends z.ZodType>(
  call: AccountCall,
  options: Path & Pick<RestRequest, 'query'>,
  item: T,
): Promise<Readonly<{ items: readonly z.output<T>[]; includes: IncludedObjects; cursor: string | undefined }>> {
  const { data, includes, meta } = await request(call, { method: 'GET', ...options }, Page);
  return { items: readable(item, data), includes, cursor: meta.next_token };
}

export const EXPANSIONS = {
  'media.fields': 'url,preview_image_url,type,variants',
  'user.fields': 'name,username,profile_image_url',
} as const;

const FIELDS = {
  'tweet.fields':
    'created_at,public_metrics,attachments,entities,note_tweet,conversation_id,referenced_tweets,in_reply_to_user_id,author_id',
  expansions: 'attachments.media_keys,author_id',
  ...EXPANSIONS,
} as const;

export const listPosts = (call: AccountCall, { query, ...options }: Path & Pick<RestRequest, 'query'>) =>
  readPage(call, { ...options, query: { ...FIELDS, ...query } }, Post);

/** Lists the account's own posts (`tweets`) or posts that mention it, newest first. */
export const postsOf = (call: AccountCall, list: 'tweets' | 'mentions', query: RestRequest['query']) =>
  listPosts(call, { path: `/2/users/{user}/${list}`, ids: { user: sessionOf(call.session).user_id }, query });

/** Reads posts by id; deleted posts are missing from the result. */
export async function readPosts(call: AccountCall, ids: readonly string[]): Promise<readonly Post[]> {
  const page = listPosts(call, { path: '/2/tweets', query: { ids: ids.join(',') } });
  return (await unlessRefused(page, 'not_found'))?.items ?? [];
}

const ENTITIES: ReadonlyMap<string, string> = tableOf({ '&amp;': '&', '&lt;': '<', '&gt;': '>' });
const OF_FILE = /\/status\/\d+\/(?:photo|video)\/\d+$/;

/** The text as its author wrote it: short links are expanded, and links to the post's own files removed. */
export function writtenText({ text: displayText, entities }: Pick<Post, 'text' | 'entities'>): string {
  let words = displayText;
  for (const { url, expanded_url = url, media_key, media_url_https } of entities.urls) {
    const isOfFile = (media_key ?? media_url_https) !== undefined || OF_FILE.test(expanded_url);
    words = words.replace(url, () => (isOfFile ? '' : expanded_url));
  }
  return words.replaceAll(/&(?:amp|lt|gt);/g, (entity) => ENTITIES.get(entity)!).trim();
}

/** The hosts and the id of the account, for which posts are converted. */
export type Viewer = Readonly<{ hosts: Hosts; me: string }>;
export const viewerOf = ({ hosts, session }: AccountCall): Viewer => ({ hosts, me: sessionOf(session).user_id });

/** A person, with those fields that the included objects contain. */
export function personOf({ hosts }: Viewer, { users }: IncludedObjects, id: string): Person {
  const { name = '', screen_name, username = screen_name, ...user }: Partial<User> = users.get(id) ?? {};
  const avatar_url = user.profile_image_url ?? text.parse(user['profile_image_url_https']);
  return { id, name, username, avatar_url, profile_url: username && `${hosts['web']!}/${username}` };
}

/** The URL of a post; X needs no username in it. */
export const permalinkOf = (hosts: Hosts, id: string): string => `${hosts['web']!}/i/status/${id}`;

/** The files of a post or message; of a video, the version with the best quality. */
export function filesOf({ attachments }: Pick<Post, 'attachments'>, { media }: IncludedObjects): readonly Attachment[] {
  return attachments.media_keys.flatMap((key) => {
    const { type, url, preview_image_url, variants = [] } = media.get(key) ?? {};
    const films = variants.filter((one) => one.content_type === 'video/mp4');
    const address = films.toSorted((a, b) => b.bit_rate - a.bit_rate)[0]?.url ?? url ?? preview_image_url;
    return address === undefined ? [] : [{ type: type === 'photo' ? 'image' : 'video', url: address }];
  });
}

export const parentOf = ({ referenced_tweets }: Post): string | undefined =>
  referenced_tweets.find(({ type }) => type === 'replied_to')?.id;

export const rootOf = ({ id, conversation_id = id }: Post): string => conversation_id;

const viewOf = ({ hosts }: Pick<Viewer, 'hosts'>, post: Post, includes: IncludedObjects) => ({
  text: writtenText(post.note_tweet ?? post),
  media: filesOf(post, includes),
  created_at: Date.parse(post.created_at),
  permalink: permalinkOf(hosts, post.id),
});

/** Converts a reply in a conversation that the account began. */
export function commentOf(viewer: Viewer, post: Post, includes: IncludedObjects): PlatformComment {
  const { likes: like_count, comments: reply_count } = countsOf(post);
  const [root, parent, is_owner] = [rootOf(post), parentOf(post), post.author_id === viewer.me];
  return plainComment({
    platform_id: post.id,
    platform_post_id: root,
    parent_id: parent === root ? undefined : parent,
    author: personOf(viewer, includes, post.author_id),
    is_owner,
    ...viewOf(viewer, post, includes),
    like_count,
    reply_count,
    capabilities: { can_delete: is_owner, can_private_reply: false },
  });
}

export const mentionOf = (viewer: Viewer, post: Post, includes: IncludedObjects): PlatformMention => ({
  platform_id: post.id,
  platform_post_id: post.id,
  mention_type: 'post',
  author: personOf(viewer, includes, post.author_id),
  ...viewOf(viewer, post, includes),
});

export const listedOf = (call: AccountCall, post: Post, includes: IncludedObjects): ListedPost => ({
  platform_post_id: post.id,
  ...viewOf(call, post, includes),
  metrics: countsOf(post),
});

export function countsOf({ public_metrics: counts }: Post): PostMetrics {
  const { like_count: likes = 0, reply_count: comments = 0, bookmark_count: saves = 0 } = counts;
  const { retweet_count: reposts = 0, quote_count: quotes = 0, impression_count: views = 0 } = counts;
  return { likes, comments, shares: reposts + quotes, saves, extra: { views, reposts, quotes } };
}
