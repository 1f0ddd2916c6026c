import * as z from 'zod';
import type { Attachment, Person, PlatformComment, PlatformMention, PlatformPost } from '../../inbox-types.ts';
import type { AccountCall, Hosts } from '../../call.ts';
import { recordRefOf } from '../records.ts';
import { permalinkOf } from '../posts/publish.ts';
import { Counts, postsAt, viewedMedia } from '../posts/reads.ts';
import { instant, text, word } from '../../shared/fields.ts';
import { sessionOf } from '../accounts/session.ts';
import { Facets, writtenText } from '../posts/text.ts';

export const Profile = z.object({ did: z.string(), handle: word, displayName: word, avatar: text });

const At = z.object({ uri: z.string() });
export const PostRecord = z.object({
  text: word,
  facets: Facets,
  createdAt: text,
  reply: z.object({ root: At, parent: At }).optional().catch(undefined),
});

const Threadgate = z.object({ record: z.object({ hiddenReplies: z.array(z.string()).catch([]).default([]) }) });
/** A post as the AppView shows it to this account. */
export const Post = Counts.extend({
  uri: z.string(),
  cid: z.string(),
  author: Profile,
  record: PostRecord,
  embed: z.unknown().optional(),
  indexedAt: instant,
  viewer: z.object({ like: text }).optional().catch(undefined),
  threadgate: Threadgate.optional().catch(undefined),
});
export type PostView = z.output<typeof Post>;

/** Posts by URI; deleted posts and posts the account may not see are absent. */
export function lookUp(call: AccountCall, uris: readonly string[]): Promise<ReadonlyMap<string, PostView>> {
  const all = [...new Set(uris)].filter((uri) => recordRefOf(uri) !== undefined);
  return postsAt(call, all, Post);
}

const External = z.object({ external: z.object({ uri: z.string() }) });
const Shared = z.object({ uri: z.string(), author: Profile.optional().catch(undefined) });
/** An embedded quoted post, with or without pictures. */
const Quoted = z.object({
  record: z.union([Shared, z.object({ record: Shared }).transform(({ record }) => record)]),
});

/** Everything in a post or message besides its text: pictures, videos, a linked page, a quoted post. */
export function mediaOf(hosts: Hosts, embed: unknown): readonly Attachment[] {
  const parts = [embed, (embed as { media?: unknown } | null | undefined)?.media];
  const links = parts.flatMap((part) => External.safeParse(part).data?.external.uri ?? []);
  const { uri, author } = Quoted.safeParse(embed).data?.record ?? {};
  const key = uri === undefined ? undefined : recordRefOf(uri);
  const who = key && ((author && personOf(hosts, author).username) ?? key.repo);
  return [
    ...viewedMedia(embed),
    ...links.map((url) => ({ type: 'link', url })),
    ...(key && who ? [{ type: 'post', url: permalinkOf(hosts, who, key.rkey) }] : []),
  ];
}

/** The creation time stated in the post, but not later than its indexing time. */
function timeOf({ record, indexedAt }: Pick<PostView, 'record' | 'indexedAt'>): number {
  const writtenAt = Date.parse(record.createdAt ?? '');
  const seen = Date.parse(indexedAt);
  return Math.max(0, Number.isNaN(writtenAt) ? seen : Math.min(writtenAt, seen));
}

/** Converts a profile to a person; a handle that does not resolve back to its owner is omitted. */
export function personOf(hosts: Hosts, { did, handle, displayName, avatar }: z.output<typeof Profile>): Person {
  const username = handle === 'handle.invalid' || handle === '' ? undefined : handle;
  return {
    id: did,
    name: displayName.trim() || (username ?? did),
    username,
    avatar_url: avatar,
    profile_url: `${hosts['web']!}/profile/${username ?? did}`,
  };
}

function addressOf(hosts: Hosts, { uri, author }: Pick<PostView, 'uri' | 'author'>): string | undefined {
  const key = recordRefOf(uri)?.rkey;
  return key === undefined ? undefined : permalinkOf(hosts, personOf(hosts, author).username ?? author.did, key);
}

export function isOwn(call: AccountCall, uri: string): boolean {
  return recordRefOf(uri)?.repo === sessionOf(call.session).did;
}

/** Converts a reply to a comment on the root post if the account owns that, otherwise on `under.post`. */
export function commentOf(
  call: AccountCall,
  post: PostView,
  under: Readonly<{ post: string; hidden: ReadonlySet<string> }>,
): PlatformComment {
  const { reply } = post.record;
  const location = reply && isOwn(call, reply.root.uri) ? reply.root.uri : under.post;
  const is_owner = post.author.did === sessionOf(call.session).did;
  return {
    platform_id: post.uri,
    platform_post_id: location,
    parent_id: reply?.parent.uri === location ? undefined : reply?.parent.uri,
    author: personOf(call.hosts, post.author),
    is_owner,
    text: writtenText(post.record.text, post.record.facets),
    media: mediaOf(call.hosts, post.embed),
    created_at: timeOf(post),
    permalink: addressOf(call.hosts, post),
    like_count: post.likeCount,
    reply_count: post.replyCount,
    is_hidden: under.hidden.has(post.uri),
    is_liked: post.viewer?.like !== undefined,
    capabilities: {
      can_reply: true,
      can_delete: is_owner,
      can_hide: !is_owner && isOwn(call, location) && reply?.root.uri === location,
      can_like: true,
      can_private_reply: false,
    },
  };
}

export function mentionOf(call: AccountCall, post: PostView): PlatformMention {
  const { reply, text: displayText, facets } = post.record;
  return {
    platform_id: post.uri,
    platform_post_id: reply?.root.uri ?? post.uri,
    comment_id: reply && post.uri,
    mention_type: reply ? 'comment' : 'post',
    author: personOf(call.hosts, post.author),
    text: writtenText(displayText, facets),
    media: mediaOf(call.hosts, post.embed),
    permalink: addressOf(call.hosts, post),
    created_at: timeOf(post),
  };
}

export function commentedPostOf(call: AccountCall, post: PostView): PlatformPost {
  return {
    platform_id: post.uri,
    text: post.record.text,
    thumbnail: viewedMedia(post.embed).find(({ type }) => type === 'image')?.url,
    permalink: addressOf(call.hosts, post),
    comment_count: post.replyCount,
    like_count: post.likeCount,
    published_at: timeOf(post),
  };
}
