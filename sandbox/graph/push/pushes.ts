/** Meta's updates: verified callbacks, bodies signed with the app's secret, and retries for 36 hours. */
import { randomInt } from 'node:crypto';
import { HOUR, type Clock } from '#kernel/clock.ts';
import type { Store } from '../../store.ts';
import { pushActs, type Pushes, type PushRules } from '../../kit/push/pushes.ts';
import { maybe, type Acts, type Values } from '../../kit/acts.ts';
import type { DocStore } from '../../kit/docs.ts';
import type { Update } from '../../kit/push/log.ts';
import { hmac } from '../../kit/oauth/secrets.ts';
import type { Settings } from '../../kit/settings.ts';
import { withBareIds } from '../../kit/api/bare-ids.ts';
import type { GraphDocs } from '../docs.ts';
import { seconds } from '../ids.ts';

/** The first retry follows at once, later ones after growing delays. */
const WAITS = [0, 10_000, 30_000, 60_000, 300_000, 600_000, 1_800_000, HOUR, 2 * HOUR, 4 * HOUR];

/** Writes JSON as Meta does: escapes slashes, and some characters and all non-ASCII as lower-case `\u` sequences. */
function escaped(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('/', '\\/')
    .replaceAll(/[<%@\u0080-\uffff]/g, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Meta's `signed_request`: a signature and a payload, both in base64url. */
export function signedRequest(appSecret: string, payload: object): string {
  const encoded = Buffer.from(JSON.stringify(payload)).toString('base64url');
  return `${hmac(appSecret, 'sha256', encoded).digest('base64url')}.${encoded}`;
}

export type GraphPushes = Readonly<{
  callback(): string;
  /** Verifies the app's callback, or the one given. */
  verify(own?: Readonly<{ url: string; token: string }>): Promise<boolean>;
  /** Notifies the app that a person removed it or asked for their data to be deleted. */
  announce(kind: 'deauthorize' | 'data_deletion', userId: string): void;
  kick(): void;
}>;

type PushSettings = {
  callback_url: string;
  verify_token: string;
  verified_url: string;
  push_wrap: boolean;
  numeric_ids: boolean;
};

type GraphPushOptions = Readonly<{
  slug: string;
  bodies(updates: readonly Update[]): readonly object[];
  store: Store;
  clock: Clock;
  nodes: DocStore<GraphDocs>;
  settings: Settings<PushSettings>;
  appSecret: string;
  productUrl: () => string;
}>;

export function startGraphPushes(pushes: Pushes, options: GraphPushOptions): GraphPushes {
  const { slug, bodies, clock, nodes, settings, appSecret } = options;
  const base = () => `${options.productUrl().replace(/\/+$/, '')}/push/${slug}`;
  const callback = () => settings.get('callback_url') || base();

  const ownCallbacks = () => nodes.list('page').flatMap(({ subscription }) => subscription?.callback ?? []);

  async function verify(own?: Readonly<{ url: string; token: string }>): Promise<boolean> {
    const url = own?.url ?? callback();
    const challenge = String(randomInt(1_000_000_000, 2_000_000_000));
    const asks = new URLSearchParams({
      'hub.mode': 'subscribe',
      'hub.challenge': challenge,
      'hub.verify_token': own?.token ?? settings.get('verify_token'),
    });
    const request = { method: 'GET', url: `${url}${url.includes('?') ? '&' : '?'}${asks.toString()}` };
    const isProved = await pushes.handshake(url, request, ({ status, text }) => status === 200 && text === challenge);
    if (own === undefined) settings.set({ verified_url: isProved ? url : '' });
    return isProved;
  }

  const rules: PushRules = {
    bundle(updates: readonly Update[]) {
      const byUrl = Map.groupBy(
        updates,
        ({ page_id }) => nodes.get('page', page_id)?.subscription?.callback ?? callback(),
      );
      return [...byUrl].flatMap(([url, some]) => {
        const conversing = some.filter(({ kind }) => kind === 'messaging').map(({ page_id }) => page_id);
        const accounts = [...new Set(conversing)];
        const viewOf = (body: object) => (settings.get('numeric_ids') ? withBareIds(body) : body);
        return bodies(some).map((body) => ({
          url,
          body: escaped(settings.get('push_wrap') ? [viewOf(body)] : viewOf(body)),
          accounts,
        }));
      });
    },
    request({ kind, url, body }, isWrong) {
      const signed = body + (isWrong ? 'x' : '');
      const headers: Record<string, string> =
        kind === 'updates'
          ? {
              'content-type': 'application/json',
              'x-hub-signature': `sha1=${hmac(appSecret, 'sha1', signed).digest('hex')}`,
              'x-hub-signature-256': `sha256=${hmac(appSecret, 'sha256', signed).digest('hex')}`,
            }
          : { 'content-type': 'application/x-www-form-urlencoded' };
      return {
        url: kind === 'updates' && !ownCallbacks().includes(url) ? callback() : url,
        headers: { ...headers, 'user-agent': 'facebookexternalua' },
        body,
      };
    },
    isReady: async (url) => ownCallbacks().includes(url) || settings.get('verified_url') === callback() || verify(),
    waits: WAITS,
    lastTry: 36 * HOUR,
    // A Page is unsubscribed if the app has accepted none of its updates for an hour.
    failed(accounts, forMs) {
      if (forMs >= HOUR) for (const page of accounts) nodes.change('page', page, { subscription: undefined });
    },
  };
  pushes.start(rules);

  return Object.freeze({
    callback,
    verify,
    announce(kind: 'deauthorize' | 'data_deletion', userId: string) {
      const payload = { user_id: userId, algorithm: 'HMAC-SHA256', issued_at: seconds(clock.now()) };
      const body = new URLSearchParams({ signed_request: signedRequest(appSecret, payload) }).toString();
      pushes.announce(kind, `${base()}/${kind === 'deauthorize' ? 'deauthorize' : 'data-deletion'}`, body);
    },
    kick: pushes.kick,
  });
}

export function graphPushActs(pushes: Pushes, { verify }: GraphPushes, settings: Settings<PushSettings>): Acts {
  return {
    callback: {
      group: 'twin',
      title: 'Send its updates elsewhere',
      fields: { url: maybe('Callback address (empty: the product’s own)'), verify_token: maybe('Verify token') },
      async run(values: Values) {
        settings.set({
          callback_url: values['url'] ?? '',
          ...(values['verify_token'] !== undefined && { verify_token: values['verify_token'] }),
        });
        return { verified: await verify() };
      },
    },
    ...pushActs(pushes),
  };
}
