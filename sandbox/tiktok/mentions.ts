import type { Comments } from './comments.ts';
import type { Mention, Post } from './docs.ts';
import type { Publications } from './publications.ts';
import type { Events } from './pushes.ts';
import { newId, type Names, type World } from './world.ts';

export function makeMentions(
  { docs, options: { clock } }: World,
  names: Names,
  { events, comments, publications }: Readonly<{ events: Events; comments: Comments; publications: Publications }>,
) {
  return Object.freeze({
    of: (account: string, kind: Mention['kind']): readonly Mention[] =>
      docs.list('mention', { page: account }).filter((mention) => mention.kind === kind),
    /** Adds a mention, as a comment on a post or as a post. Inside a transaction. */
    make(person: string, account: string, text: string, on?: Post): Mention {
      const words = text.includes('@') ? text : `@${names.creator(account).handle} ${text}`;
      const about = {
        kind: 'video',
        title: '',
        text: words,
        privacy: 'PUBLIC_TO_EVERYONE',
        forbids: [],
        more: {},
      } as const;
      const post = on ?? publications.newPost(person, about, [], false, clock.now());
      const comment = on === undefined ? undefined : comments.say(on, person, words);
      const kind = comment === undefined ? 'video' : 'comment';
      const content = comment && { comment: comment.id };
      events.business(account, 'BRAND_MENTION', `brand_mention.${kind}`, {
        item_id: events.id(post.id),
        ...(comment && { comment_id: events.id(comment.id) }),
      });
      return docs.put('mention', { id: newId(), at: clock.now(), page_id: account, kind, post: post.id, ...content });
    },
  });
}
