import * as z from 'zod';
import { withKinds } from '#platforms/shared/kinds.ts';
import { SLUG } from '../slug.ts';
import { PARTNER, request } from './api.ts';
import { connect, pages } from './connect.ts';
import { comments, mentions, messages, reviews } from './inbox.ts';
import { posts } from './posts.ts';
import { inbox, push } from './push.ts';

const Limits = z.object({ posts_left: z.number() });
const Creator = z.object({ nickname: z.string(), longest_video_s: z.number(), audiences: z.array(z.string()) });

/** Plaza, which nobody has: it can do everything that a platform may be able to do. */
export const plaza = withKinds(
  {
    slug: SLUG,
    title: 'Plaza',
    hosts: {
      real: { api: 'https://api.plaza.test', web: 'https://plaza.test' },
      sandbox: ({ api, web }) => ({ api: `${api}/api`, web: `${web}/www` }),
    },
    settings: [PARTNER],
    connect,
    ids: { post: /^(?:t-)?\d{1,30}$/, comment: /^\d{1,30}$/, review: /^\d{1,30}$/ },
    pages,
    posts,
    comments,
    mentions,
    reviews,
    messages,
    push,
    inbox,
    limits: async (call) => ({
      posts_remaining: (await request(call, { method: 'GET', path: '/limits' }, Limits)).posts_left,
    }),
    // Plaza allows no more a day, so they are counted before they are sent.
    quotas: {
      lookups: { limit: 3, per: 'account', every: 'day' },
      polls: { limit: 240, per: 'account', every: 'day' },
    },
    async creatorInfo(call) {
      const cost = { bucket: 'lookups', units: 1 };
      const made = await request(call, { method: 'GET', path: '/creator', cost }, Creator);
      return {
        nickname: made.nickname,
        avatar_url: null,
        can_post: true,
        max_video_duration_sec: made.longest_video_s,
        privacy_level_options: made.audiences,
        interaction_settings: {},
      };
    },
  },
  {
    // Who came by a key may post, but on a board, and has no inbox.
    key: {
      posts: { ...posts, rules: { ...posts.rules, board: 'required' } },
      comments: undefined,
      messages: undefined,
      mentions: undefined,
      reviews: undefined,
      inbox: undefined,
      push: undefined,
    },
  },
);
