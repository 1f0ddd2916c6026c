import { z } from 'zod';
import { makeReader } from '../../kit/api/shapes.ts';
import { perMinute } from '../../kit/api/rates.ts';
import { route, type Route, type RouteCall } from '../../kit/api/routes.ts';
import type { Params } from '../../kit/api/params.ts';
import type { Fields, Tie } from '../docs.ts';
import { invalid, overLimit, unsupported } from '../errors.ts';
import type { Events } from '../pushes.ts';
import type { Talk } from '../talk.ts';
import type { Ties, World } from '../world.ts';

export type OaCaller = Readonly<{ person: string; scopes: readonly string[] }>;
export type Call = RouteCall<OaCaller>;
export type ZaloRoute = Route<OaCaller>;

export type Parts = Readonly<{ world: World; ties: Ties; talk: Talk; events: Events }>;

const wrap = (data: unknown) => ({ data, error: 0, message: 'Success' });

/** Makes calls with wrapped responses. All calls of the app share one rate limit. */
export function makeCalls({ settings }: World) {
  const rates = [perMinute('app', () => settings.get('calls_per_minute'), { key: 'app' })];
  return (verb: string, path: string, run: (call: Call) => unknown): ZaloRoute =>
    route<OaCaller>(verb, path, { rates }, async (call) => wrap(await run(call)));
}

/** The JSON in the parameter `data`, which reads use. */
export function dataOf(params: Params): Fields {
  const data = params.object('data');
  if (data === undefined) throw invalid('data is missing');
  return data;
}

/** Parses a value by its schema; the error says whether it is too long, unknown or otherwise invalid. */
export const read = makeReader(({ place, code }) => {
  if (code === 'too_big') return overLimit(`${place} is over the limit`);
  return code === 'invalid_union' ? unsupported(`${place} is not supported`) : invalid(`${place} is invalid`);
});

export const listPage = (fields: Fields, most: number, last = Number.MAX_SAFE_INTEGER) =>
  read(
    z.looseObject({
      offset: z.coerce.number().int().min(0).max(last).default(0),
      count: z.coerce.number().int().min(1).max(most).default(most),
    }),
    fields,
    'data',
  );

/** The user of an account whom a call names. */
export function userOf({ ties }: Pick<Parts, 'ties'>, account: string, fields: Fields): Tie {
  const tie = ties.get(String(fields['user_id']));
  if (tie === undefined || tie.page_id !== account || tie.conversation !== undefined)
    throw invalid('user_id is invalid');
  return tie;
}

const VIETNAM_MS = 7 * 3_600_000;

export function vietnamTime(ms: number): Readonly<{ day: string; time: string }> {
  const at = new Date(ms + VIETNAM_MS).toISOString();
  const [year, month, day] = at.slice(0, 10).split('-');
  return { day: `${day}/${month}/${year}`, time: at.slice(11, 19) };
}
