import type { Platform } from '../platform.ts';
import { googleHosts } from '../googleapis/hosts.ts';
import { quotas } from './api.ts';
import { connect } from './connect.ts';
import { places } from './places.ts';
import { posts } from './posts.ts';
import { inbox, push, settings } from './push.ts';
import { reviews } from './reviews.ts';

/** Google Business Profile: an account is one location, with its posts, photos and reviews. */
export const google = Object.freeze<Platform>({
  slug: 'google',
  title: 'Google Business Profile',
  settings,
  // Clients of Google Cloud have variables of their own.
  sharedPrefix: true,
  hosts: googleHosts(
    {
      accountmanagement: 'https://mybusinessaccountmanagement.googleapis.com',
      businessinformation: 'https://mybusinessbusinessinformation.googleapis.com',
      mybusiness: 'https://mybusiness.googleapis.com',
      notifications: 'https://mybusinessnotifications.googleapis.com',
    },
    ({ api }) => ({
      accountmanagement: `${api}/accountmanagement`,
      businessinformation: `${api}/businessinformation`,
      mybusiness: `${api}/mybusiness`,
      notifications: `${api}/notifications`,
    }),
  ),
  connect,
  ids: { review: /^[\w-]{10,300}$/ },
  posts,
  reviews,
  places,
  push,
  inbox,
  verification: { seenBy: 'everybody, until it is removed' },
  // What is left of its quotas is counted here.
  limits: async () => ({}),
  quotas,
});
