import { isoTime } from '#kernel/clock.ts';
import { object } from '../../kit/api/checks.ts';
import { text, uriOf } from '../../atproto/formats.ts';
import type { Gates } from './gates.ts';
import type { NoticePosition, NoticeRow, Notices } from './notices.ts';
import type { People } from '../../atproto/people.ts';
import type { Records } from '../../atproto/records.ts';
import type { Relations } from './relations.ts';
import { postAt } from '../uris.ts';
import type { Views } from './views.ts';
import { invalid, procedure, query, whole, type Method } from '../../atproto/xrpc.ts';

export type NotificationsWorld = Readonly<{
  people: People;
  records: Records;
  relations: Relations;
  gates: Gates;
  notices: Notices;
  views: Views;
}>;

const TOP: NoticePosition = Object.freeze({ at: Number.MAX_SAFE_INTEGER, seq: 0 });
/** How many pages a filtered read searches before it responds. */
const MOST_PAGES = 10;

function parseCursor(cursor: string | null): NoticePosition {
  if (!cursor) return TOP;
  const [at, seq, ...more] = cursor.split('::');
  if (!/^\d{1,15}$/.test(at ?? '') || !/^\d{1,15}$/.test(seq ?? '') || more.length > 0)
    throw invalid('Malformed cursor');
  return { at: Number(at), seq: Number(seq) };
}

export function notificationMethods(world: NotificationsWorld): Readonly<Record<string, Method>> {
  const { people, records, relations, gates, notices, views } = world;

  function refuseSeenAt(params: URLSearchParams): void {
    if (params.has('seenAt')) throw invalid('The seenAt parameter is unsupported');
  }

  /** Filters are applied after paging, so a page can be shorter or longer than `limit`. */
  function read(did: string, from: NoticePosition, limit: number, wanted?: (row: NoticeRow) => boolean) {
    const most = wanted === undefined ? 1 : MOST_PAGES;
    const rows: NoticeRow[] = [];
    let next: NoticePosition | undefined = from;
    for (let page = 0; page < most && next !== undefined && rows.length < Math.ceil(limit / 2); page += 1) {
      const found = notices.list(did, next, limit);
      rows.push(...found.filter(wanted ?? Boolean));
      // Each page with notifications has a cursor; only an empty page is the last.
      next = found.at(-1);
    }
    return { rows, next };
  }

  function isVisible({ author, collection, rkey, reason, subject }: NoticeRow, viewer: string): boolean {
    if (relations.blocked(viewer, author)) return false;
    if (subject !== null && views.rowAt(subject) === undefined) return false;
    if (reason !== 'reply') return true;
    const row = records.get(author, collection, rkey);
    const root = row && views.rootUri(row);
    // Leave out a reply that the author of the thread has hidden.
    return root === undefined || postAt(root)?.who !== viewer || !gates.hides(root, uriOf(author, collection, rkey));
  }

  function draw(row: NoticeRow, viewer: string, seen: number | undefined): object[] {
    const record = records.get(row.author, row.collection, row.rkey);
    const author = people.byDid(row.author);
    if (record === undefined || author === undefined) return [];
    return [
      {
        uri: uriOf(row.author, row.collection, row.rkey),
        cid: record.shown_cid,
        author: { ...views.profileBasic(author), indexedAt: isoTime(author.created_at) },
        reason: row.reason,
        ...(row.subject !== null && { reasonSubject: row.subject }),
        record: JSON.parse(record.shown_json) as unknown,
        isRead: seen === undefined || seen > row.at,
        indexedAt: isoTime(row.at),
        labels: [],
      },
    ];
  }

  const listNotifications = query({
    auth: 'access',
    note: ({ params }) => params.getAll('reasons').join(' '),
    run({ params, session }) {
      refuseSeenAt(params);
      const limit = whole(params, 'limit', { min: 1, max: 100, or: 50 });
      const reasons = params.getAll('reasons');
      const priority = params.get('priority') === 'true';
      const from = parseCursor(params.get('cursor'));
      const viewer = session.did;
      const isWanted = (row: NoticeRow) =>
        (reasons.length === 0 || reasons.includes(row.reason)) &&
        (!priority || relations.link(viewer, 'follow', row.author) !== undefined);
      const { rows, next } = read(viewer, from, limit, reasons.length > 0 || priority ? isWanted : undefined);
      // Until the person first looks, only the newest notification counts as unread.
      const seen = notices.seen(viewer) ?? (from === TOP ? rows[0]?.at : undefined);
      const view = rows.filter((row) => isVisible(row, viewer));
      return {
        json: {
          notifications: view.flatMap((row) => draw(row, viewer, seen)),
          ...(next && { cursor: `${next.at}::${next.seq}` }),
          priority,
          ...(seen !== undefined && { seenAt: isoTime(seen) }),
        },
      };
    },
  });

  const getUnreadCount = query({
    auth: 'access',
    run({ params, session }) {
      refuseSeenAt(params);
      return { json: { count: notices.unread(session.did) } };
    },
  });

  const updateSeen = procedure<{ seenAt: string }>({
    check: object({ seenAt: text({ format: 'datetime' }) }),
    run({ input, session }) {
      notices.setSeen(session.did, Date.parse(input.seenAt));
      return {};
    },
  });

  return Object.freeze({
    'app.bsky.notification.listNotifications': listNotifications,
    'app.bsky.notification.getUnreadCount': getUnreadCount,
    'app.bsky.notification.updateSeen': updateSeen,
  });
}
