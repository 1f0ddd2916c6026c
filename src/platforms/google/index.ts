import type { Platform } from '../platform.ts';
import { googleHosts } from '../googleapis/hosts.ts';
import { deprecated, unending } from '../app/versions.ts';
import { quotas, table } from './api.ts';
import { connect } from './connect.ts';
import { places } from './places.ts';
import { posts } from './posts.ts';
import { inbox, push, settings } from './push.ts';
import { reviews } from './reviews.ts';

const INFORMATION =
  'https://developers.google.com/my-business/reference/businessinformation/rest/v1/accounts.locations';
const SUNSETS = 'https://developers.google.com/my-business/content/sunset-dates';

/** Google Business Profile: an account is one location, with its posts, photos and reviews. */
export const google = Object.freeze<Platform>({
  slug: 'google',
  title: 'Google Business Profile',
  errors: { '': table },
  settings,
  // The clients of Google Cloud use variables with this prefix too.
  sharedPrefix: true,
  versions: [
    unending('My Business Account Management API', 'v1', SUNSETS),
    unending('My Business Business Information API', 'v1', SUNSETS),
    deprecated('My Business Business Information API', '`metadata.canOperateLocalPost`', 'v1', INFORMATION),
    unending('Google My Business API', 'v4', SUNSETS, '400 "migrate all the usages"'),
    unending('My Business Notifications API', 'v1', SUNSETS),
  ],
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
  // Google reports no limits; the quotas are counted by this server.
  limits: async () => ({}),
  quotas,
});
