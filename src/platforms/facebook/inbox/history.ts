import { cursorOf } from '../../graph/api.ts';
import { graphHistory } from '../../graph/history.ts';
import type { InboundEvent } from '../../inbound.ts';
import { sessionOf } from '../accounts/session.ts';
import { listPosts } from './feed.ts';
import { messenger } from './messages.ts';

/** Backfills the conversations and the posts (with comment counts) of every page. */
export const inbox = graphHistory({
  messenger,
  ownersOf: (call) => Object.keys(sessionOf(call.session).pages),
  async posts(call, page, paging) {
    const { posts, list } = await listPosts(call, page, paging);
    return { events: posts.map((post): InboundEvent => ({ kind: 'post', post })), after: cursorOf(list) };
  },
  extent: { conversations: { limit: 25, reads: 8 }, posts: { limit: 100, reads: 5 } },
});
