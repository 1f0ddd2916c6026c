import { SUBSCRIBED_FIELDS } from '../../graph/page-fields.ts';
import { appSubscription, byField, graphPush } from '../../graph/push.ts';
import { messagingEvent } from '../../graph/push-messages.ts';
import type { Push } from '../../push.ts';
import { graph } from '../api.ts';
import { complete } from './complete.ts';
import { feedEvent, mentionEvent } from './feed.ts';

export const push = Object.freeze<Push>({
  ...graphPush({
    title: 'Facebook',
    owner: 'page',
    change: byField({ feed: feedEvent, mention: mentionEvent }),
    messaging: (value, pushing) => messagingEvent(value, pushing, pushing.owner),
  }),
  complete,
  ...appSubscription({ request: graph }, { object: 'page', fields: SUBSCRIBED_FIELDS }),
});
