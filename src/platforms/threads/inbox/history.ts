import type { Inbox } from '../../inbound.ts';
import { postEventsOf } from '../../shared/inbox/backfill.ts';
import { unlessRefused } from '../../shared/errors.ts';
import { list } from '../posts/reads.ts';
import { list as listMentions } from './mentions.ts';

const POSTS = 25;
const MENTIONS = 50;

/** Backfill: the latest posts and mentions. What is new is pushed. */
export const inbox = Object.freeze<Inbox>({
  async history(call) {
    const { posts } = await list(call, { limit: POSTS });
    const mentioned = (await unlessRefused(listMentions(call, { limit: MENTIONS })))?.items ?? [];
    const mentions = mentioned.map((mention) => ({ kind: 'mention', mention }) as const);
    return { events: [...postEventsOf(posts), ...mentions], cursor: null, more: false };
  },
});
