import type { AccountCall } from '../call.ts';
import { ANSWERING_COMMENTS, PUBLISHING, READING_COMMENTS, SENDING_MESSAGES } from '../app/capabilities.ts';
import { refused } from '../shared/errors.ts';
import { declareScopes } from '../shared/scopes.ts';
import { sessionOf } from './api.ts';

export const PROFILE = 'user.info.profile';
export const STATS = 'user.info.stats';
const LIST = 'video.list';

const CREATOR = {
  'user.info.basic': 'The account cannot be connected.',
  'video.publish': 'Posts cannot be published.',
  'video.upload': 'Posts cannot be handed over as drafts.',
};

/** Scopes that are not requested by default belong to products that TikTok does not offer to new apps. */
export const SCOPES = declareScopes({
  setting: 'TIKTOK_SCOPES',
  title: 'TikTok for Developers',
  losses: {
    ...CREATOR,
    [PROFILE]: 'The description of the profile is not known.',
    [STATS]: 'The numbers of followers and videos are not known.',
    [LIST]: 'Posts made elsewhere are not listed, and posts have no metrics.',
  },
  needs: [
    [PUBLISHING, 'video.publish', 'video.upload'],
    [['sync of posts', 'post metrics'], LIST],
  ],
  requestedScopes: Object.keys(CREATOR),
});

const NO_PROFILE = 'Only a part of the profile is known.';

export const BUSINESS_SCOPES = declareScopes({
  setting: 'TIKTOK_BUSINESS_SCOPES',
  title: 'TikTok API for Business',
  losses: {
    'user.info.basic': 'The account cannot be connected.',
    'user.info.username': 'The username is not known.',
    [PROFILE]: NO_PROFILE,
    [STATS]: 'The number of followers is not known.',
    'user.account.type': 'It is not known whether the account is one of a business.',
    'user.insights': NO_PROFILE,
    [LIST]: 'Posts are not listed, and have no metrics.',
    'video.insights': 'Posts have fewer metrics.',
    'video.publish': 'Posts cannot be published.',
    'video.upload': 'Posts cannot be handed over as drafts.',
    'comment.list': 'Comments cannot be read.',
    'comment.list.manage': 'Comments cannot be answered, hidden, liked or deleted.',
    'message.list.read': 'Messages cannot be read.',
    'message.list.send': 'Messages cannot be sent.',
    'message.list.manage': 'Messages do not arrive automatically.',
    'biz.brand.insights': 'Mentions cannot be read.',
  },
  needs: [
    [['sync of posts', 'post metrics'], LIST],
    [PUBLISHING, 'video.publish', 'video.upload'],
    [READING_COMMENTS, 'comment.list'],
    [ANSWERING_COMMENTS, 'comment.list.manage'],
    [['read conversations'], 'message.list.read'],
    [SENDING_MESSAGES, 'message.list.send'],
    [['list mentions'], 'biz.brand.insights'],
  ],
});

/** Throws if the login lacks the scope for listing videos; older logins, whose scopes are unknown, pass. */
export function assertLists({ session }: AccountCall): void {
  const { scopes } = sessionOf(session);
  if (scopes?.includes(LIST) === false)
    throw refused(
      'permission_denied',
      `TikTok shows posts and their metrics only to logins with ${LIST}, which this one lacks.`,
    );
}
