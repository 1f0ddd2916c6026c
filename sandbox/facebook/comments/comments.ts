import { badParam, unknownObject } from '../../graph/api/errors.ts';
import type { Comment, Post, Reaction } from '../docs.ts';
import { graphTime, newNumber } from '../../graph/ids.ts';
import { numberOf, ofType, type PostParts } from '../posts/post-node.ts';
import { always, edge, inner, own, type NodeType } from '../../graph/api/render.ts';
import { isRepliable } from '../../graph/messaging/private.ts';
import { fileUrl, pictureUrl } from '../../graph/world.ts';
import type { Feed } from '../updates.ts';
import type { World } from '../world.ts';

const FILTERS = Object.freeze(['toplevel', 'stream'] as const);
const ORDERS = Object.freeze(['chronological', 'reverse_chronological', 'ranked'] as const);

export type Comments = Readonly<{
  look: NodeType<Comment>;
  reaction: NodeType<Reaction>;
  list: PostParts['comments'];
  reactions: PostParts['reactions'];
  /** Writes a comment by a person, or by the Page if there is no `author`. */
  create(
    draft: Pick<Comment, 'message' | 'by_app' | 'author' | 'attachment' | 'attachment_type'> & { about: string },
  ): Comment;
  edit(id: string, message: string): Comment;
  hide(id: string, isHidden: boolean): void;
  remove(id: string): void;
  react(object: string, actor: string, type: string | undefined): void;
  /** The post to which a comment belongs. Comments on photos and videos belong to their post. */
  postUnder(id: string): Post | undefined;
}>;

function makeReactions(world: World) {
  const { nodes, people } = world;

  const reactions = (object: string) => nodes.list('reaction', { parent: object });

  const reaction: NodeType<Reaction> = {
    name: 'Profile',
    id: ({ page_id, actor }) => (actor === page_id ? page_id : people.psid(page_id, actor)),
    defaultFields: ['name'],
    fields: {
      name: ({ actor }) => people.page(actor)?.name ?? people.byId(actor)?.name,
      type: ({ type }) => type,
    },
  };

  return Object.freeze({ reactions, reaction });
}

function attachmentOf(world: World, { id, attachment, attachment_type: type = 'photo' }: Comment): object | undefined {
  if (attachment === undefined && type === 'photo') return undefined;
  const url = attachment === undefined ? pictureUrl(world, id) : fileUrl(world, attachment);
  if (type === 'poll') return { type };
  return { media: { image: { src: url }, ...(type.startsWith('video') && { source: url }) }, type, url };
}

function makeLooking(world: World) {
  const { nodes, people, hosts } = world;

  function postUnder(id: string): Post | undefined {
    const found = nodes.find(id);
    if (found?.kind === 'post') return found.doc;
    if (found?.kind === 'comment') return nodes.get('post', found.doc.post_id);
    const post_id = found?.kind === 'photo' || found?.kind === 'video' ? found.doc.post_id : undefined;
    return post_id === undefined ? undefined : nodes.get('post', post_id);
  }

  const isLive = (comment: Comment | undefined, now: number) =>
    comment !== undefined && comment.deleted_at === undefined && comment.seen_from <= now;

  function list(parent: string, { filter, order }: Readonly<Record<string, string>>, now: number): readonly Comment[] {
    if (filter !== undefined && !(FILTERS as readonly string[]).includes(filter))
      throw badParam(`Param filter must be one of {${FILTERS.join(', ')}} - got "${filter}"`);
    if (order !== undefined && !(ORDERS as readonly string[]).includes(order))
      throw badParam(`Param order must be one of {${ORDERS.join(', ')}} - got "${order}"`);
    const post = postUnder(parent);
    const about = nodes.get('comment', parent) === undefined ? (post?.id ?? parent) : parent;
    const near = nodes.list('comment', { parent: about });
    const all =
      filter === 'stream' && about === post?.id
        ? near.flatMap((one) => [one, ...nodes.list('comment', { parent: one.id })])
        : near;
    const rows = all.filter((one) => isLive(one, now)).toSorted((a, b) => a.at - b.at);
    return order === 'reverse_chronological' ? rows.toReversed() : rows;
  }

  const { reactions, reaction } = makeReactions(world);

  const look: NodeType<Comment> = {
    name: 'Comment',
    id: ({ id }) => id,
    defaultFields: ['created_time', 'from', 'message'],
    fields: {
      ...own<Comment>('message', 'is_hidden'),
      ...always({ message_tags: undefined, can_remove: true, can_comment: true, can_like: true }),
      created_time: ({ at }) => graphTime(at),
      // Only a Page token may see the author.
      from: ({ page_id, author }, { frame }) => {
        if (author === undefined) return { name: people.page(page_id)?.name, id: page_id };
        const id = people.psid(page_id, author);
        return frame.seesPeople
          ? { name: people.byId(author)?.name, id, picture: { data: { url: `${hosts.cdn()}/picture/${id}.png` } } }
          : undefined;
      },
      parent: ({ parent_id }) => {
        const parent = nodes.get('comment', parent_id);
        return parent === undefined ? undefined : inner(look, parent);
      },
      object: ({ post_id }) => ({ id: post_id }),
      attachment: (comment) => attachmentOf(world, comment),
      can_hide: ({ author }) => author !== undefined,
      can_reply_privately: (comment) => isRepliable(world, comment),
      comment_count: ({ id }, { frame }) => list(id, {}, frame.now).length,
      like_count: ({ id }) => ofType(reactions(id), 'LIKE').length,
      user_likes: ({ id, page_id }) => reactions(id).some(({ actor }) => actor === page_id),
      permalink_url: ({ post_id, id }) =>
        `${hosts.www()}/${post_id.split('_')[0]}/posts/${numberOf(post_id)}?comment_id=${numberOf(id)}`,
      comments: ({ id }, { frame }) =>
        edge(
          look,
          `${id}/comments`,
          (args) => list(id, args, frame.now),
          () => ({ order: 'chronological', total_count: list(id, {}, frame.now).length }),
        ),
      likes: ({ id }) =>
        edge(
          reaction,
          `${id}/likes`,
          () => ofType(reactions(id), 'LIKE'),
          () => ({ total_count: ofType(reactions(id), 'LIKE').length }),
        ),
      reactions: ({ id }) =>
        edge(
          reaction,
          `${id}/reactions`,
          ({ type }) => ofType(reactions(id), type),
          () => ({ total_count: reactions(id).length }),
        ),
    },
  };

  return Object.freeze({ postUnder, list, reactions, reaction, look });
}

export function makeComments(world: World, feed: Feed): Comments {
  const { nodes, clock, settings } = world;

  const { postUnder, list, reactions, reaction, look } = makeLooking(world);

  function create({ about, message, by_app, ...more }: Parameters<Comments['create']>[0]): Comment {
    const post = postUnder(about);
    if (post === undefined) throw unknownObject(about, 'post');
    const parent = nodes.get('comment', about);
    // There is only one level of replies, so a reply to a reply belongs to the first comment.
    const first = (one: Comment) => (nodes.get('comment', one.parent_id) === undefined ? one.id : one.parent_id);
    const parent_id = parent === undefined ? post.id : first(parent);
    const now = clock.now();
    const comment = nodes.put('comment', {
      id: `${numberOf(post.id)}_${newNumber()}`,
      at: now,
      page_id: post.page_id,
      post_id: post.id,
      parent_id,
      message,
      by_app,
      is_hidden: false,
      seen_from: now + settings.get('read_lag_ms'),
      ...more,
    });
    feed.comment(comment, 'add');
    return comment;
  }
  function edit(id: string, message: string): Comment {
    const comment = nodes.change('comment', id, { message, edited_at: clock.now() });
    feed.comment(comment, 'edited');
    return comment;
  }
  function hide(id: string, is_hidden: boolean): void {
    if (nodes.get('comment', id)?.is_hidden === is_hidden) return;
    feed.comment(nodes.change('comment', id, { is_hidden }), is_hidden ? 'hide' : 'unhide');
  }
  function remove(id: string): void {
    const gone = nodes.change('comment', id, { deleted_at: clock.now() });
    for (const answer of nodes.list('comment', { parent: id }))
      nodes.change('comment', answer.id, { deleted_at: clock.now() });
    feed.comment(gone, 'remove');
  }
  function react(object: string, actor: string, type: string | undefined): void {
    const post = postUnder(object);
    if (post === undefined) throw unknownObject(object, 'post');
    const id = `reaction ${object} ${actor}`;
    const old = nodes.get('reaction', id);
    if (old?.type === type) return;
    const comment = nodes.get('comment', object);
    const about = {
      page_id: post.page_id,
      post_id: post.id,
      parent_id: comment?.parent_id ?? post.id,
      ...(comment !== undefined && { comment_id: comment.id }),
    };
    if (type === undefined) nodes.remove('reaction', id);
    else nodes.put('reaction', { id, at: clock.now(), page_id: post.page_id, parent_id: object, actor, type });
    const change = old === undefined ? 'add' : 'edit';
    feed.reaction(about, actor, type ?? old?.type ?? 'LIKE', type === undefined ? 'remove' : change);
  }

  return Object.freeze({ look, reaction, list, reactions, create, edit, hide, remove, react, postUnder });
}
