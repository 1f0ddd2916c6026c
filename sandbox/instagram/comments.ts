/** Stores, shows, reports and moderates comments, which have one level of replies. */
import { bareLook, edge, inner, own, lookOf, type NodeType } from '../graph/api/render.ts';
import { badParam, GraphError, unknownObject } from '../graph/api/errors.ts';
import { graphTime, newNumber } from '../graph/ids.ts';
import type { PrivateReplies } from '../graph/messaging/messages.ts';
import { privateReplies } from '../graph/messaging/private.ts';
import { makeAuthored } from '../graph/authored.ts';
import { drawList, drawOne, live, type Call, type Methods } from '../graph/world.ts';
import type { Comment, Media } from './docs.ts';
import type { Notices } from './notices.ts';
import type { Posts } from './posts.ts';
import { methodsOf, type Login, type World } from './world.ts';

const LONGEST = 300;
/** Pages of comments are smaller than other pages. */
const SIZES = Object.freeze([50, 50] as const);
const MEDIA = bareLook('IGMedia');

export type Comments = ReturnType<typeof makeComments>;
type Words = Readonly<{ about: string; text: string; author?: string | undefined; by_app: boolean }>;

export function makeComments(world: World, notices: Notices) {
  const { nodes } = world;
  const authored = makeAuthored<'comment', Comment>(world, 'comment');
  const below = (parent: string) => authored.list({ parent }).filter(authored.isSeen);
  const postOf = (id: string): Media | undefined => nodes.get('media', nodes.get('comment', id)?.media_id ?? id);

  function create({ about, text, author, by_app }: Words): Comment {
    const post = live(postOf(about), about, 'post');
    const parent = nodes.get('comment', about);
    // A reply to a reply belongs to the first comment.
    const top = parent === undefined || parent.parent_id === post.id ? parent?.id : parent.parent_id;
    const id = `179${newNumber().slice(1)}`;
    const where = { page_id: post.page_id, parent_id: top ?? post.id, media_id: post.id };
    const comment = authored.keep({ ...where, id, author, by_app, text, hidden: false });
    notices.commented(comment, post);
    return comment;
  }

  const look: NodeType<Comment> = lookOf<Comment>(
    'IGComment',
    {
      ...own<Comment>('text', 'hidden'),
      timestamp: ({ at }) => graphTime(at),
      username: (one) => notices.authorOf(one).username,
      from: (one) => notices.authorOf(one),
      like_count: ({ likes }) => likes.length,
      parent_id: ({ parent_id, media_id }) => (parent_id === media_id ? undefined : parent_id),
      // Only shown for comments of the account itself.
      user: ({ author, page_id }) => (author === undefined ? { id: page_id } : undefined),
      media: ({ media_id }) => inner(MEDIA, media_id),
      replies: ({ id }) => edge(look, `${id}/replies`, () => below(id)),
    },
    ['timestamp', 'text'],
  );

  return Object.freeze({
    ...authored,
    look,
    create,
    postOf,
    below,
    /** Comments on the post itself, newest first. */
    listed: (media: string) => below(media).toReversed(),
    count: (media: string) => authored.list().filter((one) => one.media_id === media).length,
    hide: (id: string, hidden: boolean) => nodes.change('comment', id, { hidden }),
    remove(id: string): void {
      for (const { id: one } of [...nodes.list('comment', { parent: id }), { id }]) authored.remove(one);
    },
  });
}

function checkText(call: Call): string {
  const text = call.params.required('message');
  const isFull = (mark: RegExp, most: number) => (text.match(mark)?.length ?? 0) > most;
  if (text.length > LONGEST || isFull(/#[\p{L}\p{N}_]+/gu, 4) || isFull(/https?:\/\//g, 1))
    throw badParam('The comment is too long, or has too many hashtags or links');
  return text;
}

type Parts = Readonly<{ comments: Comments; posts: Posts }>;

/** Methods for comments. Only people with Pages can like, or reply to mentions. */
export function commentMethods(world: World, login: Login, { comments, posts }: Parts): Methods {
  const { nodes, store, settings } = world;
  const { look } = comments;
  const { reads, writes, changes, switches, readsOf, writesOf } = methodsOf(world, login);
  const RIGHT = 'comments';
  const list = (call: Call, path: string, rows: readonly Comment[]) =>
    drawList(call, look, path, rows, { sizes: SIZES });
  function write(call: Call, about: string): object {
    const text = checkText(call);
    return { id: store.write(() => comments.create({ about, text, by_app: true })).id };
  }

  const liking = readsOf('like', ['comment_id', 'media_id'], ({ params, actor, verb }, account) => {
    if (settings.get('likes_by_user_only') && actor.kind === 'page')
      throw new GraphError(190, 'A user access token is required for this call.');
    const [comment, media = ''] = [params.text('comment_id'), params.text('media_id')];
    const thing = live(nodes.get(comment === undefined ? 'media' : 'comment', comment ?? media), comment ?? media);
    if (thing.page_id !== account || ('product' in thing && thing.product === 'STORY'))
      throw unknownObject(thing.id, 'post');
    store.write(() => (comment === undefined ? posts : comments).like(thing.id, account, verb === 'POST'));
    return { success: true };
  });
  const mentions = writesOf(RIGHT, ['media_id', 'comment_id', 'message'], (call, account) => {
    const about = call.params.text('comment_id') ?? call.params.required('media_id');
    if (comments.postOf(about)?.page_id !== account) throw unknownObject(about, 'post');
    return write(call, about);
  });

  return {
    'GET media/comments': reads('media', RIGHT, [], (call, { id }) =>
      list(call, `${id}/comments`, comments.listed(id)),
    ),
    'POST media/comments': writes('media', RIGHT, ['message'], (call, { id, comments_on }) => {
      if (!comments_on) throw badParam('Comments are turned off for this media');
      return write(call, id);
    }),
    'GET comment': reads('comment', RIGHT, [], (call, comment) => drawOne(call, look, comment)),
    'GET comment/replies': reads('comment', RIGHT, [], (call, { id }) =>
      list(call, `${id}/replies`, comments.below(id)),
    ),
    'POST comment/replies': writes('comment', RIGHT, ['message'], (call, { id, hidden }) => {
      if (hidden) throw badParam('A hidden comment cannot be answered');
      return write(call, id);
    }),
    // The account's own comments cannot be hidden.
    'POST comment': switches('comment', RIGHT, 'hide', (_call, { id, author }, hide) => {
      if (author !== undefined) comments.hide(id, hide);
    }),
    'DELETE comment': changes('comment', RIGHT, [], (_call, { id, media_id, author }) => {
      if (author !== undefined && nodes.get('media', media_id)?.author !== undefined)
        throw new GraphError(10, '(#10) Only comments on own media can be deleted', { status: 403 });
      comments.remove(id);
    }),
    ...(login.isFacebook && { 'POST page/likes': liking, 'DELETE page/likes': liking, 'POST page/mentions': mentions }),
  };
}

const refused = (subcode: number, message: string) => new GraphError(10, `(#10) ${message}`, { subcode });

export const instagramReplies = (world: World): PrivateReplies =>
  privateReplies(
    world,
    ({ comment_id }) => {
      if (typeof comment_id !== 'string' && typeof comment_id !== 'number') return undefined;
      return { id: String(comment_id), thing: world.nodes.get('comment', String(comment_id)) };
    },
    {
      used: () => refused(2_534_025, 'The comment has had its private reply.'),
      late: () => refused(2_534_022, 'The comment is older than 7 days.'),
      nobody: (id) => unknownObject(id, 'post'),
    },
  );
