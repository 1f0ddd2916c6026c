import type { Store } from '../../../db/store/store.ts';
import type { CrashPoint, MediaSource, PageFinder, Sessions } from '../../call/ports.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { Platforms } from '../../platforms/lookup.ts';
import { makeComments } from './read/comments.ts';
import { makeConversations } from './read/conversations.ts';
import { makeFinding } from './read/lookup.ts';
import { makeMentions } from './read/mentions.ts';
import { makeReviews } from './read/reviews.ts';
import { makeDm } from './send/messages.ts';
import { makeReplies } from './send/replies.ts';
import { makeSending } from './send/sending.ts';

export type InboxDeps = Readonly<{
  store: Store;
  sessions: Sessions;
  media: Pick<MediaSource, 'describe' | 'open'>;
  pages: Pick<PageFinder, 'resolve'>;
  platforms: Platforms;
  clock: Clock;
  log: Log;
  crash: CrashPoint;
}>;

/** What people write to connected accounts: reading it, answering it, moderating it. */
export function makeInbox(deps: InboxDeps) {
  const finding = makeFinding(deps);
  const sending = makeSending(deps);
  const conversations = makeConversations({ ...deps, finding });
  const comments = makeComments({ ...deps, finding });
  const { served: _, spotOf: __, ...commenting } = comments;

  return Object.freeze({
    conversations: { ...conversations, ...makeDm({ ...deps, finding, conversations, sending }) },
    comments: { ...commenting, ...makeReplies({ ...deps, finding, comments, sending }) },
    mentions: makeMentions({ ...deps, finding, sending }),
    reviews: makeReviews({ ...deps, finding, sending }),
    /** Removes what is remembered of sends of days ago; answers how much went. */
    sweepSends: sending.sweep,
    /** Resolves when nothing is being sent here. */
    idle: sending.idle,
  });
}

export type InboxRoom = ReturnType<typeof makeInbox>;
