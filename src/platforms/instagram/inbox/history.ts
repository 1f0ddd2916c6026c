import { graphHistory } from '../../graph/history.ts';
import { postEventsOf } from '../../shared/inbox/backfill.ts';
import { ownerOf } from '../api.ts';
import { list } from '../posts/reads.ts';
import { messenger } from './messages.ts';

/** Backfills conversations, and posts with their comment counts. */
export const inbox = graphHistory({
  messenger,
  ownersOf: (call) => [ownerOf(call)],
  async posts(call, _owner, { limit, after }) {
    const { posts, cursor } = await list(call, { limit, cursor: after });
    return { events: postEventsOf(posts), after: cursor };
  },
  extent: { conversations: { limit: 20, reads: 10 }, posts: { limit: 100, reads: 5 } },
});
