/** How posts, answers and people look to the app. */
import { edge } from '../graph/api/render.ts';
import type { Frame, Look } from '../graph/api/render.ts';
import type { Person } from '../graph/docs.ts';
import { graphTime } from '../graph/ids.ts';
import { fileUrl } from '../graph/world.ts';
import { isReply, typeOf } from './docs.ts';
import { mediumLook } from '../graph/media/medium.ts';
import type { Post } from './docs.ts';
import type { Posts } from './posts.ts';
import { permalinkOf, pictureOf } from './world.ts';
import type { World } from './world.ts';

/** The person behind a call; the app alone is nobody. */
const callerOf = ({ actor }: Frame): string | undefined => (actor.kind === 'app' ? undefined : actor.claims.person);

/** What an answer shows of the conversation it is in. */
function replyFields({ nodes, people }: World, posts: Posts): Look<Post>['fields'] {
  const ofReply =
    <T>(read: (post: Post, caller: string | undefined) => T): Look<Post>['fields'][string] =>
    (post, { frame }) =>
      isReply(post) ? read(post, callerOf(frame)) : undefined;
  return {
    is_reply: isReply,
    has_replies: ({ id }) => posts.answers(id).length > 0,
    root_post: ofReply(({ root }) => ({ id: root })),
    replied_to: ofReply(({ parent_id }) => ({ id: parent_id })),
    is_reply_owned_by_me: ofReply(({ page_id }, caller) => page_id === caller),
    hide_status: ofReply(({ is_hidden, root }, caller) => {
      if (nodes.get('post', root)?.page_id !== caller) return undefined;
      return is_hidden ? 'HIDDEN' : 'NOT_HUSHED';
    }),
    reply_audience: ({ audience }) => audience.toUpperCase(),
    username: ({ page_id }) => people.byId(page_id)?.handle,
    is_verified: () => false,
  };
}

export type Looks = Readonly<{ post: Look<Post>; person: Look<Person> }>;

/** The looks of the things of the API; fields that are not asked for by name are not shown. */
export function makeLooks(world: World, posts: Posts): Looks {
  const medium = mediumLook('ThreadsMedia', (blob) => fileUrl(world, blob));
  const idOf = (id: string | undefined) => (id === undefined ? undefined : { id });
  /** A field of the one file of a post. */
  const ofMedium =
    (name: 'media_url' | 'thumbnail_url' | 'alt_text'): Look<Post>['fields'][string] =>
    ({ media: [only, ...more] }, at) =>
      only !== undefined && more.length === 0 ? medium.fields[name]?.(only, at) : undefined;

  const post: Look<Post> = {
    name: 'ThreadsMedia',
    id: ({ id }) => id,
    shown: [],
    fields: {
      ...replyFields(world, posts),
      media_product_type: () => 'THREADS',
      media_type: typeOf,
      media_url: ofMedium('media_url'),
      thumbnail_url: ofMedium('thumbnail_url'),
      alt_text: ofMedium('alt_text'),
      children: ({ id, media }) => (media.length > 1 ? edge(medium, `${id}/children`, () => media) : undefined),
      permalink: (one) => permalinkOf(world, one),
      shortcode: ({ shortcode }) => shortcode,
      // Of others there is nothing but a name.
      owner: ({ page_id }, { frame }) => (page_id === callerOf(frame) ? { id: page_id } : undefined),
      text: ({ text }) => (text === '' ? undefined : text),
      timestamp: ({ at }) => graphTime(at),
      is_quote_post: ({ quoted }) => quoted !== undefined,
      quoted_post: ({ quoted }) => idOf(quoted),
      reposted_post: ({ reposted }) => idOf(reposted),
      link_attachment_url: ({ link }) => link,
      topic_tag: ({ topic_tag }) => topic_tag,
      profile_picture_url: ({ page_id }) => pictureOf(world, page_id),
    },
  };

  const person: Look<Person> = {
    name: 'ThreadsUser',
    id: ({ id }) => id,
    shown: [],
    fields: {
      username: ({ handle }) => handle,
      name: ({ name }) => name,
      threads_profile_picture_url: ({ id }) => pictureOf(world, id),
      threads_biography: ({ name }) => `${name} of the sandbox`,
      is_verified: () => false,
    },
  };

  return Object.freeze({ post, person });
}
