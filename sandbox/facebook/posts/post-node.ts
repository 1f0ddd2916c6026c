import { GraphError } from '../../graph/api/errors.ts';
import type { Comment, Post, Reaction } from '../docs.ts';
import { graphTime, seconds } from '../../graph/ids.ts';
import { always, edge, own, type Frame, type NodeType } from '../../graph/api/render.ts';
import { APP } from '../../graph/oauth/tokens.ts';
import { fileUrl } from '../../graph/world.ts';
import type { World } from '../world.ts';

type Args = Readonly<Record<string, string>>;

export type PostParts = Readonly<{
  comment: NodeType<Comment>;
  comments(parent: string, args: Args, now: number): readonly Comment[];
  reaction: NodeType<Reaction>;
  reactions(object: string): readonly Reaction[];
  insights(post: Post, metric: string | undefined): object;
}>;

export const numberOf = (id: string): string => id.split('_').at(-1) ?? id;

/** Reels and stories have URLs of another form. */
export function permalinkOf({ hosts, nodes }: World, post: Post): string {
  const www = hosts.www();
  if (post.story !== undefined) return `${www}/stories/${post.page_id}/${numberOf(post.id)}`;
  if (post.video !== undefined && nodes.get('video', post.video)?.made_by === 'video_reels')
    return `${www}/reel/${post.video}`;
  return `${www}/${post.id.split('_')[0]}/posts/${numberOf(post.id)}`;
}

const GONE = ['type', 'name', 'caption', 'description', 'link', 'source', 'object_id'];

function makePieces(world: World) {
  const { nodes, hosts, people } = world;

  const imageOf = (photo: string) => {
    const found = nodes.get('photo', photo);
    return found === undefined
      ? undefined
      : { height: found.height, src: fileUrl(world, found.blob), width: found.width };
  };

  const piece = (photo: string) => ({
    media_type: 'photo',
    type: 'photo',
    media: { image: imageOf(photo) },
    target: { id: photo, url: `${hosts.www()}/photo/?fbid=${photo}` },
    url: `${hosts.www()}/photo/?fbid=${photo}`,
    ...(nodes.get('photo', photo)?.caption !== undefined && { description: nodes.get('photo', photo)?.caption }),
  });

  function attachments(post: Post): object | undefined {
    const [first, ...more] = post.photos;
    if (first !== undefined && more.length > 0)
      return {
        data: [
          {
            media_type: 'album',
            type: 'album',
            title: `Photos from ${people.page(post.page_id)?.name ?? ''}'s post`,
            media: { image: imageOf(first) },
            url: permalinkOf(world, post),
            subattachments: { data: post.photos.map(piece) },
          },
        ],
      };
    if (first !== undefined) return { data: [piece(first)] };
    if (post.video !== undefined) {
      const video = nodes.get('video', post.video);
      const url = `${hosts.www()}/reel/${post.video}`;
      const media = {
        image: { height: 720, src: `${hosts.cdn()}/picture/${post.video}.png`, width: 405 },
        source: fileUrl(world, video?.blob ?? ''),
      };
      return {
        data: [
          {
            media_type: 'video',
            type: 'video_inline',
            media,
            target: { id: post.video, url },
            title: video?.title ?? '',
            url,
          },
        ],
      };
    }
    if (post.link !== undefined)
      return {
        data: [
          {
            media_type: 'link',
            type: 'share',
            title: new URL(post.link).host,
            url: post.link,
            target: { url: post.link },
          },
        ],
      };
    return undefined;
  }

  return attachments;
}

export function postNode(world: World, parts: PostParts): NodeType<Post> {
  const { people } = world;

  const attachments = makePieces(world);

  function from(post: Post, { seesPeople }: Frame): object | undefined {
    if (post.author === undefined) return { name: people.page(post.page_id)?.name, id: post.page_id };
    if (!seesPeople) return undefined;
    return { name: people.byId(post.author)?.name, id: people.psid(post.page_id, post.author) };
  }

  const gone = Object.fromEntries(
    GONE.map((name) => [
      name,
      () => {
        throw new GraphError(
          12,
          `(#12) deprecate_post_aggregated_fields_for_attachement is deprecated for versions v3.3 and higher`,
        );
      },
    ]),
  );
  const likes = (id: string) => parts.reactions(id).filter(({ type }) => type === 'LIKE');

  return {
    name: 'PagePost',
    id: ({ id }) => id,
    defaultFields: ['created_time', 'message', 'story'],
    fields: {
      ...gone,
      ...own<Post>('message', 'status_type', 'is_published'),
      ...always({ is_hidden: false, is_expired: false, story: undefined, parent_id: undefined }),
      // Nobody shares posts here, and Graph leaves out a count of zero.
      ...always({ message_tags: undefined, place: undefined, shares: undefined }),
      created_time: ({ at }) => graphTime(at),
      updated_time: ({ updated_at }) => graphTime(updated_at),
      permalink_url: (post) => permalinkOf(world, post),
      full_picture: (post) => attachmentPicture(attachments(post)),
      picture: (post) => attachmentPicture(attachments(post)),
      scheduled_publish_time: ({ scheduled_at }) => (scheduled_at === undefined ? undefined : seconds(scheduled_at)),
      promotable_id: ({ id }) => id,
      from: (post, { frame }) => from(post, frame),
      application: ({ by_app }) => (by_app ? { name: APP.name, id: APP.id } : undefined),
      attachments: (post) => attachments(post),
      comments: (post, { frame }) =>
        edge(
          parts.comment,
          `${post.id}/comments`,
          (request) => parts.comments(post.id, request, frame.now),
          (request) => ({
            order: request['order'] ?? 'chronological',
            total_count: parts.comments(post.id, request, frame.now).length,
            can_comment: true,
          }),
        ),
      reactions: (post) =>
        edge(
          parts.reaction,
          `${post.id}/reactions`,
          (args) => ofType(parts.reactions(post.id), args['type']),
          (args) => ({ total_count: ofType(parts.reactions(post.id), args['type']).length, viewer_reaction: 'NONE' }),
        ),
      likes: (post) =>
        edge(
          parts.reaction,
          `${post.id}/likes`,
          () => likes(post.id),
          () => ({
            total_count: likes(post.id).length,
            can_like: true,
            has_liked: likes(post.id).some(({ actor }) => actor === post.page_id),
          }),
        ),
      insights: (post, { args }) => parts.insights(post, args['metric']),
    },
  };
}

export function ofType(reactions: readonly Reaction[], type: string | undefined): readonly Reaction[] {
  return type === undefined || type === '' || type === 'NONE'
    ? reactions
    : reactions.filter((one) => one.type === type);
}

function attachmentPicture(attachments: object | undefined): string | undefined {
  const { data } = (attachments ?? {}) as { data?: readonly { media?: { image?: { src?: string } } }[] };
  return data?.[0]?.media?.image?.src;
}
