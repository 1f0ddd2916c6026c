import type { PlatformSlug } from '#kernel/platforms.ts';
import type { AccountCall } from '#platforms/call.ts';
import type { Connected } from '#platforms/connect.ts';
import { PlatformError } from '#platforms/errors.ts';
import type { Platform } from '#platforms/platform.ts';
import { fakePlatform } from './fake.ts';

export const LIFE_MS = 3_600_000;

/** A login whose consent covers several places, with one refresh token for all of them that is good for one use. */
export function makeGrant() {
  return {
    places: ['one', 'two'],
    /** What its accounts have in common; each platform's own by default. */
    name: undefined as string | undefined,
    /** The refresh token came with an earlier consent. */
    withheld: false,
    turn: 1,
    refreshes: 0,
    reused: 0,
    ended: false,
    revoked: 0,
  };
}

export type Grant = ReturnType<typeof makeGrant>;

const refused = (why: string) => new PlatformError('refused', 'auth', why);

/** A platform of which one consent gives several accounts; `limits` needs the access token that is live. */
export function grantPlatform(slug: PlatformSlug, grant: Grant): Platform {
  const tokens = () => ({ access: `access-${grant.turn}`, refresh: `refresh-${grant.turn}` });
  const ends = (now: number) => now + LIFE_MS;
  const profileOf = (place: string, now: number): Connected => ({
    profile: { platform_user_id: place, username: place, name: `Place ${place}` },
    session: { place, ...tokens(), ...(grant.withheld && { refresh: undefined }) },
    expiresAt: ends(now),
    grant: grant.name ?? `${slug} user-1`,
    ...(grant.withheld && { inherits: { members: ['refresh'], otherwise: 'It lasts an hour only.' } }),
  });
  return fakePlatform(slug, {
    connect: {
      kind: 'oauth',
      begin: async () => ({ url: 'https://consent.example/', secrets: {} }),
      finish: async (call) => grant.places.map((place) => profileOf(place, call.now())),
      async refresh(call) {
        grant.refreshes += 1;
        if (grant.ended) throw refused('invalid_grant');
        if (call.session['refresh'] !== tokens().refresh) {
          grant.reused += 1;
          throw refused('used before');
        }
        grant.turn += 1;
        return { session: { ...call.session, ...tokens() }, expiresAt: ends(call.now()) };
      },
      async revoke() {
        grant.revoked += 1;
      },
    },
    async limits(call: AccountCall) {
      if (grant.ended || call.session['access'] !== tokens().access) throw refused('not the live token');
      return { [`${String(call.session['place'])}_remaining`]: 1 };
    },
  });
}
