import type { Store } from '#db/store/store.ts';
import type { AccountFinder, CrashPoint, MediaSource, PageFinder, Sessions } from '#call/ports.ts';
import type { Sends } from '#call/sends.ts';
import type { Clock } from '#kernel/clock.ts';
import type { Lists } from '#kernel/pagination.ts';
import type { Log } from '#kernel/log.ts';
import type { Outbound } from '#kernel/net/request.ts';
import type { Platforms } from '#platforms/lookup.ts';
import type { AttachmentAddresses } from './read/attachment-addresses.ts';
import { makeAttachments } from './read/attachments.ts';
import { makeComments } from './read/comments.ts';
import { makeConversations } from './read/conversations.ts';
import { makeLookup } from './read/lookup.ts';
import { makeMentions } from './read/mentions.ts';
import { makeReviews } from './read/reviews.ts';
import { makeSearch, readWords } from './read/search.ts';
import { makeThreads } from './read/threads.ts';
import { makeUnanswered } from './read/unanswered.ts';
import { makeMentionReplies } from './send/mention-replies.ts';
import { makeMessageSending } from './send/messages.ts';
import { makeOwed } from './send/owed.ts';
import { makeReplies } from './send/replies.ts';
import { makeReviewReplies } from './send/review-replies.ts';
import { makeSending } from './send/sending.ts';
import { makeTemplateSending } from './send/templates.ts';

export type InboxDeps = Readonly<{
  store: Store;
  sessions: Sessions;
  media: Pick<MediaSource, 'describe' | 'open' | 'link' | 'unreachable'>;
  pages: Pick<PageFinder, 'resolve'>;
  platforms: Platforms;
  clock: Clock;
  log: Log;
  lists: Lists;
  crash: CrashPoint;
  outbound: Pick<Outbound, 'send'>;
  addresses: AttachmentAddresses;
  find: AccountFinder;
}>;

/** The inbox: reads, answers and moderates what people write to connected accounts. */
export function makeInbox(deps: InboxDeps) {
  const lookup = makeLookup(deps);
  const sending = makeSending(deps);
  const conversations = makeConversations({ ...deps, lookup });
  const comments = makeComments({ ...deps, lookup });
  const { served: _, commentRefOf: __, ...commenting } = comments;

  return Object.freeze({
    conversations: { ...conversations, ...makeMessageSending({ ...deps, lookup, conversations, sending }) },
    templates: makeTemplateSending({ ...deps, lookup, sending }),
    comments: { ...commenting, ...makeReplies({ ...deps, lookup, comments, sending }) },
    attachments: makeAttachments({ ...deps, lookup }),
    mentions: { ...makeMentions({ ...deps, lookup }), ...makeMentionReplies({ ...deps, lookup, sending }) },
    reviews: { ...makeReviews({ ...deps, lookup }), ...makeReviewReplies({ ...deps, lookup, sending }) },
    threads: makeThreads({ ...deps, lookup, conversations }),
    unanswered: makeUnanswered({ ...deps, lookup }),
    search: makeSearch({ ...deps, lookup }),
    owed: makeOwed({ ...deps, lookup, conversations }),
    sends: { send: sending.send, settle: sending.settle } satisfies Sends,
    mayHaveHappened: sending.mayHaveHappened,
    /** Deletes stored sends that are a few days old; returns how many. */
    sweepSends: sending.sweep,
    /** Indexes some rows that were stored before the search existed; false when none are left. */
    readWords: (table: string) => readWords(deps.store, table),
    idle: sending.idle,
  });
}

export type InboxModule = ReturnType<typeof makeInbox>;
