import type { Call } from '../call.ts';
import type { LogEvent, OperationName } from '../operations.ts';
import { FAILED } from '../posts/states.ts';

type What = 'failed' | 'unanswered' | 'waiting';
type CountsDeps = Readonly<{
  call: Call;
  may(name: OperationName): boolean;
  later(run: () => void): void;
  /** Shows a number in the navigation; an empty text removes it. */
  show(what: What, count: string): void;
}>;

type Counted = Readonly<{ data: readonly unknown[]; pagination: Readonly<{ has_more: boolean }> }>;

/** Posts are large, and every page asks for them. */
const MOST_FAILED = 9;

/** The count that a log entry may change. */
const CHANGES: ReadonlyMap<LogEvent['category'], What> = new Map([
  ['post', 'failed'],
  ['inbox', 'unanswered'],
  ['api', 'waiting'],
]);

/** What settles an item of the inbox or opens it again. None of it makes a log entry of the category inbox. */
const ANSWERS: ReadonlySet<OperationName> = new Set([
  'approve_action',
  'delete_comment',
  'delete_review_reply',
  'hide_comment',
  'private_reply_to_comment',
  'reply_to_comment',
  'reply_to_mention',
  'reply_to_review',
  'send_dm',
  'send_whatsapp_template',
  'unhide_comment',
  'update_conversation',
]);

/** The numbers in the navigation: failed posts, items without a reply, and pending decisions. */
export function makeCounts({ call, may, later, show }: CountsDeps) {
  /** Nothing waits for people who cannot decide. */
  const shown: readonly What[] = may('approve_action') ? ['failed', 'unanswered', 'waiting'] : ['failed', 'unanswered'];
  const stale = new Set(shown);
  const lists: Readonly<Record<What, () => Promise<Counted>>> = {
    failed: () => call('list_posts', { status: [...FAILED], limit: MOST_FAILED }),
    unanswered: () => call('list_unanswered', {}),
    waiting: () => call('list_actions', { state: 'held', limit: 50 }),
  };

  async function read(what: What): Promise<void> {
    const { data, pagination } = await lists[what]();
    show(what, data.length === 0 ? '' : `${data.length}${pagination.has_more ? '+' : ''}`);
  }

  function refresh(): void {
    for (const what of stale) void read(what).catch(() => undefined);
    stale.clear();
  }

  function recount(what: What): void {
    if (!shown.includes(what)) return;
    stale.add(what);
    later(refresh);
  }

  return {
    refresh,
    /** Counts again what a log entry may have changed. */
    heard(event: LogEvent): void {
      const what = CHANGES.get(event.category);
      if (what !== undefined && (what !== 'waiting' || isAboutAssistants(event))) recount(what);
    },
    /** Counts again what an operation may have changed. */
    called: (name: OperationName): void => (ANSWERS.has(name) ? recount('unanswered') : undefined),
  };
}

/** Shows a number next to the navigation link that has a place for it. */
export function showCount(what: What, count: string): void {
  const place = document.querySelector<HTMLElement>(`.rail [data-count=${what}]`);
  if (place === null) return;
  place.hidden = count === '';
  place.querySelector('b')!.textContent = count;
}

/** Whether a log entry is about a connection or one of its requests. */
export const isAboutAssistants = ({ category, resource_id }: LogEvent): boolean =>
  category === 'api' && /^(?:act|con)_/.test(resource_id ?? '');
