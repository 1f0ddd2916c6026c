/** Posts as the app sees, lists and deletes them. */
import { edge, inner } from '../graph/api/render.ts';
import type { Look } from '../graph/api/render.ts';
import { badParam, unknownObject } from '../graph/api/errors.ts';
import { mediumLook } from '../graph/media/medium.ts';
import { graphTime } from '../graph/ids.ts';
import { drawList, drawOne, live, pageAt, seen } from '../graph/world.ts';
import type { Call, Methods } from '../graph/world.ts';
import type { Comments } from './comments.ts';
import type { Media } from './docs.ts';
import type { Posts } from './posts.ts';
import { mayRead, mayWrite, mediaUrl, permalinkOf } from './world.ts';
import type { Login, World } from './world.ts';

/** How a post looks; fields that are not asked for by name are not shown. */
export function mediaLook(world: World, comments: Comments): Look<Media> {
  const { people } = world;
  const medium = mediumLook('IGMedia', (blob) => mediaUrl(world, blob));
  const usernameOf = ({ author, page_id }: Media) =>
    author === undefined ? people.page(page_id)?.username : people.byId(author)?.handle;
  const first = ({ media }: Media) => media[0];
  return {
    name: 'IGMedia',
    id: ({ id }) => id,
    shown: [],
    fields: {
      caption: ({ caption }) => caption,
      media_type: (one) => (one.media.length > 1 ? 'CAROUSEL_ALBUM' : first(one)?.type),
      media_product_type: ({ product }) => product,
      media_url: (one) => {
        const found = one.media.length > 1 ? undefined : first(one);
        return found === undefined ? undefined : mediaUrl(world, found.blob);
      },
      thumbnail_url: (one) => {
        const found = first(one);
        return found?.type === 'VIDEO' ? mediaUrl(world, one.cover ?? found.blob) : undefined;
      },
      permalink: (one) => permalinkOf(world, one),
      shortcode: ({ shortcode }) => shortcode,
      timestamp: ({ at }) => graphTime(at),
      username: usernameOf,
      owner: ({ author, page_id }) => (author === undefined ? inner(OWNER, page_id) : undefined),
      like_count: ({ likes }) => likes.length,
      comments_count: ({ id }) => comments.count(id),
      is_comment_enabled: ({ comments_on }) => comments_on,
      is_shared_to_feed: ({ product, share_to_feed }) => (product === 'REELS' ? share_to_feed !== false : undefined),
      alt_text: (one) => (one.media.length > 1 ? undefined : first(one)?.alt),
      children: ({ id, media }) => (media.length > 1 ? edge(medium, `${id}/children`, () => media) : undefined),
      comments: ({ id }) => edge(comments.look, `${id}/comments`, () => comments.listed(id)),
      ...Object.fromEntries(
        ['location_id', 'collaborators', 'user_tags', 'audio_name', 'is_ai_generated'].map((name) => [
          name,
          ({ options }: Media) => options?.[name],
        ]),
      ),
    },
  };
}
const OWNER: Look<string> = Object.freeze({ name: 'IGUser', id: (id: string) => id, shown: [], fields: {} });

/** The methods about posts that are there; only people with Pages can take one away. */
export function mediaMethods(world: World, login: Login, posts: Posts, look: Look<Media>): Methods {
  const { nodes, store } = world;

  /** A post of the account itself. */
  function own(call: Call, id: string, right: 'basic' | 'comments' | 'delete'): Media {
    const media = live(nodes.get('media', id), id, call.verb.toLowerCase());
    if (media.author !== undefined) throw unknownObject(id, call.verb.toLowerCase());
    if (right === 'basic') mayRead(world, login, call, media.page_id, right);
    else mayWrite(world, login, call, media.page_id, right);
    return media;
  }
  const list = (name: string, rows: (account: string) => readonly Media[]) => ({
    [`GET page/${name}`]: {
      params: [],
      run(call: Call, id: string) {
        mayRead(world, login, call, pageAt(world, id).id, 'basic');
        const [since = 0, until = Infinity] = [call.params.time('since'), call.params.time('until')];
        const within = rows(id).filter(({ at }) => at >= since && at <= until);
        return drawList(call, look, `${id}/${name}`, within);
      },
    },
  });

  return {
    ...list('media', posts.listed),
    ...list('stories', posts.stories),
    ...(login.isFacebook && list('tags', posts.tagged)),
    'GET media': {
      params: [],
      run: (call: Call, id: string) => drawOne(call, look, seen(world, own(call, id, 'basic'))),
    },
    'POST media': {
      params: ['comment_enabled'],
      run(call: Call, id: string) {
        own(call, id, 'comments');
        const comments_on = call.params.flag('comment_enabled');
        if (comments_on === undefined) throw badParam('The parameter comment_enabled is required');
        store.write(() => nodes.change('media', id, { comments_on }));
        return { success: true };
      },
    },
    ...(login.isFacebook && {
      'DELETE media': {
        params: [],
        run(call: Call, id: string) {
          own(call, id, 'delete');
          store.write(() => posts.remove(id));
          return { success: true };
        },
      },
    }),
  };
}
