/** A WebSub hub: verifies subscribers and sends them updates until their lease expires. */
import { HOUR } from '#kernel/clock.ts';
import { createHmac } from 'node:crypto';
import type { Context } from 'koa';
import { readBody } from '../../body.ts';
import type { Doc, DocStore } from '../docs.ts';
import { randomText } from '../ids.ts';
import type { TwinOptions } from '../options.ts';
import type { PushAnswer, Pushes } from './pushes.ts';

export type Subscription = Doc &
  Readonly<{ page_id: string; callback: string; topic: string; secret: string; until: number }>;

type HubOptions = Readonly<{
  world: Readonly<{ options: TwinOptions; pushes: Pushes }>;
  network: string;
  docs: DocStore<{ subscription: Subscription }>;
  accountOf(topic: string): string | undefined;
  /** The longest lease, in seconds. */
  mostLease(): number;
  body(topic: string, item: string): string;
  type: string;
}>;

const MOST_BODY = 16 * 1024;
const USUAL_LEASE_S = 432_000;
const MOST_SECRET = 200;

export function openHub({ world, network, docs, accountOf, mostLease, body: bodyOf, type }: HubOptions) {
  const { options, pushes } = world;
  const { clock, complain } = options;
  const verifying = new Set<Promise<void>>();

  pushes.start({
    bundle: (updates) =>
      updates.flatMap(({ page_id, item }) =>
        docs
          .list('subscription', { page: page_id })
          .filter(({ until }) => until > clock.now())
          .map(({ callback, topic }) => ({ url: callback, body: bodyOf(topic, String(item)), accounts: [page_id] })),
      ),
    request({ url, body }, isWrong) {
      const secret = docs.list('subscription').find(({ callback }) => callback === url)?.secret ?? '';
      const mac = createHmac('sha1', isWrong ? 'wrong' : secret).update(body);
      const proof: Record<string, string> = secret === '' ? {} : { 'x-hub-signature': `sha1=${mac.digest('hex')}` };
      return { url, body, headers: { 'content-type': type, ...proof } };
    },
    waits: [60_000, 10 * 60_000, HOUR],
    lastTry: 24 * HOUR,
  });

  async function verify(mode: string, wanted: Omit<Subscription, 'at' | 'until'>, lease: number): Promise<void> {
    const { callback, topic, id } = wanted;
    const challenge = randomText(20);
    const url = new URL(callback);
    const request = { mode, topic, challenge, ...(mode === 'subscribe' && { lease_seconds: String(lease) }) };
    for (const [name, value] of Object.entries(request)) url.searchParams.set(`hub.${name}`, value);
    const isProof = ({ status = 0, text }: PushAnswer) => status >= 200 && status <= 299 && text === challenge;
    if (!(await pushes.handshake(callback, { method: 'GET', url: url.href }, isProof))) return;
    if (mode === 'unsubscribe') docs.remove('subscription', id);
    else docs.put('subscription', { ...wanted, at: clock.now(), until: clock.now() + lease * 1000 });
  }

  return Object.freeze({
    pushes: {
      ...pushes,
      async settle() {
        while (verifying.size > 0) await Promise.all(verifying);
        await pushes.settle();
      },
    },
    /** Handles `/subscribe`. Verifies the callback after responding, or before if `hub.verify` is `sync`. */
    async subscribe(ctx: Context, rest: readonly string[]): Promise<void> {
      if (ctx.method !== 'POST' || rest.join('/') !== 'subscribe') return;
      const form = new URLSearchParams(String((await readBody(ctx, MOST_BODY)) ?? ''));
      const field = (name: string) => form.get(`hub.${name}`) ?? '';
      const [mode, topic, callback, secret] = [field('mode'), field('topic'), field('callback'), field('secret')];
      const refuse = (what: string) =>
        void Object.assign(ctx, { status: 400, type: 'text', body: `Invalid hub.${what}` });
      const page_id = accountOf(topic);
      if (mode !== 'subscribe' && mode !== 'unsubscribe') return refuse('mode');
      if (!URL.canParse(callback) || !/^https?:/.test(callback)) return refuse('callback');
      if (page_id === undefined) return refuse('topic');
      if (secret.length > MOST_SECRET) return refuse('secret');
      const lease = Math.min(mostLease(), Number(field('lease_seconds')) || USUAL_LEASE_S);
      const wanted = { id: `${callback} ${topic}`, page_id, callback, topic, secret };
      const proof = verify(mode, wanted, lease).catch((error: unknown) => complain(error, `${network} hub`));
      verifying.add(proof);
      void proof.finally(() => verifying.delete(proof));
      const isSync = field('verify') === 'sync';
      if (isSync) await proof;
      ctx.status = isSync ? 204 : 202;
      ctx.body = '';
    },
  });
}
