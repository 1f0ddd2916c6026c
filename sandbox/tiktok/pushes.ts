/** What TikTok pushes: an envelope whose content is a text of JSON, signed together with the time it is sent at. */
import { bareNumber } from '../kit/api/bare-ids.ts';
import { seconds } from '../kit/ids.ts';
import { APP_ID } from '../kit/oauth/login.ts';
import { hmac } from '../kit/oauth/secrets.ts';
import { ABOUT } from './about.ts';
import type { Fields, Product } from './docs.ts';
import type { Login } from './login.ts';
import type { Names, World } from './world.ts';

const SECOND = 1000;
const HOUR = 3_600_000;
/** How long after each failure an event is sent again, for three days. */
const WAITS = [10 * SECOND, 60 * SECOND, 600 * SECOND, HOUR, 6 * HOUR, 24 * HOUR];

/** The types of events that an app of the API for Business says a callback for. */
export const EVENT_TYPES = ['DIRECT_MESSAGE', 'COMMENT', 'VIDEO', 'BRAND_MENTION'] as const;
type EventType = (typeof EVENT_TYPES)[number];

/** The header that proves a body. */
export const signatureOf = (secret: string, at: number, body: string): string =>
  `t=${at},s=${hmac(secret, 'sha256', `${at}.${body}`).digest('hex')}`;

export type Events = ReturnType<typeof makeEvents>;

export function makeEvents({ docs, options, settings, pushes }: World, names: Names, login: Login) {
  const { isLinked } = login;
  const { clock, productUrl, appSecret } = options;

  pushes.start({
    bundle: (updates) =>
      updates.map(({ page_id, item }) => {
        const { url, ...envelope } = item as Readonly<{ url: string }>;
        return { url, body: JSON.stringify(envelope), accounts: [page_id] };
      }),
    request({ url, body }, isWrong) {
      const signature = signatureOf(isWrong ? 'wrong' : appSecret, seconds(clock.now()), body);
      return { url, body, headers: { 'content-type': 'application/json', 'tiktok-signature': signature } };
    },
    waits: WAITS,
    lastTry: 72 * HOUR,
  });

  function add(product: Product, account: string, event: string, content: Fields, url: string): void {
    const user_openid = names.openId(product, account);
    const create_time = seconds(clock.now());
    const item = { url, client_key: APP_ID, event, create_time, user_openid, content: JSON.stringify(content) };
    pushes.add({ page_id: account, kind: event, item });
  }

  /** Something that the API for Business reports, to the callback of its type. Inside a transaction. */
  function business(account: string, type: EventType, event: string, content: Fields): void {
    const url = docs.get('callback', type)?.url;
    if (url !== undefined && isLinked('business', account)) add('business', account, event, content, url);
  }
  /** Something that TikTok for Developers reports, to the one callback of its portal. Inside a transaction. */
  function developers(account: string, event: string, content: Fields): void {
    const url = `${productUrl().replace(/\/+$/, '')}/push/${ABOUT.slug}`;
    if (isLinked('developers', account)) add('developers', account, event, content, url);
  }

  return Object.freeze({
    business,
    developers,
    /** The app loses an account, for a reason by its number. */
    remove(product: Product, account: string, reason: number): void {
      options.store.write(() => {
        if (product === 'business') business(account, 'VIDEO', 'authorization.removed', { reason });
        else developers(account, 'authorization.removed', { reason });
        login[product].revoke(account);
      });
    },
    /** An id as events have it: a number, where the platform writes one. */
    id: (id: string): unknown => (settings.get('text_ids') ? id : bareNumber(id)),
  });
}
