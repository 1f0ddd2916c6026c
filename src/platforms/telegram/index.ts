import { url } from '#kernel/config/values.ts';
import type { Platform } from '../platform.ts';
import { unending } from '../app/versions.ts';
import { MESSAGE_ID } from './api.ts';
import { connect } from './connect.ts';
import { table } from './errors.ts';
import { comments, messages } from './inbox.ts';
import { posts } from './posts.ts';
import { inbox, push } from './push.ts';

/** Telegram over the Bot API: a bot that posts to a channel, moderates comments and replies to messages. */
export const telegram = Object.freeze<Platform>({
  slug: 'telegram',
  title: 'Telegram',
  errors: { '': table },
  settings: [
    {
      name: 'TELEGRAM_API_ROOT',
      meaning:
        'A Bot API server of your own. Set, it also means the real network while the sandbox is on. May be a private address.',
      parse: url,
      host: 'api',
      trusted: true,
      leavesSandbox: true,
    },
  ],
  versions: [
    unending('Bot API', 'without one', 'https://core.telegram.org/bots/api-changelog', '404 "method not found"'),
  ],
  hosts: {
    real: { api: 'https://api.telegram.org', web: 'https://t.me' },
    sandbox: ({ api, web }) => ({ api: `${api}/api`, web: `${web}/www` }),
  },
  codes: ['telegram.cannot_message'],
  connect,
  ids: { post: MESSAGE_ID, comment: MESSAGE_ID },
  posts,
  comments,
  messages,
  push,
  inbox,
  verification: {
    seenBy: 'the subscribers of the channel, who are not notified, until it is removed',
    post: { options: { disable_notification: true } },
    without: { comment: 'comments are what others write in the group of the channel' },
  },
  // Telegram has no limit that can be counted.
  limits: async () => ({}),
});
