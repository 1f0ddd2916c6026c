import type { Operation } from '../lib/frame/may.ts';
import type { LogEvent } from '../lib/operations.ts';

/** Pages for keys, settings, exports and the like, by the prefix of their actions, and what one needs to open them. */
export const BY_ACTION: readonly (readonly [begin: string, href: string, needs: Operation])[] = [
  ['key_', '/dashboard/keys', 'list_keys'],
  ['redirect_uri_', '/dashboard/redirect-uris', 'list_redirect_uris'],
  ['saved_reply_', '/dashboard/replies', 'list_saved_replies'],
  ['export_', '/dashboard/exports', 'list_exports'],
  ['migration_', '/dashboard/migration', 'get_migration'],
  ['connection_', '/dashboard/assistants', 'list_connections'],
  ['app_', '/dashboard/accounts', 'list_accounts'],
  ['person_', '/dashboard/people', 'list_people'],
];
const ACTION_EVENT = /^action\./;
const GONE = 'deleted';

/** The page that an entry is about; undefined for people who may not open it. */
export function placeOf(
  { category, action, resource_id, account_id, metadata }: LogEvent,
  may: (operation: Operation) => boolean,
): string | undefined {
  const event = typeof metadata['event'] === 'string' ? metadata['event'] : '';
  if (ACTION_EVENT.test(event)) return may('approve_action') ? '/dashboard/assistants' : undefined;
  const named = BY_ACTION.find(([begin]) => action.startsWith(begin));
  if (named !== undefined) return may(named[2]) ? named[1] : undefined;
  if (resource_id === null || action === GONE) return undefined;
  const id = encodeURIComponent(resource_id);
  switch (category) {
    case 'post':
      return `/dashboard/posts/${id}`;
    case 'webhook':
      return may('list_webhooks') ? `/dashboard/webhooks/${id}${deliveryOf(metadata['delivery_id'])}` : undefined;
    case 'account':
      return '/dashboard/accounts';
    case 'inbox':
      return account_id === null ? undefined : inboxPlace(event, account_id, resource_id);
    case 'api':
      return undefined;
  }
}

const deliveryOf = (id: unknown): string =>
  typeof id === 'string' ? `?delivery=${encodeURIComponent(id)}#deliveries` : '';

/** Only status events name a conversation; other messages lead to the account's conversations. */
function inboxPlace(event: string, accountId: string, id: string): string {
  const [kind = ''] = event.split('.');
  const item = (what: string) => `/dashboard/inbox?item=${encodeURIComponent(`${what}:${accountId}:${id}`)}`;
  if (kind === 'comment' || kind === 'mention' || kind === 'review') return item(kind);
  if (event.startsWith('dm.status.')) return item('conversation');
  return `/dashboard/inbox?view=messages&account=${encodeURIComponent(accountId)}`;
}
