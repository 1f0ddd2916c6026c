import { withKinds } from '../shared/kinds.ts';
import type { Verification } from '../posts.ts';
import { unending } from '../app/versions.ts';
import { businessConnect, connect } from './connect.ts';
import { table } from './errors.ts';
import { comments } from './inbox/comments.ts';
import { inbox } from './inbox/history.ts';
import { mentions } from './inbox/mentions.ts';
import { messages } from './inbox/messages.ts';
import { businessPush, push } from './inbox/push.ts';
import { businessCreatorInfo, creatorInfo } from './posts/creator.ts';
import { businessPublish, publish } from './posts/publish.ts';
import { businessMetrics, list, listBusiness, metrics } from './posts/reads.ts';
import { businessCheck, businessRules, check, rules } from './posts/rules.ts';

const SYNC_DEPTH = 25;

/** TikTok cannot remove posts and returns no ids of private posts. */
const verification = Object.freeze<Verification>({
  seenBy: 'nobody but the creator: it is private',
  media: 'video',
  post: { visibility: 'private' },
  without: {
    read: 'TikTok lists no posts that only the creator sees',
    permalink: 'the post is private',
    comment: 'nobody comments on a private post',
    metrics: 'TikTok returns no id for a private post',
    remove: 'TikTok cannot remove posts',
  },
  leaves: 'a private post that only its creator sees, and removes in the app',
});

/** TikTok for Developers only publishes; the API for Business also has comments, mentions and messages. */
export const tiktok = withKinds(
  {
    slug: 'tiktok',
    title: 'TikTok',
    sharedPrefix: true,
    versions: [
      unending('TikTok for Developers', 'v2', 'https://developers.tiktok.com/doc/changelog'),
      unending('TikTok API for Business', 'v1.3', 'https://business-api.tiktok.com/portal/docs?id=1740579480076290'),
    ],
    errors: { '': table },
    hosts: {
      real: {
        www: 'https://www.tiktok.com',
        api: 'https://open.tiktokapis.com',
        business: 'https://business-api.tiktok.com',
      },
      sandbox: ({ api, web }) => ({ www: `${web}/www`, api: `${api}/api`, business: `${api}/business` }),
    },
    connect,
    ids: { post: /^\d{1,30}$/, comment: /^\d{1,30}$/ },
    posts: Object.freeze({ rules, check, publish, list, metrics, syncDepth: SYNC_DEPTH }),
    push,
    creatorInfo,
    verification,
  },
  {
    business: {
      connect: businessConnect,
      posts: Object.freeze({
        rules: businessRules,
        check: businessCheck,
        publish: businessPublish,
        list: listBusiness,
        metrics: businessMetrics,
        syncDepth: SYNC_DEPTH,
      }),
      comments,
      messages,
      mentions,
      push: businessPush,
      inbox,
      creatorInfo: businessCreatorInfo,
      // A test video would be public, because this API has no private posts.
      verification: { ...verification, media: 'image' },
    },
  },
);
