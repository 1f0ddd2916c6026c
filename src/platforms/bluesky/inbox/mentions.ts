import type { Mentions } from '../../interactions.ts';
import { TEXT } from '../posts/rules.ts';
import { MENTIONS, postsOf, readNotices } from './notifications.ts';
import { reply } from './replies.ts';
import { mentionOf } from './views.ts';

/** Posts and replies that mention the account or quote one of its posts. */
export const mentions = Object.freeze<Mentions>({
  text: TEXT,
  async list(call, { limit, cursor, since = -Infinity }) {
    const page = await readNotices(call, MENTIONS, { limit, cursor });
    const postOf = await postsOf(call, page.notices);
    const items = page.notices.flatMap(({ uri }) => {
      const post = postOf(uri);
      return post ? [mentionOf(call, post)] : [];
    });
    return {
      items: items.filter(({ created_at }) => created_at > since),
      cursor: page.oldest <= since ? undefined : page.cursor,
    };
  },
  reply,
});
