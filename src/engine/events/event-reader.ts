import { accountNamed } from '#db/access/accounts.ts';
import {
  countInboxKinds,
  countLog,
  countLogBefore,
  countLogErrors,
  listLog,
  LOG_CATEGORIES,
  type LogCount,
  type LogFilter,
} from '#db/delivery/activity.ts';
import { keptSince } from '#db/delivery/sweep.ts';
import type { LogCategory } from '#db/schema/database.ts';
import type { Store } from '#db/store/store.ts';
import type { Authority, Workspace } from '#kernel/authority.ts';
import { DAY, type Clock } from '#kernel/clock.ts';
import { fail } from '#kernel/errors.ts';
import { byCreation, type Lists, type PageQuery } from '#kernel/pagination.ts';
import { PLANS } from '#kernel/plans.ts';
import { presentEntry } from './present-entry.ts';

const INBOX_KINDS = ['comment', 'dm', 'review', 'mention'] as const;

export type EventQuery = PageQuery &
  Readonly<{
    filter: Omit<LogFilter, 'since' | 'until'> & Readonly<{ from?: number | undefined; to?: number | undefined }>;
  }>;

/** Reads the activity log, within the plan's retention. */
export function makeEventReader({ store, clock, lists }: Readonly<{ store: Store; clock: Clock; lists: Lists }>) {
  return Object.freeze({
    async list(authority: Authority, workspace: Workspace, { filter: given, ...query }: EventQuery) {
      const page = await lists.page(query, {
        name: 'events',
        given,
        async read({ from = 0, to: until, ...filter }, span) {
          if (filter.accountId !== undefined) await accountNamed(store.db, authority, filter.accountId);
          const since = Math.max(from, keptSince(workspace.plan, clock.now()));
          return listLog(store.db, authority, { ...filter, since, until }, span);
        },
        position: byCreation,
        show: (rows) => rows.map(presentEntry),
      });
      return { events: page.data, ...page, retention_days: daysOf(workspace) };
    },

    /** A summary of a period, with the previous period of the same length. */
    async summary(
      authority: Authority,
      workspace: Workspace,
      request: Readonly<{ from?: number | undefined; to?: number | undefined }>,
    ) {
      const now = clock.now();
      const to = request.to ?? now;
      const from = request.from ?? to - DAY;
      if (from > to) {
        const end = request.to === undefined ? 'now' : 'to';
        fail('validation.field_invalid', { message: `from is later than ${end}.`, meta: { field: 'from' } });
      }
      const kept = keptSince(workspace.plan, now);
      const span = { since: Math.max(from, kept), until: to };
      const [counts, kinds, errors, before] = await Promise.all([
        countLog(store.db, authority, span),
        countInboxKinds(store.db, authority, span, INBOX_KINDS),
        countLogErrors(store.db, authority, span),
        countLogBefore(store.db, authority, Math.max(from - (to - from), kept), from),
      ]);
      const inCategory = (category: LogCategory) => sum(counts.filter((count) => count.category === category));
      return {
        total: sum(counts),
        total_previous: before,
        failed: sum(counts.filter(({ status }) => status === 'failed')),
        by_category: Object.fromEntries(LOG_CATEGORIES.map((category) => [category, inCategory(category)])),
        by_error_category: Object.fromEntries(errors.map(({ error_category, n }) => [error_category!, n])),
        inbox_breakdown: kinds,
        retention_days: daysOf(workspace),
      };
    },
  });
}

const daysOf = ({ plan }: Workspace) => PLANS[plan].limits.event_retention_days;

const sum = (counts: readonly LogCount[]) => counts.reduce((total, { n }) => total + n, 0);
