import { matching } from '#kernel/config/values.ts';
import type { Platform } from '../platform.ts';
import { deprecated, unending } from '../app/versions.ts';
import { publish, remove } from './articles.ts';
import { connect, limits } from './connect.ts';
import { inbox } from './conversations.ts';
import { table } from './errors.ts';
import { messages } from './messages.ts';
import { push } from './push.ts';
import { list } from './reads.ts';
import { attached, check, rules } from './rules.ts';

const CHANGES = 'https://developers.zalo.me/changelog';

/** Zalo official accounts: articles, and messages with people who wrote within the last 7 days. */
export const zalo = Object.freeze<Platform>({
  slug: 'zalo',
  title: 'Zalo',
  errors: { '': table },
  settings: [
    {
      name: 'ZALO_OA_SECRET',
      meaning:
        "The OA secret key, from the webhook page of the app; it signs what Zalo pushes, and is not the app's secret. " +
        'Without it that secret is tried, and Zalo signs nothing with it.',
      parse: matching(/^\S{8,200}$/, 'must be the OA secret key from the webhook page of the app'),
    },
  ],
  versions: [
    unending('Official Account API', 'v3.0', CHANGES, 'the number -240'),
    deprecated(
      'Official Account API',
      'articles, the account, conversations, uploads, and messages to anonymous visitors',
      'v2.0',
      CHANGES,
    ),
  ],
  hosts: {
    real: {
      consent: 'https://oauth.zaloapp.com',
      oauth: 'https://oauth.zaloapp.com',
      openapi: 'https://openapi.zalo.me',
      web: 'https://zalo.me',
    },
    sandbox: ({ api, web }) => ({
      consent: `${web}/consent`,
      oauth: `${api}/oauth`,
      openapi: `${api}/openapi`,
      web: `${web}/www`,
    }),
  },
  connect,
  posts: { rules, check, attached, publish, remove, list, syncDepth: 25 },
  messages,
  push,
  inbox,
  limits,
  verification: {
    seenBy: 'nobody but those who manage the official account: it is hidden',
    media: 'image',
    stopsBefore: 'show',
    without: { read: 'lists hold articles that are shown', permalink: 'the article is hidden' },
  },
});
