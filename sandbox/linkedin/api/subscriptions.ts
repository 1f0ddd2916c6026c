/** Notifications about organizations, and the subscriptions to them. */
import { z } from 'zod';
import { shape } from '../../kit/api/shapes.ts';
import { bearerOf } from '../../kit/oauth/secrets.ts';
import { ownOrigins } from '../../kit/options.ts';
import type { Subscription } from '../docs.ts';
import { denied, illegal, notFound } from '../errors.ts';
import { EVENT_TYPE } from '../notices.ts';
import { personUrn } from '../world.ts';
import { read, type Call, type Parts, type Routes } from './calls.ts';

const KEPT_MS = 60 * 86_400_000;
const APP = 'urn:li:developerApplication:';
const Webhook = shape({ webhook: z.url() });

export function subscriptionRoutes({ world, login, notices, api }: Parts): Routes {
  const { docs, options } = world;
  const { clock } = options;

  /** The person and the organization of a key. The caller must be that person and administer the organization. */
  function keyed({ key, caller }: Call): Readonly<{ id: string; page_id: string; user: string }> {
    const [user, page_id] = [key.text('user'), key.text('entity')];
    if (key.text('eventType') !== EVENT_TYPE) throw illegal('eventType is not known');
    if (!/^\w+$/.test(key.text('developerApplication').replace(APP, '')))
      throw illegal('developerApplication is not known');
    if (user !== personUrn(caller.person)) throw denied('The user is somebody else');
    return { id: `${page_id} ${user}`, page_id, user };
  }
  const viewOf = ({ page_id: entity, user, webhook, expires_at: expiresAt }: Subscription) => {
    return { user, entity, eventType: EVENT_TYPE, developerApplication: `${APP}sandbox`, webhook, expiresAt };
  };
  function live(id: string): Subscription {
    const found = docs.get('subscription', id);
    if (found === undefined || !notices.isLive(found)) throw notFound('the subscription');
    return found;
  }
  function isWebhook(url: string): boolean {
    const { origin, protocol, hostname } = new URL(url);
    return ownOrigins(options).includes(origin) || (protocol === 'https:' && !/(?:^|\.)ngrok[.-]/.test(hostname));
  }

  return [
    ...api.resource('/rest/eventSubscriptions', {
      'FINDER subscriberAndEventType'(call) {
        const own = docs.list('subscription').filter(({ user }) => user === personUrn(call.caller.person));
        return api.list(call, own.filter(notices.isLive).map(viewOf));
      },
    }),
    ...api.resource('/rest/eventSubscriptions/{key}', {
      async UPDATE(call) {
        const key = keyed(call);
        api.authorize(call, key.page_id, 'manage');
        const { webhook } = read(Webhook, call.params.values, 'body');
        // Stands for entering the URL in the developer portal, which would happen first.
        if (!isWebhook(webhook) || (docs.get('endpoint', webhook)?.strikes !== 0 && !(await notices.prove(webhook))))
          throw illegal('This URL did not pass the security challenge check');
        const { expires_at } = login.tokens.holder(bearerOf(call.ctx.get('authorization'))!)!;
        docs.put('subscription', { ...key, at: clock.now(), webhook, expires_at });
      },
      GET: (call) => viewOf(live(keyed(call).id)),
      DELETE: (call) => docs.remove('subscription', live(keyed(call).id).id),
    }),
    ...api.resource('/rest/organizationalEntityNotifications', {
      'FINDER criteria'(call) {
        const { query } = call;
        const page = query.text('organizationalEntity');
        api.authorize(call, page, 'manage');
        const [actions, range] = [query.list('actions'), query.within('timeRange')];
        const start = Math.max(Number(range.maybe('start') ?? 0), clock.now() - KEPT_MS);
        const end = Number(range.maybe('end') ?? clock.now());
        const all = docs.list('notification', { page }).toReversed();
        const found = all.filter(({ at, shown: { action } }) => at >= start && at <= end && actions.includes(action));
        return api.list(
          call,
          found.map((one) => one.shown),
        );
      },
    }),
  ];
}
