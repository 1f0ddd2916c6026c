import { newId } from '../graph/ids.ts';
import { makeAuthored } from '../graph/authored.ts';
import type { Notices } from './notices.ts';
import { isReply, type Draft, type Post, type World } from './world.ts';

export type Posts = ReturnType<typeof makePosts>;

/** Callers make changes inside a transaction. */
export function makePosts(world: World, notices: Notices) {
  const { nodes } = world;
  const authored = makeAuthored<'post', Post>(world, 'post');

  return Object.freeze({
    ...authored,
    create(author: string, draft: Draft, by_app = false): Post {
      const { text, media = [], reply_to, audience = 'everyone', ...rest } = draft;
      const id = newId();
      const root = reply_to === undefined ? id : (nodes.get('post', reply_to)?.root ?? reply_to);
      const what = { ...rest, id, page_id: author, parent_id: reply_to ?? '', root, text, media, audience };
      const post = authored.keep({ ...what, ...authored.fresh(draft), by_app, is_hidden: false });
      notices.published(post);
      return post;
    },
    remove(id: string): Post {
      const post = authored.remove(id);
      notices.removed(post);
      return post;
    },
    hide: (id: string, is_hidden: boolean) => nodes.change('post', id, { is_hidden }),
    of: (person: string, replies = false) =>
      authored.list({ page: person }).filter((post) => isReply(post) === replies),
    answers: (id: string) => authored.list({ parent: id }),
    conversation: (root: string) => authored.list().filter((post) => post.root === root && isReply(post)),
  });
}
