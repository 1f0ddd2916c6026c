import { url } from '#kernel/config/values.ts';
import type { Platform } from '../platform.ts';
import { unending } from '../app/versions.ts';
import { connect, limits } from './connect.ts';
import { table } from './errors.ts';
import { publish, remove } from './publish.ts';
import { boards, list, metrics } from './reads.ts';
import { attached, check, rules } from './rules.ts';

/** Pinterest: pins on the boards of an account. It has no API for comments and messages. */
export const pinterest = Object.freeze<Platform>({
  slug: 'pinterest',
  title: 'Pinterest',
  sharedPrefix: true,
  settings: [
    {
      name: 'PINTEREST_API_ROOT',
      meaning:
        'Where the API is. `https://api-sandbox.pinterest.com` is the API sandbox of Pinterest, where apps with Trial access make pins.',
      parse: url,
      host: 'api',
    },
  ],
  versions: [unending('Pinterest API', 'v5', 'https://developers.pinterest.com/docs/changelog/changelog/')],
  errors: { '': table },
  hosts: {
    real: { api: 'https://api.pinterest.com', www: 'https://www.pinterest.com' },
    sandbox: ({ api, web }) => ({ api: `${api}/api`, www: `${web}/www` }),
  },
  connect,
  posts: { rules, check, attached, publish, boards, remove, list, metrics, syncDepth: 25 },
  limits,
  verification: {
    seenBy: 'nobody but the account: it is on a secret board',
    media: 'image',
    without: { permalink: 'the board is secret' },
  },
});
