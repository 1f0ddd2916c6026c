import * as z from 'zod';
import { withKinds } from '../../../src/platforms/lookup.ts';
import { SLUG } from '../slug.ts';
import { request } from './api.ts';
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
    connect,
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
    async creatorInfo(call) {
      const made = await request(call, { method: 'GET', path: '/creator' }, Creator);
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
    // Who came by a key may post, and has no inbox.
    key: {
      comments: undefined,
      messages: undefined,
      mentions: undefined,
      reviews: undefined,
      inbox: undefined,
      push: undefined,
    },
  },
);
