import { z } from 'zod';
import { seconds } from '../../kit/ids.ts';
import { utf16 } from '../../kit/api/shapes.ts';
import type { Comment, Post } from '../docs.ts';
import { noSuchThing } from '../errors.ts';
import type { Parts } from '../parts.ts';
import { cut, makeCalls, read, some, words, type Call } from './calls.ts';

const MOST = 30;
const SHOWN_REPLIES = 3;
const CommentBody = z.looseObject({
  video_id: some,
  text: utf16(150).refine((text) => text.trim() !== '', 'must not be empty'),
});
const named = (most: number) => z.array(some).min(1).max(most).optional();

function makeView({ names, comments }: Parts) {
  return function viewOf(comment: Comment): object {
    const { id, post, page_id, parent_id, author, text, at, likes, status } = comment;
    const { handle: username, name: display_name } = names.creator(author);
    const by = {
      unique_identifier: names.uniqueId(author),
      username,
      display_name,
      profile_image: names.avatarOf(author),
    };
    const about = {
      text,
      create_time: String(seconds(at)),
      likes: likes.length,
      replies: comments.repliesTo(id).length,
    };
    const owner = { owner: author === page_id, liked: likes.includes(page_id), pinned: false, status };
    const parent = parent_id !== undefined && { parent_comment_id: parent_id };
    return { comment_id: id, video_id: post, user_id: by.unique_identifier, ...parent, ...by, ...about, ...owner };
  };
}

export function commentRoutes(parts: Parts) {
  const { world, names, posts, comments } = parts;
  const sorts = {
    likes: ({ likes }: Comment) => likes.length,
    replies: ({ id }: Comment) => comments.repliesTo(id).length,
    create_time: ({ at }: Comment) => at,
  };
  const { options } = world;
  const call = makeCalls(parts);

  const viewOf = makeView(parts);
  function postOf({ params, caller }: Call): Post {
    const found = posts.get(params.required('video_id'));
    if (found?.page_id !== caller.person) throw noSuchThing('video');
    return found;
  }
  function commentOf({ params, caller }: Call): Comment {
    const found = comments.get(params.required('comment_id'));
    if (found?.page_id !== caller.person) throw noSuchThing('comment');
    return found;
  }
  function listed(one: Call, all: readonly Comment[]): object {
    const { params } = one;
    const isAll = (params.oneOf('status', ['PUBLIC', 'ALL']) ?? 'ALL') === 'ALL';
    const by = sorts[params.oneOf('sort_field', ['likes', 'replies', 'create_time']) ?? 'create_time'];
    const order = params.oneOf('sort_order', ['asc', 'desc', 'smart']) === 'asc' ? 1 : -1;
    const ids = read(named(MOST), params.list('comment_ids'), 'comment_ids');
    const seen = all.filter(
      ({ id, status }) => (isAll || status === 'PUBLIC') && (ids === undefined || ids.includes(id)),
    );
    const sorted = seen.toSorted((a, b) => order * (by(a) - by(b)) || order * a.id.localeCompare(b.id));
    const { page, ...rest } = cut(one, sorted, MOST);
    const withReplies = (comment: Comment): object => ({
      ...viewOf(comment),
      reply_list: comments.repliesTo(comment.id).slice(0, SHOWN_REPLIES).map(viewOf),
    });
    return { comments: page.map(params.flag('include_replies') === true ? withReplies : viewOf), ...rest };
  }
  function say(one: Call, to?: Comment): object {
    const { text } = read(CommentBody, one.params.values, 'body');
    const post = postOf(one);
    if (to !== undefined && to.post !== post.id) throw noSuchThing('comment');
    if (!comments.isOpen(post)) throw words.noScope();
    const { id: comment_id, at, parent_id } = options.store.write(() => comments.say(post, post.page_id, text, to));
    const user_id = names.uniqueId(post.page_id);
    return { comment_id, video_id: post.id, user_id, create_time: seconds(at), text, parent_comment_id: parent_id };
  }
  const changes = (
    name: string,
    actions: readonly [string, string],
    run: (comment: Comment, isOn: boolean, one: Call) => unknown,
  ) =>
    call('POST', `/business/comment/${name}/`, 'comment.list.manage', (one) => {
      const action = one.params.oneOf('action', actions);
      if (action === undefined) throw words.invalid('action is missing');
      const comment = commentOf(one);
      options.store.write(() => run(comment, action === actions[0], one));
    });

  return [
    call('GET', '/business/comment/list/', 'comment.list', (one) => {
      // Replies are listed only if the call names them.
      const isNamed = one.params.list('comment_ids') !== undefined;
      const all = posts.comments(postOf(one).id);
      return listed(one, isNamed ? all : all.filter(({ parent_id }) => parent_id === undefined));
    }),
    call('GET', '/business/comment/reply/list/', 'comment.list', (one) => {
      postOf(one);
      return listed(one, comments.repliesTo(commentOf(one).id));
    }),
    call('POST', '/business/comment/create/', 'comment.list.manage', (one) => say(one)),
    call('POST', '/business/comment/reply/create/', 'comment.list.manage', (one) => say(one, commentOf(one))),
    changes('like', ['LIKE', 'UNLIKE'], (comment, isOn) => comments.like(comment, comment.page_id, isOn)),
    changes('hide', ['HIDE', 'UNHIDE'], (comment, isOn, one) => {
      if (postOf(one).id !== comment.post) throw noSuchThing('comment');
      if (comment.author === comment.page_id) throw words.noScope();
      comments.hide(comment, isOn);
    }),
    call('POST', '/business/comment/delete/', 'comment.list.manage', (one) => {
      const comment = commentOf(one);
      if (comment.author !== comment.page_id) throw words.noScope();
      options.store.write(() => comments.remove(comment));
    }),
  ];
}
