/** TikTok's pushes: an envelope that holds JSON as a string, signed together with the time. */
import { SECOND, HOUR } from '#kernel/clock.ts';
import { bareNumber } from '../kit/api/bare-ids.ts';
import { seconds } from '../kit/ids.ts';
import { APP_ID } from '../kit/oauth/login.ts';
import { hmac } from '../kit/oauth/secrets.ts';
import { ABOUT } from './about.ts';
import type { Fields, Product } from './docs.ts';
import type { Login } from './login.ts';
import type { Names, World } from './world.ts';

/** Delays before retries, which cover three days. */
const WAITS = [10 * SECOND, 60 * SECOND, 600 * SECOND, HOUR, 6 * HOUR, 24 * HOUR];

/** The types of events that have a callback in the API for Business. */
export const EVENT_TYPES = ['DIRECT_MESSAGE', 'COMMENT', 'VIDEO', 'BRAND_MENTION'] as const;
type EventType = (typeof EVENT_TYPES)[number];

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

  /** Sends an event of the API for Business to the callback of its type. Inside a transaction. */
  function business(account: string, type: EventType, event: string, content: Fields): void {
    const url = docs.get('callback', type)?.url;
    if (url !== undefined && isLinked('business', account)) add('business', account, event, content, url);
  }
  /** Sends an event of TikTok for Developers to the app's callback. Inside a transaction. */
  function developers(account: string, event: string, content: Fields): void {
    const url = `${productUrl().replace(/\/+$/, '')}/push/${ABOUT.slug}`;
    if (isLinked('developers', account)) add('developers', account, event, content, url);
  }

  return Object.freeze({
    business,
    developers,
    /** Notifies the app that it has lost an account; `reason` is a number. */
    remove(product: Product, account: string, reason: number): void {
      options.store.write(() => {
        if (product === 'business') business(account, 'VIDEO', 'authorization.removed', { reason });
        else developers(account, 'authorization.removed', { reason });
        login[product].revoke(account);
      });
    },
    /** An id in an event, where it is a number unless a setting makes it a string. */
    id: (id: string): unknown => (settings.get('text_ids') ? id : bareNumber(id)),
  });
}
