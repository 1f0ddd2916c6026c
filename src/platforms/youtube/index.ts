import { matching } from '#kernel/config/values.ts';
import type { Platform } from '../platform.ts';
import { googleHosts } from '../googleapis/hosts.ts';
import { unending } from '../app/versions.ts';
import { quotas, table } from './api.ts';
import { comments } from './comments.ts';
import { connect } from './connect.ts';
import { inbox } from './inbox.ts';
import { OUTCOMES, publish, remove } from './publish.ts';
import { push } from './push.ts';
import { list, metrics } from './reads.ts';
import { attached, check, rules } from './rules.ts';

const count = matching(/^\d{1,9}$/, 'must be a whole number without separators');

/** YouTube; an account is one channel with its videos and their comments. */
export const youtube = Object.freeze<Platform>({
  slug: 'youtube',
  title: 'YouTube',
  errors: { '': table, 'processing of videos': OUTCOMES },
  settings: [
    {
      name: 'YOUTUBE_DAILY_UNITS',
      meaning: 'How many units of the YouTube Data API the Google project may use in a day.',
      otherwise: '10000',
      parse: count,
    },
    {
      name: 'YOUTUBE_DAILY_UPLOADS',
      meaning: 'How many videos the Google project may upload in a day.',
      otherwise: '100',
      parse: count,
    },
  ],
  versions: [unending('YouTube Data API', 'v3', 'https://developers.google.com/youtube/v3/revision_history')],
  hosts: googleHosts(
    {
      hub: 'https://pubsubhubbub.appspot.com',
      feeds: 'https://www.youtube.com',
      www: 'https://www.youtube.com',
    },
    ({ api, web }) => ({
      hub: `${api}/hub`,
      feeds: `${api}/feeds`,
      www: `${web}/www`,
    }),
  ),
  connect,
  ids: { post: /^[\w-]{11}$/, comment: /^[\w-]{20,100}(?:\.[\w-]{1,100})?$/ },
  posts: {
    rules,
    check,
    attached,
    publish,
    remove,
    list,
    metrics,
    metricsCost: { bucket: 'units', units: 1 },
    syncDepth: 25,
  },
  comments,
  push,
  inbox,
  // YouTube reports no limits; the quotas are counted by this server.
  limits: async () => ({}),
  quotas,
  verification: {
    seenBy: 'nobody but the channel: it is private',
    media: 'video',
    post: { visibility: 'private', options: { notify_subscribers: false } },
    without: { permalink: 'the video is private', comment: 'nobody comments on a private video' },
  },
});
