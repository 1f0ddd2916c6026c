/** What is said on Threads, by the app and without it. */
import { newId, newNumber } from '../graph/ids.ts';
import { isLive, isReply } from './docs.ts';
import type { Draft, Post } from './docs.ts';
import type { Notices } from './notices.ts';
import type { World } from './world.ts';

export type Posts = ReturnType<typeof makePosts>;

/** Posts and answers as they are made, changed and taken away; each is called inside a transaction. */
export function makePosts(world: World, notices: Notices) {
  const { nodes, clock, settings } = world;

  const live = (where: Readonly<{ page?: string; parent?: string }>) => nodes.list('post', where).filter(isLive);

  function create(author: string, draft: Draft, by_app = false): Post {
    const { text, media = [], reply_to, audience = 'everyone', ...rest } = draft;
    const id = newId();
    const at = clock.now();
    const post = nodes.put('post', {
      ...rest,
      id,
      at,
      page_id: author,
      parent_id: reply_to ?? '',
      root: reply_to === undefined ? id : (nodes.get('post', reply_to)?.root ?? reply_to),
      text,
      media,
      audience,
      by_app,
      is_hidden: false,
      shortcode: Buffer.from(newNumber()).toString('base64url'),
      seen_from: at + settings.get('read_lag_ms'),
      views: 0,
      likes: [],
      versions: [{ action: 'create', at, record: draft }],
    });
    notices.published(post);
    return post;
  }

  function remove(id: string): Post {
    const at = clock.now();
    const versions = [...(nodes.get('post', id)?.versions ?? []), { action: 'delete' as const, at, record: null }];
    const post = nodes.change('post', id, { deleted_at: at, versions });
    notices.removed(post);
    return post;
  }

  return Object.freeze({
    create,
    remove,
    hide: (id: string, is_hidden: boolean) => nodes.change('post', id, { is_hidden }),
    like(id: string, person: string) {
      const likes = new Set(nodes.get('post', id)?.likes).add(person);
      return nodes.change('post', id, { likes: [...likes] });
    },
    /** What somebody said, oldest first: posts, or answers to others. */
    of: (person: string, replies = false) => live({ page: person }).filter((post) => isReply(post) === replies),
    answers: (id: string) => live({ parent: id }),
    /** Everything below a post, whatever it answers. */
    conversation: (root: string) =>
      nodes.list('post').filter((post) => post.root === root && isReply(post) && isLive(post)),
    everything: () => live({}),
  });
}
