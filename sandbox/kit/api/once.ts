import { createHash } from 'node:crypto';
import type { Clock } from '#kernel/clock.ts';
import type { Doc, DocStore } from '../docs.ts';
import type { TwinError } from './errors.ts';
import type { Caller, RouteCall } from './routes.ts';

/** The answer to a request with its own key, which is the id. */
export type Answered = Doc & Readonly<{ asked: string; body: unknown }>;

export const askedIn = ({ ctx, params }: Pick<RouteCall<Caller>, 'ctx' | 'params'>): string =>
  createHash('sha256')
    .update(`${ctx.path} ${JSON.stringify(params.values)}`)
    .digest('hex');

/** Runs work with a key once for a while, and repeats its answer; other requests with the key are refused. */
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
