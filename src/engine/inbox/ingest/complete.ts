import type { AccountRow } from '#db/access/accounts.ts';
import { loadComment } from '#db/inbox/comments.ts';
import { loadMention } from '#db/inbox/mentions.ts';
import { loadMessage } from '#db/inbox/messages.ts';
import { loadReview } from '#db/inbox/reviews.ts';
import type { Store } from '#db/store/store.ts';
import type { Db } from '#db/store/tx.ts';
import type { Sessions } from '#call/ports.ts';
import type { Clock } from '#kernel/clock.ts';
import { chunksOf } from '#kernel/limits/chunks.ts';
import type { Log } from '#kernel/log.ts';
import { PlatformError } from '#platforms/errors.ts';
import type { InboundEvent } from '#platforms/inbound.ts';
import type { Push } from '#platforms/push.ts';

/** Concurrent lookups, and the time that one webhook may spend on them. */
const ABREAST = 4;
const BUDGET_MS = 60_000;

type CompletingDeps = Readonly<{ store: Store; sessions: Pick<Sessions, 'use'>; clock: Clock; log: Log }>;

/** Until when a webhook's lookups may start (milliseconds); 0 after a failure other than a refusal of one item. */
export type Budget = { until: number };

/** Looks up what a webhook leaves out. If that fails, stores the event as received, or throws if it is only an id. */
export function makeCompleting({ store, sessions, clock, log }: CompletingDeps) {
  async function fetchMissing(
    account: AccountRow,
    complete: NonNullable<Push['complete']>,
    event: InboundEvent,
    budget: Budget,
  ) {
    // A review of which only the id was sent cannot be stored without the lookup, so the webhook is retried.
    const isNamed = event.kind === 'review_named';
    if (isNamed && clock.now() >= budget.until) throw new Error('no time left to read what a push names');
    if (clock.now() >= budget.until || (await isStored(store.db, account.id, event))) return event;
    try {
      return await sessions.use(account, (call) => complete(call, event));
    } catch (error) {
      if (isNamed) throw error;
      if (!(error instanceof PlatformError && error.kind === 'refused' && error.reason !== 'auth')) budget.until = 0;
      log.info({ account_id: account.id, platform: account.platform, event: event.kind, error }, 'push not completed');
      return event;
    }
  }

  return Object.freeze({
    budget: (): Budget => ({ until: clock.now() + BUDGET_MS }),

    async complete(
      account: AccountRow,
      push: Push,
      events: readonly InboundEvent[],
      budget: Budget,
    ): Promise<readonly InboundEvent[]> {
      const { complete } = push;
      if (complete === undefined) return events;
      const whole: InboundEvent[] = [];
      for (const some of chunksOf(events, ABREAST))
        whole.push(...(await Promise.all(some.map((event) => fetchMissing(account, complete, event, budget)))));
      return whole;
    },
  });
}

/** Whether an event is stored already, or needs no lookup. */
async function isStored(db: Db, accountId: string, event: InboundEvent): Promise<boolean> {
  switch (event.kind) {
    case 'comment':
      return event.edited !== true && (await loadComment(db, accountId, event.comment.platform_id)) !== undefined;
    case 'mention':
      return (await loadMention(db, accountId, event.mention.platform_id)) !== undefined;
    case 'review':
      return (await loadReview(db, accountId, event.review.platform_id)) !== undefined;
    case 'review_named':
      return false;
    case 'message':
      return hasMessage(db, accountId, event.message.platform_id);
    case 'postback':
    case 'referral':
      return hasMessage(db, accountId, event.platform_id);
    default:
      return true;
  }
}

/** Whether the message itself is stored, and not only a change that arrived before it. */
async function hasMessage(db: Db, accountId: string, platformId: string): Promise<boolean> {
  const stored = await loadMessage(db, accountId, platformId);
  return stored !== undefined && (stored.conversation_id !== '' || stored.gone_at !== null);
}
