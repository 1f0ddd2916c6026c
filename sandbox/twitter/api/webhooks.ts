/** The webhooks of apps, and their subscriptions to the activity API. */
import { z } from 'zod';
import { isoTime } from '#kernel/clock.ts';
import { isLoopbackName } from '#kernel/net/addresses.ts';
import { tableOf } from '#kernel/text/table.ts';
import { pageBelow } from '../../kit/api/paging.ts';
import type { Webhook } from '../../kit/push/hooks.ts';
import type { Fields, Subscription } from '../docs.ts';
import { forbidden, invalid, lost } from '../errors.ts';
import { lean, makeCalls, pageWords, read, type Call, type Parts, type XRoute } from './calls.ts';

const MOST_SUBSCRIPTIONS = 1500;
const PAGE = 100;
/** Events, and the scope that an account must have granted for private ones. */
const EVENTS: ReadonlyMap<string, string> = tableOf({
  'post.create': '',
  'post.delete': '',
  'follow.follow': '',
  'follow.unfollow': '',
  'oauth.revoke': '',
  'post.mention.create': 'tweet.read',
  'post.reply.create': 'tweet.read',
  'post.quote.create': 'tweet.read',
  'like.create': 'like.read',
  'dm.received': 'dm.read',
  'dm.sent': 'dm.read',
  'dm.read': 'dm.read',
});
const Address = z.strictObject({ url: z.string().max(2048) });
const Request = z.strictObject({
  event_type: z.enum([...EVENTS.keys()]),
  filter: z.strictObject({ user_id: z.string().optional(), direction: z.enum(['inbound', 'outbound']).optional() }),
  tag: z.string().max(200).optional(),
  webhook_id: z.string().optional(),
});

const webhookView = ({ id, url, valid, at }: Webhook): Fields => ({ id, url, valid, created_at: isoTime(at) });
function viewOf({ id, at, event, page_id, parent_id, tag = '' }: Subscription): Fields {
  const filter = event === 'oauth.revoke' ? {} : { user_id: page_id };
  const times = { created_at: isoTime(at), updated_at: isoTime(at) };
  return { subscription_id: id, event_type: event, filter, tag, webhook_id: parent_id, ...times };
}

const hookIn = ({ world }: Parts, { caller, path }: Call, id = path['id'] ?? ''): Webhook => {
  const hook = world.docs.get('webhook', id);
  if (hook?.page_id !== caller.client) throw lost('webhook', id);
  return hook;
};

function hookRoutes(parts: Parts): readonly XRoute[] {
  const { docs, newId, options } = parts.world;
  const { clock, store } = options;
  const { hooks } = parts.events;
  const call = makeCalls(parts.world);

  function checkAddress(url: string): void {
    const { protocol, hostname, port } = new URL(URL.canParse(url) ? url : 'http://nowhere.invalid');
    if (!isLoopbackName(hostname) && (protocol !== 'https:' || port !== ''))
      throw invalid('UrlValidationFailed: the webhook URL must be https and have no port.', { url: [url] });
  }
  async function prove(id: string): Promise<void> {
    if (!(await hooks.prove(id)))
      throw invalid(
        'CrcValidationFailed: Webhook URL does not meet the requirements. Invalid CRC token or json response format.',
      );
  }
  return [
    call('POST /2/webhooks', 'app 450', async ({ params, caller }) => {
      const { url } = read(Address, params.values, '$');
      checkAddress(url);
      if (docs.list('webhook', { page: caller.client }).some((one) => one.url === url))
        throw invalid('DuplicateUrlFailed: Webhook URL already exists.', { url: [url] });
      const hook = { id: newId(), at: clock.now(), page_id: caller.client, url, valid: false };
      store.write(() => docs.put('webhook', hook));
      await prove(hook.id).catch((error: unknown) => {
        store.write(() => hooks.remove(hook));
        throw error;
      });
      return { data: webhookView(docs.get('webhook', hook.id) ?? hook) };
    }),
    call('GET /2/webhooks', 'app 450', ({ caller }) => {
      const data = docs.list('webhook', { page: caller.client }).map(webhookView);
      return lean({ data, meta: { result_count: data.length } });
    }),
    call('PUT /2/webhooks/{id}', 'app 450', async (one) => {
      await prove(hookIn(parts, one).id);
      return { data: { valid: true } };
    }),
    call('DELETE /2/webhooks/{id}', 'app 450', (one) => {
      const hook = hookIn(parts, one);
      store.write(() => {
        hooks.remove(hook);
        for (const { id } of docs.list('subscription', { parent: hook.id })) docs.remove('subscription', id);
      });
      return { data: { deleted: true } };
    }),
  ];
}

export function webhookRoutes(parts: Parts): readonly XRoute[] {
  const { docs, newId, options, settings } = parts.world;
  const { clock, store } = options;
  const call = makeCalls(parts.world);
  const of = (client: string) => docs.list('subscription').filter((one) => one.client === client);

  function ownIn({ caller, path: { id = '' } }: Call): Subscription {
    const found = docs.get('subscription', id);
    if (found?.client !== caller.client) throw lost('subscription', id);
    return found;
  }
  function add(
    user: string,
    event: string,
    hook: Webhook,
    others: readonly Subscription[],
    tag?: string,
  ): Subscription {
    if (others.some((one) => one.page_id === user && one.event === event))
      throw invalid('DuplicateSubscriptionFailed: Subscription already exists.');
    const made = { id: newId(), at: clock.now(), page_id: user, parent_id: hook.id, event, client: hook.page_id, tag };
    return store.write(() => docs.put('subscription', made));
  }
  function subscribe(one: Call): Fields {
    const { person, client, isApp, scopes } = one.caller;
    const { event_type, filter, tag, webhook_id } = read(Request, one.params.values, '$');
    const user = filter.user_id ?? (event_type === 'oauth.revoke' && !isApp ? person : '');
    if (parts.users.get(user) === undefined)
      throw invalid('$.filter.user_id: is not the id of a user', { user_id: [user] });
    const right = EVENTS.get(event_type) ?? '';
    if (right !== '' && (isApp || person !== user || !scopes.includes(right)))
      throw forbidden(
        `Subscribing to ${event_type} needs the OAuth 2.0 user token of the user with the right ${right}.`,
      );
    const hook = hookIn(parts, one, webhook_id ?? docs.list('webhook', { page: client })[0]?.id ?? '');
    const all = of(client);
    if (all.length >= MOST_SUBSCRIPTIONS) throw forbidden('The app has no subscriptions left.');
    const subscription = viewOf(add(user, event_type, hook, all, tag));
    return { data: { subscription }, meta: { total_subscriptions: all.length + 1 } };
  }

  return [
    ...hookRoutes(parts),
    call('POST /2/activity/subscriptions', 'all 500', subscribe),
    call('GET /2/activity/subscriptions', 'all 500', (one) => {
      const { caller } = one;
      const own = of(caller.client).filter(({ page_id }) => caller.isApp || page_id === caller.person);
      const { rows, next } = pageBelow(one.params, own.toReversed(), [1, PAGE, PAGE], {
        words: pageWords,
        cap: settings.get('subscriptions_listed'),
      });
      return lean({ data: rows.map(viewOf), meta: { result_count: rows.length, next_token: next } });
    }),
    call('DELETE /2/activity/subscriptions/{id}', 'app 500', (one) => {
      const { id } = ownIn(one);
      store.write(() => docs.remove('subscription', id));
      return { data: { deleted: true }, meta: { total_subscriptions: of(one.caller.client).length } };
    }),
  ];
}
