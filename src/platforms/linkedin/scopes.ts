import { ANSWERING_COMMENTS, PUBLISHING, READING_COMMENTS } from '../app/capabilities.ts';
import type { OutgoingPost, Issue } from '../posts.ts';
import { declareScopes } from '../shared/scopes.ts';

const BASIC = 'r_basicprofile';
/** The scope for reading the member by OpenID Connect. */
export const OPENID = 'openid';
const FEEDS = ['w_member_social_feed', 'w_organization_social_feed'];

/** Scopes of "Sign In with LinkedIn using OpenID Connect" and "Share on LinkedIn", open to every app. */
const SHARING = [OPENID, 'profile', 'email', 'w_member_social'];

/** Scopes of the "Community Management API"; an app with this product can have no other. */
const COMMUNITY = [
  BASIC,
  'w_member_social',
  'w_member_social_feed',
  'rw_organization_admin',
  'w_organization_social',
  'r_organization_social',
  'w_organization_social_feed',
  'r_organization_social_feed',
];

export const SCOPES = declareScopes({
  setting: 'LINKEDIN_SCOPES',
  title: 'LinkedIn',
  losses: {
    [OPENID]: { without: 'The account cannot be connected.', unless: [BASIC] },
    profile: { without: 'The name of the member is not known.', unless: [BASIC] },
    // No feature needs it, and apps of the Community Management API cannot request it.
    email: { without: 'The e-mail address of the member is not known.', unless: [BASIC] },
    [BASIC]: 'The address of the profile of the member is not known.',
    w_member_social: 'Posts of the member cannot be published.',
    w_member_social_feed: 'The member cannot comment, answer and like; that includes first comments.',
    rw_organization_admin: 'Organizations are not found, and their posts have no views and clicks.',
    w_organization_social: 'Posts of organizations cannot be published.',
    r_organization_social: 'Posts of organizations cannot be listed, nor found after a lost answer.',
    w_organization_social_feed: 'Organizations cannot comment, answer and like; that includes first comments.',
    r_organization_social_feed: 'Comments on posts of organizations cannot be read.',
  },
  needs: [
    [[...PUBLISHING, 'unpublish'], 'w_member_social', 'w_organization_social'],
    [ANSWERING_COMMENTS, 'w_member_social_feed', 'w_organization_social_feed'],
    [READING_COMMENTS, 'r_organization_social_feed'],
    [['sync of posts'], 'r_organization_social'],
  ],
  requestedScopes: SHARING,
  sandbox: COMMUNITY,
});

/** Warns of first comments, which LinkedIn refuses to logins without one of the scopes. */
export function doubts({ first_comment }: OutgoingPost, metadata: Readonly<Record<string, unknown>> = {}): Issue[] {
  const { scopes_granted: granted } = metadata;
  if (first_comment === undefined || !Array.isArray(granted) || FEEDS.some((scope) => granted.includes(scope)))
    return [];
  return [{ field: 'first_comment', message: `is refused by LinkedIn to logins without ${FEEDS.join(' or ')}` }];
}
