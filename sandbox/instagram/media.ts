import { bareLook, edge, inner, own, lookOf, type NodeType } from '../graph/api/render.ts';
import { unknownObject } from '../graph/api/errors.ts';
import { postFields } from '../graph/media/medium.ts';
import { drawOne, type Call, type Methods } from '../graph/world.ts';
import type { Comments } from './comments.ts';
import type { Media } from './docs.ts';
import type { Posts } from './posts.ts';
import { methodsOf, mediaUrl, permalinkOf, type Login, type World } from './world.ts';

const OWNER = bareLook('IGUser');
const OPTIONS = Object.freeze(['location_id', 'collaborators', 'user_tags', 'audio_name', 'is_ai_generated']);

/** A post, whose fields are shown only on request. */
export function mediaLook(world: World, comments: Comments): NodeType<Media> {
  const { people } = world;
  const usernameOf = ({ author, page_id }: Media) =>
    author === undefined ? people.page(page_id)?.username : people.byId(author)?.handle;
  return lookOf<Media>('IGMedia', {
    ...postFields<Media>(
      'IGMedia',
      (blob) => mediaUrl(world, blob),
      (post) => permalinkOf(world, post),
    ),
    ...own<Media>('caption'),
    ...Object.fromEntries(OPTIONS.map((name) => [name, ({ options }: Media) => options?.[name]])),
    media_product_type: ({ product }) => product,
    thumbnail_url: (one) => {
      const [found] = one.media;
      return found?.type === 'VIDEO' ? mediaUrl(world, one.cover ?? found.blob) : undefined;
    },
    username: usernameOf,
    owner: ({ author, page_id }) => (author === undefined ? inner(OWNER, page_id) : undefined),
    like_count: ({ likes }) => likes.length,
    comments_count: ({ id }) => comments.count(id),
    is_comment_enabled: ({ comments_on }) => comments_on,
    is_shared_to_feed: ({ product, share_to_feed }) => (product === 'REELS' ? share_to_feed !== false : undefined),
    comments: ({ id }) => edge(comments.look, `${id}/comments`, () => comments.listed(id)),
  });
}

/** Methods for posts that exist. Only people with Pages can delete one. */
export function mediaMethods(world: World, login: Login, posts: Posts, look: NodeType<Media>): Methods {
  const { nodes } = world;
  const { reads, changes, switches, lists } = methodsOf(world, login);

  /** Only the account's own posts can be read by id. */
  function ownPost({ verb }: Call, media: Media): Media {
    if (media.author !== undefined) throw unknownObject(media.id, verb.toLowerCase());
    return media;
  }
  const { listed: media, stories, tagged: tags } = posts;
  return {
    ...lists('page', 'basic', look, login.isFacebook ? { media, stories, tags } : { media, stories }),
    'GET media': reads('media', 'basic', [], (call, one) => drawOne(call, look, ownPost(call, one))),
    'POST media': switches('media', 'comments', 'comment_enabled', (call, one, comments_on) => {
      nodes.change('media', ownPost(call, one).id, { comments_on });
    }),
    ...(login.isFacebook && {
      'DELETE media': changes('media', 'delete', [], (call, one) => void posts.remove(ownPost(call, one).id)),
    }),
  };
}
