import type { Inbox } from '../../inbound.ts';
import { backfillBy, postEventsOf } from '../../shared/inbox/backfill.ts';
import { list } from '../posts/reads.ts';
import { list as listMentions } from './mentions.ts';

const POSTS = 25;
const MENTIONS = 50;

/** Backfills the latest posts and mentions; new ones are pushed. */
export const inbox = Object.freeze<Inbox>({
  history: backfillBy(() => [
    { name: 'posts', read: async (call) => ({ events: postEventsOf((await list(call, { limit: POSTS })).posts) }) },
    {
      name: 'mentions',
      async read(call) {
        const { items } = await listMentions(call, { limit: MENTIONS });
        return { events: items.map((mention) => ({ kind: 'mention', mention })) };
      },
    },
  ]),
});
