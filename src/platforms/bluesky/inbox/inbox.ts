import type { Inbox } from '../../inbound.ts';
import { pollParts } from '../../shared/inbox/polling.ts';
import { history } from './history.ts';
import { ChatPosition, pollChat } from './poll-chat.ts';
import { NotificationsPosition, pollNotifications } from './poll-notifications.ts';

const read = pollParts({
  news: { position: NotificationsPosition, poll: pollNotifications },
  chat: { position: ChatPosition, poll: pollChat },
});

/** The network has no webhooks for servers like this one, so the inbox is polled. */
export const inbox = Object.freeze<Inbox>({ history, poll: { everyMs: 30_000, read } });
