import type { UnauthenticatedCall } from '../../call.ts';
import { Success } from '../../graph/api.ts';
import { SUBSCRIBED_FIELDS } from '../../graph/page-fields.ts';
import { graphPush } from '../../graph/push.ts';
import { messagingEvent } from '../../graph/push-messages.ts';
import type { Push } from '../../push.ts';
import { graph } from '../api.ts';
import { complete } from './complete.ts';
import { feedEvent, mentionEvent } from './feed.ts';

/** Webhooks of the object `page`, and the callbacks of the app. */
export const push = Object.freeze<Push>({
  ...graphPush({
    title: 'Facebook',
    owner: 'page',
    change(field, value, pushing) {
      if (field === 'feed') return feedEvent(value, pushing);
      return field === 'mention' ? mentionEvent(value, pushing) : undefined;
    },
    messaging: (value, pushing) => messagingEvent(value, pushing, pushing.owner),
  }),
  complete,
  register,
});

async function register(call: UnauthenticatedCall, app: Parameters<NonNullable<Push['register']>>[1]): Promise<void> {
  const { clientId, clientSecret, callback, verifyToken } = app;
  const form = {
    object: 'page',
    callback_url: callback,
    verify_token: verifyToken,
    fields: SUBSCRIBED_FIELDS,
    include_values: true,
  };
  const token = `${clientId}|${clientSecret}`;
  const ask = { method: 'POST', path: '/{app}/subscriptions', ids: { app: clientId }, form, token } as const;
  await graph(call, ask, Success);
}
