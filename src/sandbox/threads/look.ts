/** How posts, answers and people look to the app. */
import { edge, own, lookOf } from '../graph/api/render.ts';
import type { Frame, Look } from '../graph/api/render.ts';
import type { Person } from '../graph/docs.ts';
import { graphTime } from '../graph/ids.ts';
import { mediumLook } from '../graph/media/medium.ts';
import { isLive } from '../graph/said.ts';
import { fileUrl, pictureUrl } from '../graph/world.ts';
import { isReply, permalinkOf, typeOf } from './world.ts';
import type { Post, World } from './world.ts';

/** The person behind a call; the app alone is nobody. */
const callerOf = ({ actor }: Frame): string | undefined => (actor.kind === 'app' ? undefined : actor.claims.person);

/** What an answer shows of the conversation it is in. */
function replyFields({ nodes, people }: World): Look<Post>['fields'] {
  const ofReply =
    <T>(read: (post: Post, caller: string | undefined) => T): Look<Post>['fields'][string] =>
    (post, { frame }) =>
      isReply(post) ? read(post, callerOf(frame)) : undefined;
  return {
    is_reply: isReply,
    has_replies: ({ id }) => nodes.list('post', { parent: id }).some(isLive),
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

export type Looks = ReturnType<typeof makeLooks>;

/** The looks of the things of the API; fields that are not asked for by name are not shown. */
export function makeLooks(world: World) {
  const medium = mediumLook('ThreadsMedia', (blob) => fileUrl(world, blob));
  const idOf = (id: string | undefined) => (id === undefined ? undefined : { id });
  /** The fields of the one file of a post. */
  const ofMedium = Object.fromEntries(
    ['media_url', 'thumbnail_url', 'alt_text'].map((name): [string, Look<Post>['fields'][string]] => [
      name,
      ({ media: [only, ...more] }, at) =>
        only !== undefined && more.length === 0 ? medium.fields[name]?.(only, at) : undefined,
    ]),
  );

  const post = lookOf<Post>('ThreadsMedia', {
    ...replyFields(world),
    ...ofMedium,
    ...own<Post>('shortcode', 'topic_tag'),
    media_product_type: () => 'THREADS',
    media_type: typeOf,
    children: ({ id, media }) => (media.length > 1 ? edge(medium, `${id}/children`, () => media) : undefined),
    permalink: (one) => permalinkOf(world, one),
    // Of others there is nothing but a name.
    owner: ({ page_id }, { frame }) => (page_id === callerOf(frame) ? { id: page_id } : undefined),
    text: ({ text }) => (text === '' ? undefined : text),
    timestamp: ({ at }) => graphTime(at),
    is_quote_post: ({ quoted }) => quoted !== undefined,
    quoted_post: ({ quoted }) => idOf(quoted),
    reposted_post: ({ reposted }) => idOf(reposted),
    link_attachment_url: ({ link }) => link,
    profile_picture_url: ({ page_id }) => pictureUrl(world, page_id),
  });

  const person = lookOf<Person>('ThreadsUser', {
    ...own<Person>('name'),
    username: ({ handle }) => handle,
    threads_profile_picture_url: ({ id }) => pictureUrl(world, id),
    threads_biography: ({ name }) => `${name} of the sandbox`,
    is_verified: () => false,
  });

  return Object.freeze({ post, person });
}
