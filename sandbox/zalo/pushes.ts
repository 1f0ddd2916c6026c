/** Zalo's pushes to the app's only webhook: one request per event, with a plain hash instead of an HMAC. */
import { MINUTE } from '#kernel/clock.ts';
import { createHash } from 'node:crypto';
import { APP_ID } from '../kit/oauth/login.ts';
import { ABOUT } from './about.ts';
import type { Fields, Tie } from './docs.ts';
import type { Login } from './login.ts';
import type { Ties, World } from './world.ts';

const DEADLINE_MS = 2000;
const WAITS = [MINUTE / 2, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, 60 * MINUTE];
const LAST_MS = 120 * MINUTE;

/** The SHA-256 of the app id, the body, the timestamp and the webhook's secret key. */
export function macOf(appId: string, body: string, timestamp: string, secret: string): string {
  return `mac=${createHash('sha256').update(`${appId}${body}${timestamp}${secret}`).digest('hex')}`;
}

export type Events = ReturnType<typeof makeEvents>;

export function makeEvents({ options, settings, pushes }: World, ties: Ties, { isLinked }: Pick<Login, 'isLinked'>) {
  const { clock, productUrl, appSecret } = options;

  pushes.start({
    bundle: (updates) =>
      updates.map(({ page_id, item }) => ({
        url: `${productUrl().replace(/\/+$/, '')}/push/${ABOUT.slug}`,
        body: JSON.stringify(item),
        accounts: [page_id],
      })),
    request({ url, body, attempts }, isWrong) {
      const { timestamp } = JSON.parse(body) as { timestamp: string | number };
      const secret = settings.get('oa_secret_key') || appSecret;
      const mac = macOf(APP_ID, body, String(timestamp), isWrong ? 'wrong' : secret);
      const again: Record<string, string> = attempts === 0 ? {} : { num_retry: String(attempts) };
      return { url, body, headers: { 'content-type': 'application/json', 'x-zevent-signature': mac, ...again } };
    },
    deadlineMs: DEADLINE_MS,
    waits: WAITS,
    lastTry: LAST_MS,
  });

  /** Notifies the app if the account has authorized it. Inside a transaction. */
  function tell(account: string, event_name: string, about: Fields): void {
    if (!isLinked(account)) return;
    const now = clock.now();
    const timestamp = settings.get('plain_numbers') ? now : String(now);
    pushes.add({ page_id: account, kind: event_name, item: { app_id: APP_ID, event_name, ...about, timestamp } });
  }

  const userOf = ({ person }: Tie) => (person === '' ? {} : { user_id_by_app: ties.appIdOf(person) });
  return Object.freeze({
    tell,
    fromUser(tie: Tie, event: string, about: Fields): void {
      tell(tie.page_id, event, { sender: { id: tie.id }, recipient: { id: tie.page_id }, ...userOf(tie), ...about });
    },
    fromAccount(tie: Tie, event: string, about: Fields): void {
      tell(tie.page_id, event, { sender: { id: tie.page_id }, recipient: { id: tie.id }, ...userOf(tie), ...about });
    },
    /** Reports a follow or unfollow, for which the envelope is different. */
    following(tie: Tie, event: 'follow' | 'unfollow'): void {
      tell(tie.page_id, event, { oa_id: tie.page_id, follower: { id: tie.id }, source: 'oa_profile', ...userOf(tie) });
    },
  });
}
