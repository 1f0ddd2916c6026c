import { createHmac, randomUUID } from 'node:crypto';
import type { Docs } from '#sandbox/kit/docs.ts';
import { makeSigner } from '#sandbox/kit/oauth/jwt.ts';
import type { TwinOptions } from '#sandbox/kit/options.ts';
import { openPushes } from '#sandbox/kit/push/pushes.ts';
import { numericJson, type PlazaDocs } from './docs.ts';
import type { PlazaSettings } from './world.ts';

/** Who the JWTs are of. */
const ISSUER = 'https://plaza.test';

const hmac = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex');

export type Pushing = ReturnType<typeof makePushing>;

/** Pushes to the address of each account: signed with its secret, reviews as JWTs. */
export function makePushing(options: TwinOptions, docs: Docs<PlazaDocs>, settings: PlazaSettings) {
  const { clock } = options;
  const signer = makeSigner('plaza');
  const pushes = openPushes({ ...options, network: 'plaza', prefix: 'plaza', settings });
  const subscriptionAt = (url: string) => docs.list('subscription').find(({ callback }) => callback === url);
  const claimsFor = (aud: string) => ({ iss: ISSUER, aud, exp: Math.floor(clock.now() / 1000) + 300 });

  pushes.start({
    bundle: (updates) =>
      updates.flatMap(({ page_id: profile, item }) => {
        const one = docs.get('subscription', profile);
        const isActive = one !== undefined && one['ended'] !== true && (one['until'] as number) > clock.now();
        return isActive ? [{ url: String(one['callback']), body: numericJson(item), accounts: [profile] }] : [];
      }),
    request({ url, body }, isWrong) {
      const secret = isWrong ? 'wrong' : String(subscriptionAt(url)?.['secret']);
      const isReview = body.includes('"type":"review"');
      const proof: Record<string, string> = isReview
        ? { authorization: `Bearer ${signer.sign(claimsFor(isWrong ? 'somebody' : url))}` }
        : { 'x-plaza-signature': hmac(secret, body) };
      return { url, body, headers: { ...proof, 'content-type': 'application/json' } };
    },
    waits: [60_000, 3_600_000],
    lastTry: 86_400_000,
  });

  return Object.freeze({
    ...pushes,
    keys: signer.keys,
    push: (profile: string, event: object) => pushes.add({ page_id: profile, kind: 'event', item: event }),
    /** Whether the address answers the challenge as only its owner can, in JSON. */
    proves(callback: string, secret: string): Promise<boolean> {
      const challenge = randomUUID();
      const proof = JSON.stringify({ proof: hmac(secret, challenge) });
      const request = { method: 'GET', url: `${callback}?challenge=${challenge}` };
      return pushes.handshake(callback, request, ({ status, text }) => status === 200 && text === proof);
    },
  });
}
