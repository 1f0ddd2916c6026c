import { loadSubscription, type SubscriptionRow } from '#db/inbox/subscriptions.ts';
import type { ErrorCode } from '#kernel/errors.ts';
import { randomHex } from '#kernel/ids.ts';
import { pushAddressOf } from '#platforms/addresses.ts';
import type { PlatformAnswer } from '#platforms/call.ts';
import type { Push } from '#platforms/push.ts';
import type { VerifyDeps, Work } from './deps.ts';
import type { Verdict } from './trail.ts';

/** Requests this server, or a page, from outside and without a login. */
export type CallApp = (method: 'GET' | 'POST', url: string, template: string, body?: string) => Promise<PlatformAnswer>;

/** The response to an unsigned webhook. */
const REFUSED: ErrorCode = 'auth.invalid_secret';

export function makePushChecks(deps: VerifyDeps) {
  const { store, clock } = deps;

  async function registered(work: Work, list: NonNullable<Push['registered']>, url: string): Promise<void> {
    const { trail, recorder, platform, network, account } = work;
    const client = await deps.apps.find(platform, { network, app_id: account?.app_id ?? null });
    if (client === undefined) return;
    // Simulators send to the running server; this program may be another process with its own address.
    const same = (one: string) =>
      one === url || (network === 'sandbox' && new URL(one).pathname === new URL(url).pathname);
    await trail.check('registered push address', 'the app has {ROOT_URL}/push/{platform} at the platform', async () => {
      const found = await list(recorder.over(deps.calling.bare(platform, network)), client);
      if (found.some(same)) return { seen: 'it has' };
      const seen = found.length === 0 ? 'it has none that is active' : 'it has another one';
      return { seen, differs: [seen] };
    });
  }

  /** Verifies the address by a challenge, as the platform does. */
  async function handshakeDone(
    { trail, platform, network }: Work,
    push: Push,
    path: string | null,
    url: string,
    callApp: CallApp,
  ) {
    const { challenge, question } = push.handshake!;
    const nonce = randomHex(8);
    const token = deps.verifyTokenOf(platform.slug, network);
    const query = { [challenge[0]!]: nonce, ...question?.(deps.calling.bare(platform, network), token ?? '') };
    await trail.check('push address', '{ROOT_URL}/push/{platform} answers the challenge of the platform', async () => {
      const expected = await deps.handshake(platform.slug, path ?? '', query);
      const answer = await callApp('GET', `${url}?${new URLSearchParams(query).toString()}`, '/push/{platform}');
      return verdictOn(answer, answer.status === 200 && bodyOf(answer) === expected.body);
    });
  }

  /** For platforms without a challenge: checks that this server refuses an unsigned webhook. */
  async function unsigned({ trail }: Work, url: string, callApp: CallApp): Promise<void> {
    await trail.check(
      'push address',
      '{ROOT_URL}/push/{platform} refuses what the platform has not signed',
      async () => {
        const answer = await callApp('POST', url, '/push/{platform}', '{}');
        return verdictOn(answer, bodyOf(answer).includes(REFUSED));
      },
    );
  }

  /** Whether the account's webhook address is registered at the platform, if that can be queried. */
  async function subscribed(
    work: Work,
    push: Push,
    { state, until, kept, callback: made }: SubscriptionRow,
    url: string,
  ) {
    const { trail, use } = work;
    await trail.check('subscription', 'the platform pushes to this server', async () => {
      const { isSubscribed } = push;
      const isThere = isSubscribed ? await use!((call) => isSubscribed(call, kept)) : true;
      const differs = [
        ...(isThere ? [] : ['the platform no longer has it']),
        ...(state === 'active' ? [] : [`it is ${state}`]),
        ...(until !== null && until < clock.now() ? ['it has ended'] : []),
        ...(made === url || work.network === 'sandbox'
          ? []
          : ['the platform has another address than that of this server']),
      ];
      const seen = isSubscribed ? 'the platform has it' : 'it cannot be asked; this server has it as active';
      return differs.length > 0 ? { seen: differs.join('; '), differs } : { seen };
    });
  }

  /** Whether the webhook address works as the platform requires, and is the registered one. */
  return async function checkPushes(work: Work, callApp: CallApp): Promise<void> {
    const { trail, platform, network, account } = work;
    const { push } = platform;
    if (!push) return trail.skip('push address', 'the platform pushes nothing, it is polled');
    if (!deps.isReachable(network))
      return trail.skip('push address', 'no platform reaches ROOT_URL, which is no public https address');
    const subscription = account && (await loadSubscription(store.db, account.id));
    const own = push.scope === 'account' ? subscription?.path : account?.app_id;
    if (push.scope !== 'app' && !own)
      return trail.skip('push address', 'each account or app has one of its own: name an account that has pushes');
    const path = push.scope === 'app' ? null : own!;
    const url = pushAddressOf(deps.pushUrl(network), platform.slug, path);
    if (push.registered) await registered(work, push.registered, url);
    await (push.handshake ? handshakeDone(work, push, path, url, callApp) : unsigned(work, url, callApp));
    if (subscription) await subscribed(work, push, subscription, url);
  };
}

const bodyOf = ({ body }: PlatformAnswer): string => Buffer.from(body).toString('utf8');

function verdictOn({ status }: PlatformAnswer, isRight: boolean): Verdict<undefined> {
  const seen = `HTTP ${status}`;
  return isRight ? { seen: `${seen}, as it should` } : { seen, differs: [`${seen} with another answer`] };
}
