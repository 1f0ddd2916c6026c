import { setImmediate as nextTurn } from 'node:timers/promises';
import { findAccounts, noAccount } from '#db/access/accounts.ts';
import { findBrand, holdBrand } from '#db/access/brands.ts';
import { findPostingTimes, plannedTimes, putPostingTimes } from '#db/posts/posting-times.ts';
import type { Store } from '#db/store/store.ts';
import type { LogEntry } from '#db/store/tx.ts';
import type { Call } from '#call/context.ts';
import type { HeldTimes } from '#call/ports.ts';
import type { Authority } from '#kernel/authority.ts';
import { DAY, isoTime, MINUTE, type Clock } from '#kernel/clock.ts';
import { fail, noSuch } from '#kernel/errors.ts';
import {
  daysAfter,
  localDay,
  weeklyTimeAt,
  weeklyTimesOn,
  WEEKDAYS,
  type WeeklyTime,
} from '#kernel/text/local-time.ts';
import { byCodeUnits } from '#kernel/text/order.ts';

type TimesDeps = Readonly<{ store: Store; clock: Clock; heldTimes: HeldTimes }>;
type TimesCall = Pick<Call, 'authority' | 'workspace'>;
type Wanted = Readonly<{ accountIds: readonly string[]; count: number; after: number | undefined }>;

/** A post that is scheduled for the next few minutes leaves no time to look at it. */
const MARGIN_MS = 5 * MINUTE;
const SEARCHED_DAYS = 366;
/** Other requests wait for each part of a long search. */
const DAYS_AT_ONCE = 7;

/** Posting times: the weekly times to publish at, and which of them are free. */
export function makeTimes({ store, clock, heldTimes }: TimesDeps) {
  /** The times that apply to a brand, or to the workspace. */
  async function timesFor(authority: Authority, brandId: string | null) {
    const own = brandId === null ? undefined : await findPostingTimes(store.db, authority, brandId);
    const times = own ?? (await findPostingTimes(store.db, authority, null)) ?? [];
    return { times, inherited: brandId !== null && own === undefined };
  }

  async function read({ authority, workspace: { timezone } }: TimesCall, brandId: string | null) {
    if (brandId !== null && !(await findBrand(store.db, authority, brandId))) noSuch('brand', brandId);
    return { brand_id: brandId, timezone, ...(await timesFor(authority, brandId)) };
  }

  return Object.freeze({
    read,

    async replace(call: TimesCall, brandId: string | null, given: readonly WeeklyTime[]) {
      const { authority } = call;
      const { workspace } = authority;
      const row = {
        owner_id: brandId ?? workspace,
        workspace_id: workspace,
        brand_id: brandId,
        times: inOrder(given),
        updated_at: clock.now(),
      };
      await store.write(async (tx) => {
        if (brandId !== null && !(await holdBrand(tx.db, tx.dialect, authority, brandId))) noSuch('brand', brandId);
        await putPostingTimes(tx.db, row);
        await tx.log(entryFor(workspace, brandId));
      });
      return read(call, brandId);
    },

    /** The next posting times at which nothing is planned for any of the accounts; nothing is reserved. */
    async free({ authority, workspace: { timezone } }: TimesCall, { accountIds, count, after }: Wanted) {
      const accounts = await findAccounts(store.db, authority, accountIds);
      const unknown = accountIds.find((id) => !accounts.some((account) => account.id === id));
      if (unknown !== undefined) noAccount(unknown);
      const { times } = await timesFor(authority, onlyBrandOf(accounts));
      if (times.length === 0) refuseUnset();
      const now = clock.now();
      const from = Math.max(now + MARGIN_MS, (after ?? 0) + 1);
      const to = now + SEARCHED_DAYS * DAY;
      const ids = accounts.map(({ id }) => id);
      const [planned, held] = await Promise.all([
        plannedTimes(store.db, authority, ids, { from: from - MINUTE, to }),
        heldTimes(authority, ids),
      ]);
      const taken = new Set([...planned, ...held].map(minuteOf));
      const free: number[] = [];
      for await (const at of comingTimes(timezone, times, { from, to })) {
        if (!taken.has(minuteOf(at))) free.push(at);
        if (free.length === count) break;
      }
      return { timezone, times: free.map((at) => ({ scheduled_at: isoTime(at), ...weeklyTimeAt(timezone, at) })) };
    },
  });
}

/** The instants of weekly times within a period, in order, each once. */
async function* comingTimes(
  timezone: string,
  times: readonly WeeklyTime[],
  { from, to }: Readonly<{ from: number; to: number }>,
): AsyncGenerator<number> {
  if (from > to) return;
  const last = localDay(timezone, to);
  let latest = from - 1;
  for (let day = localDay(timezone, from), n = 1; day <= last; day = daysAfter(day, 1), n++) {
    for (const at of weeklyTimesOn(timezone, day, times)) {
      if (at > to) return;
      if (at <= latest) continue;
      latest = at;
      yield at;
    }
    if (n % DAYS_AT_ONCE === 0) await nextTurn();
  }
}

const minuteOf = (at: number): number => Math.floor(at / MINUTE);

/** Accounts of several brands use the times of the workspace. */
function onlyBrandOf(accounts: readonly Readonly<{ brand_id: string }>[]): string | null {
  const [brandId, ...others] = new Set(accounts.map(({ brand_id }) => brand_id));
  return brandId !== undefined && others.length === 0 ? brandId : null;
}

const orderOf = ({ day, time }: WeeklyTime): string => `${WEEKDAYS.indexOf(day)} ${time}`;

/** The times from Monday to Sunday, each once. */
function inOrder(times: readonly WeeklyTime[]): readonly WeeklyTime[] {
  const each = new Map(times.map(({ day, time }) => [orderOf({ day, time }), { day, time }]));
  return [...each].toSorted(([one], [other]) => byCodeUnits(one, other)).map(([, time]) => time);
}

function refuseUnset(): never {
  fail('resource.conflict', {
    message: 'No posting times are set for these accounts.',
    next:
      'Choose a time yourself, or set posting times under Settings in the dashboard ' +
      '(set_posting_times, PUT /v1/posting-times).',
  });
}

function entryFor(workspaceId: string, brandId: string | null): LogEntry {
  return {
    workspaceId,
    category: 'api',
    action: 'posting_times_changed',
    status: 'success',
    ...(brandId !== null && { resourceId: brandId }),
    summary: `Posting times of the ${brandId === null ? 'workspace' : 'brand'} changed`,
  };
}

export type Times = ReturnType<typeof makeTimes>;
