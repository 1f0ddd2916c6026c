import { cutPage } from '../googleapis/paging.ts';
import { perMinute } from '../kit/api/rates.ts';
import { route, type Caller, type Route, type RouteCall } from '../kit/api/routes.ts';
import { makeReader } from '../kit/api/shapes.ts';
import { WORDS } from './errors.ts';
import type { World } from './world.ts';

export type Call = RouteCall<Caller>;

const MOST = 250;

export const read = makeReader(({ place, words }) => WORDS.invalid(`${place}: ${words}`));

/** Makes calls with the scopes they need and the category in which their rate is counted. */
export const makeCalls =
  ({ settings }: Pick<World, 'settings'>) =>
  (verb: string, path: string, scopes: string, run: (call: Call) => unknown): Route<Caller> => {
    const category = verb === 'GET' ? 'org_read' : 'org_write';
    const minute = perMinute(category, () => settings.get(category));
    const calls = () => (settings.get('trial') ? settings.get('trial_calls_a_day') : Number.MAX_SAFE_INTEGER);
    const day = perMinute('trial', calls, { window_s: 86_400, key: 'app' });
    return route<Caller>(verb, `/v5${path}`, { scopes: scopes.split(' '), rates: [minute, day] }, run);
  };

/** A page of a list. On the last page the bookmark is null. */
export function listed<T>({ params, ctx }: Call, all: readonly T[], show: (one: T) => object): object {
  const size = params.whole('page_size') ?? 25;
  if (size < 1 || size > MOST) throw WORDS.invalid(`page_size must be between 1 and ${MOST}.`);
  const { bookmark: token, ...request } = params.query;
  const page = cutPage(all, { size, token, bound: `${ctx.path} ${JSON.stringify(request)}` });
  if (page === undefined) throw WORDS.invalid('The bookmark is not valid.');
  return { items: page.items.map(show), bookmark: page.nextPageToken ?? null };
}
