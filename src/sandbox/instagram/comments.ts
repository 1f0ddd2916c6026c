/** Comments and the one level of answers below them: how they are stored, shown, reported and moderated. */
import { edge, inner } from '../graph/api/render.ts';
import type { Look } from '../graph/api/render.ts';
import { badParam, GraphError, unknownObject } from '../graph/api/errors.ts';
import { graphTime, newNumber } from '../graph/ids.ts';
import type { Page } from '../graph/docs.ts';
import type { PrivateReplies } from '../graph/messaging/messages.ts';
import { drawList, drawOne, live, pageAt, seen } from '../graph/world.ts';
import type { Call, Methods } from '../graph/world.ts';
import type { Comment, Media } from './docs.ts';
import { isLive } from './docs.ts';
import type { Notices } from './notices.ts';
import type { Posts } from './posts.ts';
import { mayRead, mayWrite } from './world.ts';
import type { Login, World } from './world.ts';

const WEEK = 7 * 86_400_000;
const LONGEST = 300;
const MOST_LISTED = 50;

export type Comments = ReturnType<typeof makeComments>;
type Said = Readonly<{ about: string; text: string; author?: string | undefined; by_app: boolean }>;

/** Comments as they are stored; what changes them is called inside a transaction. */
export function makeComments(world: World, notices: Notices) {
  const { nodes, people, clock, settings } = world;

  const below = (parent: string) =>
    nodes.list('comment', { parent }).filter((one) => isLive(one) && one.seen_from <= clock.now());
  /** The post that a post or comment belongs to. */
  function postOf(id: string): Media | undefined {
    return nodes.get('media', nodes.get('comment', id)?.media_id ?? id);
  }

  function create({ about, text, author, by_app }: Said): Comment {
    const post = live(postOf(about), about, 'post');
    const parent = nodes.get('comment', about);
    // An answer to an answer stands under the first comment.
    const top = parent === undefined || parent.parent_id === post.id ? parent?.id : parent.parent_id;
    const at = clock.now();
    const comment = nodes.put('comment', {
      id: `179${newNumber().slice(1)}`,
      at,
      page_id: post.page_id,
      parent_id: top ?? post.id,
      media_id: post.id,
      ...(author !== undefined && { author }),
      by_app,
      text,
      hidden: false,
      likes: [],
      seen_from: at + settings.get('read_lag_ms'),
    });
    notices.commented(comment, post);
    return comment;
  }

  const look: Look<Comment> = {
    name: 'IGComment',
    id: ({ id }) => id,
    shown: ['timestamp', 'text'],
    fields: {
      text: ({ text }) => text,
      timestamp: ({ at }) => graphTime(at),
      username: (one) => notices.authorOf(one).username,
      from: (one) => notices.authorOf(one),
      like_count: ({ likes }) => likes.length,
      hidden: ({ hidden }) => hidden,
      parent_id: ({ parent_id, media_id }) => (parent_id === media_id ? undefined : parent_id),
      // Only of the account itself.
      user: ({ author, page_id }) => (author === undefined ? { id: page_id } : undefined),
      media: ({ media_id }) => inner(MEDIA, media_id),
      replies: ({ id }) => edge(look, `${id}/replies`, () => below(id)),
    },
  };

  return Object.freeze({
    look,
    create,
    postOf,
    below,
    /** Those of the first level, newest first. */
    listed: (media: string) => below(media).toReversed(),
    count: (media: string) => nodes.list('comment').filter((one) => one.media_id === media && isLive(one)).length,
    hide: (id: string, hidden: boolean) => nodes.change('comment', id, { hidden }),
    like(id: string, person: string, likes: boolean) {
      const all = new Set(nodes.get('comment', id)?.likes);
      if (likes) all.add(person);
      else all.delete(person);
      return nodes.change('comment', id, { likes: [...all] });
    },
    remove(id: string): void {
      for (const { id: one } of [...nodes.list('comment', { parent: id }), { id }])
        nodes.change('comment', one, { deleted_at: clock.now() });
    },
    personOf: ({ author }: Comment) => (author === undefined ? undefined : people.byId(author)),
  });
}
const MEDIA: Look<string> = Object.freeze({ name: 'IGMedia', id: (id: string) => id, shown: [], fields: {} });

/** What may be written as a comment. */
function checkText(call: Call): string {
  const text = call.params.required('message');
  if (
    text.length > LONGEST ||
    (text.match(/#[\p{L}\p{N}_]+/gu)?.length ?? 0) > 4 ||
    (text.match(/https?:\/\//g)?.length ?? 0) > 1
  )
    throw badParam('The comment is too long, or has too many hashtags or links');
  return text;
}

type Writing = Readonly<{ comments: Comments; posts: Posts; write(call: Call, about: string): object }>;

/** What only the log-in of Facebook has: likes, and answers to where the account is mentioned. */
function facebookMethods(world: World, login: Login, { comments, posts, write }: Writing): Methods {
  const { nodes, store, settings } = world;

  function like(call: Call, id: string): object {
    const { params, actor } = call;
    if (settings.get('likes_by_user_only') && actor.kind === 'page')
      throw new GraphError(190, 'A user access token is required for this call.');
    mayRead(world, login, call, pageAt(world, id).id, 'like');
    const [comment, media] = [params.text('comment_id'), params.text('media_id')];
    const thing = live(
      nodes.get(comment === undefined ? 'media' : 'comment', comment ?? media ?? ''),
      comment ?? media ?? '',
    );
    if (thing.page_id !== id || ('product' in thing && thing.product === 'STORY'))
      throw unknownObject(thing.id, 'post');
    const likes = call.verb === 'POST';
    store.write(() => (comment === undefined ? posts : comments).like(thing.id, id, likes));
    return { success: true };
  }
  const liking = { params: ['comment_id', 'media_id'], run: like };

  return {
    'POST page/likes': liking,
    'DELETE page/likes': liking,
    'POST page/mentions': {
      params: ['media_id', 'comment_id', 'message'],
      run(call: Call, id: string) {
        mayWrite(world, login, call, pageAt(world, id).id, 'comments');
        const about = call.params.text('comment_id') ?? call.params.required('media_id');
        if (comments.postOf(about)?.page_id !== id) throw unknownObject(about, 'post');
        return write(call, about);
      },
    },
  };
}

/** The methods about comments; liking is for people with Pages. */
export function commentMethods(world: World, login: Login, comments: Comments, posts: Posts): Methods {
  const { nodes, store } = world;
  const { look } = comments;

  function readable(call: Call, id: string): Comment {
    const comment = seen(world, live(nodes.get('comment', id), id));
    mayRead(world, login, call, comment.page_id, 'comments');
    return comment;
  }
  function writable(call: Call, id: string): Comment {
    const comment = live(nodes.get('comment', id), id, call.verb.toLowerCase());
    mayWrite(world, login, call, comment.page_id, 'comments');
    return comment;
  }
  function write(call: Call, about: string): object {
    const text = checkText(call);
    return { id: store.write(() => comments.create({ about, text, by_app: true })).id };
  }
  /** A page of comments is smaller than others. */
  const list = (call: Call, path: string, rows: readonly Comment[]) => {
    const limit = Math.min(Number(call.params.query['limit'] ?? MOST_LISTED), MOST_LISTED);
    const query = { ...call.params.query, limit: String(Number.isNaN(limit) ? MOST_LISTED : limit) };
    return drawList({ ...call, params: { ...call.params, query } }, look, path, rows);
  };

  return {
    'GET media/comments': {
      params: [],
      run(call: Call, id: string) {
        const media = seen(world, live(nodes.get('media', id), id));
        mayRead(world, login, call, media.page_id, 'comments');
        return list(call, `${id}/comments`, comments.listed(id));
      },
    },
    'POST media/comments': {
      params: ['message'],
      run(call: Call, id: string) {
        const media = live(nodes.get('media', id), id, 'post');
        mayWrite(world, login, call, media.page_id, 'comments');
        if (!media.comments_on) throw badParam('Comments are turned off for this media');
        return write(call, id);
      },
    },
    'GET comment': { params: [], run: (call: Call, id: string) => drawOne(call, look, readable(call, id)) },
    'GET comment/replies': {
      params: [],
      run: (call: Call, id: string) => list(call, `${readable(call, id).id}/replies`, comments.below(id)),
    },
    'POST comment/replies': {
      params: ['message'],
      run(call: Call, id: string) {
        if (writable(call, id).hidden) throw badParam('A hidden comment cannot be answered');
        return write(call, id);
      },
    },
    'POST comment': {
      params: ['hide'],
      run(call: Call, id: string) {
        const { author } = writable(call, id);
        const hide = call.params.flag('hide');
        if (hide === undefined) throw badParam('The parameter hide is required');
        // What the account itself said stays to be seen.
        if (author !== undefined) store.write(() => comments.hide(id, hide));
        return { success: true };
      },
    },
    'DELETE comment': {
      params: [],
      run(call: Call, id: string) {
        const { media_id, author } = writable(call, id);
        if (author !== undefined && nodes.get('media', media_id)?.author !== undefined)
          throw new GraphError(10, '(#10) Only comments on own media can be deleted', { status: 403 });
        store.write(() => comments.remove(id));
        return { success: true };
      },
    },
    ...(login.isFacebook && facebookMethods(world, login, { comments, posts, write })),
  };
}

const refused = (subcode: number, message: string) => new GraphError(10, `(#10) ${message}`, { subcode });

/** Private answers to comments: once each, within a week. */
export function privateReplies({ nodes, clock }: World, comments: Comments): PrivateReplies {
  const used = () => refused(2_534_025, 'The comment has had its private reply.');
  return Object.freeze({
    target(page: Page, { comment_id }: Readonly<Record<string, unknown>>) {
      if (typeof comment_id !== 'string' && typeof comment_id !== 'number') return undefined;
      const id = String(comment_id);
      const comment = live(nodes.get('comment', id), id, 'post');
      const person = comments.personOf(comment);
      if (comment.page_id !== page.id || person === undefined) throw unknownObject(id, 'post');
      if (comment.private_reply !== undefined) throw used();
      if (comment.at + WEEK <= clock.now()) throw refused(2_534_022, 'The comment is older than 7 days.');
      return { id, person };
    },
    answered(id: string, message: string | undefined) {
      if (message !== undefined) nodes.change('comment', id, { private_reply: message });
      else if (nodes.get('comment', id)?.private_reply !== undefined) throw used();
    },
  });
}
