import { createHash } from 'node:crypto';
import type { Clock } from '#kernel/clock.ts';
import type { Doc, DocStore } from '../docs.ts';
import type { TwinError } from './errors.ts';
import type { Caller, RouteCall } from './routes.ts';

/** The stored response to a request; `id` is the idempotency key, `asked` the hash of the request. */
export type Answered = Doc & Readonly<{ asked: string; body: unknown }>;

export const askedIn = ({ ctx, params }: Pick<RouteCall<Caller>, 'ctx' | 'params'>): string =>
  createHash('sha256')
    .update(`${ctx.path} ${JSON.stringify(params.values)}`)
    .digest('hex');

/** Runs work once per key and repeats its response for `life` ms; a different request with the key is refused. */
export const makeOnce =
  (docs: DocStore<{ answered: Answered }>, clock: Clock, refuse: () => TwinError) =>
  (key: string, life: number, asked: string, run: () => unknown): Readonly<{ body: unknown; isRepeated: boolean }> => {
    const known = docs.get('answered', key);
    if (known !== undefined && known.at > clock.now() - life) {
      if (known.asked !== asked) throw refuse();
      return { body: known.body, isRepeated: true };
    }
    const body = run();
    docs.put('answered', { id: key, at: clock.now(), asked, body });
    return { body, isRepeated: false };
  };
