import type { EventName } from '../events.ts';
import { ADMINISTRATORS, type Role, scopesOf } from './roles.ts';

type NotificationWords = Readonly<{
  title: string;
  meaning: string;
  /** Whether it is only for administrators; otherwise for everybody who may change posts. */
  isForAdministrators?: boolean;
}>;

/** Notifications by mail, in the words of the dashboard. */
const NOTIFICATIONS = Object.freeze({
  posts: {
    title: 'Posts that failed',
    meaning: 'A post was not published, or not on all of its accounts.',
  },
  accounts: {
    title: 'Accounts to connect again',
    meaning: 'A platform no longer accepts the connection of an account.',
    isForAdministrators: true,
  },
  requests: {
    title: 'Requests of assistants',
    meaning: 'An assistant asks for something that a person must approve.',
  },
} as const satisfies Record<string, NotificationWords>);

export type NotificationKind = keyof typeof NOTIFICATIONS;

export const NOTIFICATION_KINDS = Object.freeze(
  Object.keys(NOTIFICATIONS) as [NotificationKind, ...NotificationKind[]],
);

/** A kind of notification in the words of the dashboard. */
export const notificationWords = (kind: NotificationKind): Readonly<{ title: string; meaning: string }> =>
  NOTIFICATIONS[kind];

/** The notifications that somebody with a role can do something about. */
export function notificationsFor(role: Role): readonly NotificationKind[] {
  const isAdministrator = ADMINISTRATORS.some((one) => one === role);
  const changes = scopesOf(role)?.includes('posts:write') ?? true;
  return NOTIFICATION_KINDS.filter((kind) =>
    'isForAdministrators' in NOTIFICATIONS[kind] ? isAdministrator : changes,
  );
}

/** A failure or request, as `emit` records it. */
type Reported = Readonly<{ name: EventName; summary: string; failed?: boolean; data: unknown }>;

const OF_EVENT: Readonly<Partial<Record<EventName, NotificationKind>>> = Object.freeze({
  'post.failed': 'posts',
  'post.partial': 'posts',
  'account.disconnected': 'accounts',
  'action.held': 'requests',
});

/** The notification about an event, in a line without texts by strangers; undefined if people need not be told of it. */
export function notificationOf({
  name,
  summary,
  failed,
  data,
}: Reported): Readonly<{ kind: NotificationKind; summary: string }> | undefined {
  const kind = OF_EVENT[name];
  if (kind === undefined || (kind !== 'requests' && failed !== true)) return undefined;
  if (name === 'post.failed') return { kind, summary: 'A post was not published.' };
  if (name === 'post.partial') return { kind, summary: 'A post was published on some of its accounts only.' };
  if (kind === 'accounts') return { kind, summary: `${summary}.` };
  const { tool } = data as Readonly<{ tool: string }>;
  return { kind, summary: `Asked for: ${tool.replaceAll('_', ' ')}` };
}
