import { fixedId } from '../../kit/ids.ts';
import type { GoogleCaller } from '../../googleapis/calls.ts';
import { ABOUT } from '../about.ts';
import type { Account, AccountType, Location } from '../docs.ts';
import { forbidden, notFound } from '../../googleapis/errors.ts';
import { placeUrl, type World } from '../world.ts';

export type Places = ReturnType<typeof makePlaces>;

export function makePlaces(world: World) {
  const { docs, options, hosts } = world;
  const account = (id: string) => docs.get('account', id);
  const location = (id: string) => docs.get('location', id);
  const accountsOf = (person: string) => docs.list('account').filter(({ roles }) => roles[person] !== undefined);
  const locationsIn = (id: string) => docs.list('location').filter(({ accounts }) => accounts.includes(id));

  /** The locations that a person can reach through their accounts. */
  const reachedBy = (person: string): readonly Location[] => {
    const own = new Set(accountsOf(person).map(({ id }) => id));
    return docs.list('location').filter(({ accounts }) => accounts.some((id) => own.has(id)));
  };

  return Object.freeze({
    account,
    location,
    accountsOf,
    locationsIn,
    reachedBy,
    reviewUrl: ({ id }: Location) => `${hosts.maps()}/local/writereview?placeid=${placeIdOf(id)}`,
    addAccount(type: AccountType, name: string, owner: string, parent?: string): Account {
      const id = `10${fixedId(ABOUT.slug, 'account', type, name, owner)}${type.length}`;
      const roles = { [owner]: 'PRIMARY_OWNER' } as const;
      return docs.put('account', { id, at: options.clock.now(), type, name, roles, ...(parent && { parent }) });
    },
    addLocation(title: string, accounts: readonly string[], code?: string): Location {
      const id = `4${fixedId(ABOUT.slug, 'location', title, accounts[0] ?? '')}`;
      const description = `${title} welcomes you.`;
      const made = { id, at: options.clock.now(), title, accounts, description, has_voice: true };
      return docs.put('location', { ...made, ...(code !== undefined && { code }) });
    },
    accountFor({ person }: Pick<GoogleCaller, 'person'>, id: string): Account {
      const found = account(id);
      if (found === undefined) throw notFound();
      if (found.roles[person] === undefined) throw forbidden();
      return found;
    },
    /** Returns a location that the caller can reach through an account, or through any if none is given. */
    locationFor({ person }: Pick<GoogleCaller, 'person'>, id: string, through?: string): Location {
      const found = location(id);
      if (found === undefined) throw notFound();
      const ways = through === undefined ? found.accounts : found.accounts.filter((one) => one === through);
      if (!ways.some((one) => account(one)?.roles[person] !== undefined)) throw forbidden();
      return found;
    },
  });
}

const placeIdOf = (location: string) => `ChIJ${Buffer.from(location).toString('base64url').slice(0, 23)}`;

export const hasPlaceId = (placeId: string) => (location: Location) => placeIdOf(location.id) === placeId;

export const accountView = ({ id, type, name, roles }: Account, person: string): object => ({
  name: `accounts/${id}`,
  accountName: name,
  type,
  role: roles[person],
  verificationState: 'UNVERIFIED',
  vettedState: 'NOT_VETTED',
  ...(type !== 'PERSONAL' && { accountNumber: id.slice(-10), permissionLevel: 'OWNER_LEVEL' }),
  ...(type === 'ORGANIZATION' && { organizationInfo: { registeredDomain: 'sandbox.test' } }),
});

export const locationView = (world: World, places: Places, location: Location): Readonly<Record<string, unknown>> => {
  const { id, title, code, description, has_voice, no_posts } = location;
  return {
    name: `locations/${id}`,
    languageCode: 'en',
    title,
    ...(code !== undefined && { storeCode: code }),
    phoneNumbers: { primaryPhone: '+44 20 7946 0123' },
    categories: { primaryCategory: { name: 'categories/gcid:establishment', displayName: 'Establishment' } },
    storefrontAddress: {
      regionCode: 'GB',
      languageCode: 'en',
      postalCode: 'EC1A 1BB',
      locality: 'London',
      addressLines: [`${Number(id.slice(-2)) + 1} Harbour Street`],
    },
    websiteUri: `https://${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.example/`,
    latlng: { latitude: 51.5, longitude: -0.1 },
    openInfo: { status: 'OPEN', canReopen: true },
    metadata: {
      canDelete: true,
      hasVoiceOfMerchant: has_voice,
      ...(no_posts === true && { canOperateLocalPost: false }),
      placeId: placeIdOf(id),
      mapsUri: placeUrl(world, id),
      newReviewUri: places.reviewUrl(location),
    },
    profile: { description },
  };
};

const RESIDENTS = Object.freeze([
  ['olivia.sandbox.test', 'Olivia Harbour', true],
  ['sam.sandbox.test', 'Sam Single', true],
  ['nora.sandbox.test', 'Nora Nowhere', true],
  ['fred.sandbox.test', 'Fred Follower', false],
  ['mia.sandbox.test', 'Mia Message', false],
  ['zoe.sandbox.test', 'Zoë Ünder', false],
] as const);

/** The residents' businesses: one person has three, one of which is in two accounts; one has one and one has none. */
export function settle({ options, people }: World, places: Places): void {
  options.store.write(() => {
    const [olivia, sam, nora] = RESIDENTS.map(([handle, name, owner]) => people.add(handle, name, owner).id);
    const own = places.addAccount('PERSONAL', 'Olivia Harbour', olivia!).id;
    const group = places.addAccount('LOCATION_GROUP', 'Harbour Group', olivia!).id;
    places.addLocation('Harbour Café', [own, group], 'CAFE');
    places.addLocation('Harbour Bakery', [group], 'BAKERY');
    places.addLocation('Harbour Boats', [group]);
    places.addLocation("Sam's Barber Shop", [places.addAccount('PERSONAL', 'Sam Single', sam!).id]);
    places.addAccount('PERSONAL', 'Nora Nowhere', nora!);
  });
}
