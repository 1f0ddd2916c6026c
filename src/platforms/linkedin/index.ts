import { matching } from '#kernel/config/values.ts';
import type { Platform } from '../platform.ts';
import { API, isOrganization } from './api.ts';
import { comments } from './comments.ts';
import { connect } from './connect.ts';
import { table } from './errors.ts';
import { pages } from './pages.ts';
import { publish, remove } from './publish.ts';
import { inbox, mentions } from './notices.ts';
import { push } from './push.ts';
import { isSame, list, metrics } from './reads.ts';
import { attached, check, rules } from './rules.ts';
import { doubts } from './scopes.ts';

/** LinkedIn; one login of a member includes the pages of the organizations that the member manages. */
export const linkedin = Object.freeze<Platform>({
  slug: 'linkedin',
  title: 'LinkedIn',
  errors: { '': table },
  settings: [
    {
      name: 'LINKEDIN_APP_ID',
      meaning: 'The number of the app, from the address of its page at linkedin.com/developers/apps; pushes need it.',
      parse: matching(/^\d{1,20}$/, "must be the number in the address of the app's page"),
      sandbox: '86543210',
    },
  ],
  versions: [API],
  pages,
  hosts: {
    real: { api: 'https://api.linkedin.com', oauth: 'https://www.linkedin.com', www: 'https://www.linkedin.com' },
    sandbox: ({ api, web }) => ({ api: `${api}/api`, oauth: `${api}/www`, www: `${web}/www` }),
  },
  connect,
  ids: {
    post: /^urn:li:(?:share|ugcPost|activity):\d{1,30}$/,
    comment: /^urn:li:comment:\((?:urn:li:)?\w{1,30}:\d{1,30},\d{1,30}\)$/,
  },
  posts: { rules, check, doubts, attached, publish, remove, list, isSame, metrics, syncDepth: 25 },
  comments,
  mentions,
  push,
  inbox,
  verification: {
    seenBy: 'connections of the member, or everybody where it is of an organization, until it is removed',
    post: (page = '') => ({ visibility: isOrganization(page) ? 'public' : 'connections_only' }),
    without: { permalink: 'LinkedIn shows it after a login' },
  },
});
