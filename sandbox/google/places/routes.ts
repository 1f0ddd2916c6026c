import { tableOf } from '#kernel/text/table.ts';
import type { GoogleCall, GoogleRoute } from '../../googleapis/calls.ts';
import { badField } from '../../googleapis/errors.ts';
import { masked, pathsIn } from '../../googleapis/masks.ts';
import { listed } from '../../googleapis/paging.ts';
import { route } from '../../kit/api/routes.ts';
import { ACCOUNT_TYPES, type Location } from '../docs.ts';
import type { World } from '../world.ts';
import { accountView, locationView, type Places } from './places.ts';

export const MANAGE = 'https://www.googleapis.com/auth/business.manage';
export const OLD_MANAGE = 'https://www.googleapis.com/auth/plus.business.manage';

/** A route that needs the scope for managing; its former name is accepted too. */
export const on = (
  verb: string,
  path: string,
  params: readonly string[],
  run: GoogleRoute['run'],
  more: Partial<GoogleRoute> = {},
): GoogleRoute => route(verb, path, { scopes: [MANAGE], params, ...more }, run);

const MOST_ACCOUNTS = 20;
const MOST_LOCATIONS = 100;
const NORMAL_LOCATIONS = 10;

const MASK = Object.freeze(
  'name languageCode storeCode title phoneNumbers categories storefrontAddress websiteUri regularHours specialHours serviceArea labels adWordsLocationExtensions latlng openInfo metadata profile relationshipData moreHours serviceItems'.split(
    ' ',
  ),
);

function readMask({ params }: GoogleCall): readonly string[] {
  const paths = pathsIn(params.text('readMask'));
  if (paths.length === 0) throw badField('read_mask', 'Missing required field: read_mask');
  const unknown = paths.filter((path) => path !== '*' && !MASK.includes(path.split('.')[0]!));
  if (unknown.length > 0)
    throw badField('read_mask', `Invalid field mask provided: ${unknown.join(', ').slice(0, 200)}`);
  return paths.includes('*') ? MASK : paths;
}

const ORDERS: ReadonlyMap<string, (location: Location) => string> = tableOf({
  title: ({ title }) => title,
  store_code: ({ code = '' }) => code,
  storeCode: ({ code = '' }) => code,
});

function arranged({ params }: GoogleCall, all: readonly Location[]): readonly Location[] {
  const [, by = '', direction = 'asc'] = /^(\w+)(?: (asc|desc))?$/.exec(params.text('orderBy') ?? '') ?? [];
  const order = ORDERS.get(by);
  if (params.text('orderBy') && order === undefined) throw badField('order_by', 'Invalid order_by.');
  const filter = params.text('filter') ?? '';
  const [, field = '', value = ''] = /^(title|store_code|storeCode)\s*=\s*"?([^"]*)"?$/.exec(filter) ?? [];
  if (filter !== '' && field === '') throw badField('filter', 'Invalid filter.');
  const left =
    filter === '' ? all : all.filter((one) => ORDERS.get(field)?.(one).toLowerCase() === value.toLowerCase());
  if (order === undefined) return left;
  const sorted = left.toSorted((a, b) => order(a).localeCompare(order(b), 'en'));
  return direction === 'desc' ? sorted.toReversed() : sorted;
}

export const accountRoutes = (places: Places): readonly GoogleRoute[] => [
  on('GET', '/v1/accounts', ['pageSize', 'pageToken', 'filter', 'parentAccount'], (call) => {
    const { caller, params } = call;
    const [, type] = /^type\s*=\s*(\w+)$/.exec(params.text('filter') ?? '') ?? [];
    if (params.text('filter') && !ACCOUNT_TYPES.some((one) => one === type))
      throw badField('filter', 'Invalid filter.');
    const parent = params.text('parentAccount')?.replace('accounts/', '');
    if (parent !== undefined) places.accountFor(caller, parent);
    const all = places
      .accountsOf(caller.person)
      .filter((one) => (type === undefined || one.type === type) && (parent === undefined || one.parent === parent));
    const bound = `${caller.person} ${type} ${parent}`;
    const { items, next } = listed(call, all, { most: MOST_ACCOUNTS, normal: MOST_ACCOUNTS, bound });
    return { ...(items.length > 0 && { accounts: items.map((one) => accountView(one, caller.person)) }), ...next };
  }),
  on('GET', '/v1/accounts/{account}', [], ({ caller, path }) =>
    accountView(places.accountFor(caller, path['account']!), caller.person),
  ),
];

export const locationRoutes = (world: World, places: Places): readonly GoogleRoute[] => [
  on('GET', '/v1/accounts/{account}/locations', ['readMask', 'pageSize', 'pageToken', 'filter', 'orderBy'], (call) => {
    const { caller, path, params } = call;
    const mask = readMask(call);
    const id = path['account']!;
    const all = id === '-' ? places.reachedBy(caller.person) : places.locationsIn(places.accountFor(caller, id).id);
    const bound = `${caller.person} ${params.text('filter')} ${params.text('orderBy')} ${params.text('readMask')}`;
    const chosen = arranged(call, all);
    const { items, next } = listed(call, chosen, { most: MOST_LOCATIONS, normal: NORMAL_LOCATIONS, bound });
    const locations = items.map((one) => masked(locationView(world, places, one), mask));
    return { ...(items.length > 0 && { locations, totalSize: chosen.length }), ...next };
  }),
  on('GET', '/v1/locations/{location}', ['readMask'], (call) => {
    const mask = readMask(call);
    return masked(locationView(world, places, places.locationFor(call.caller, call.path['location']!)), mask);
  }),
];
