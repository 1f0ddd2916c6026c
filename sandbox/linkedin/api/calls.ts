import { makeRestli, type RestCall } from '../../kit/api/restli.ts';
import type { Caller, Rate, Route } from '../../kit/api/routes.ts';
import { makeReader } from '../../kit/api/shapes.ts';
import type { Role } from '../docs.ts';
import { badField, badVersion, fabric, illegal, notPermitted } from '../errors.ts';
import type { Feed } from '../feed.ts';
import type { Login } from '../login.ts';
import type { Notices } from '../notices.ts';
import { isOrganization, personUrn, type Names, type World } from '../world.ts';

export type Parts = Readonly<{
  world: World;
  names: Names;
  login: Login;
  notices: Notices;
  feed: Feed;
  api: ReturnType<typeof makeApi>;
}>;
export type Call = RestCall<Caller>;
export type Routes = readonly Route<Caller>[];

export const read = makeReader(badField);

/** A limit per UTC day, read from a setting. */
const dailyRate = ({ settings, options: { clock } }: World, limit: 'calls_per_day' | 'posts_per_day'): Rate => ({
  window_s: 86_400,
  get name() {
    return `${limit} ${Math.floor(clock.now() / 86_400_000)}`;
  },
  get limit() {
    return settings.get(limit);
  },
});

const WRITERS = ['ADMINISTRATOR', 'CONTENT_ADMINISTRATOR', 'DIRECT_SPONSORED_CONTENT_POSTER'];
const ADMIN = ['rw_organization_admin', 'r_organization_admin'];
/** The scopes of each right (one is enough; `*` is `member` or `organization`) and the roles in an organization. */
const RIGHTS = Object.freeze({
  post: { scopes: ['w_*_social'], roles: WRITERS },
  react: { scopes: ['w_*_social_feed'], roles: WRITERS },
  posts: { scopes: ['r_*_social'], roles: WRITERS },
  feed: { scopes: ['r_*_social_feed'], roles: WRITERS },
  report: { scopes: ADMIN, roles: [...WRITERS, 'ANALYST'] },
  manage: { scopes: ADMIN.slice(0, 1), roles: ['ADMINISTRATOR'] },
});
type Right = keyof typeof RIGHTS;

export function makeApi(world: World) {
  const { docs, settings } = world;
  const roleOf = (organization: string, person: string): Role | undefined =>
    docs.get('role', `${organization} ${personUrn(person)}`);
  /** Whether a caller may act for a member or an organization. */
  function isAllowed({ caller: { person, scopes } }: Call, urn: string, right: Right): boolean {
    const { scopes: needed, roles } = RIGHTS[right];
    const isPage = isOrganization(urn);
    const isTheirs = isPage ? roles.includes(roleOf(urn, person)?.role ?? '') : urn === personUrn(person);
    const who = isPage ? 'organization' : 'member';
    return isTheirs && needed.some((scope) => scopes.includes(scope.replace('*', who)));
  }
  const perPost = dailyRate(world, 'posts_per_day');
  return Object.freeze({
    ...makeRestli<Caller>({
      refuse: illegal,
      write: world.options.store.write,
      rates: [dailyRate(world, 'calls_per_day')],
      before(ctx) {
        ctx.set(fabric());
        const version = ctx.get('linkedin-version');
        const [, month] = /^(\d{4}(?:0[1-9]|1[0-2]))(?:\.\d{2})?$/.exec(version) ?? [];
        const isServed =
          Number(month) >= settings.get('oldest_version') && Number(month) <= settings.get('newest_version');
        if (!isServed) throw badVersion(version);
        if (ctx.get('x-restli-protocol-version') !== '2.0.0') throw illegal('X-Restli-Protocol-Version must be 2.0.0');
      },
    }),
    isAllowed,
    authorize(call: Call, urn: string, right: Right): void {
      if (!isAllowed(call, urn, right)) throw notPermitted(`${call.entry.method} as ${urn.slice(0, 80)}`);
    },
    charge: (author: string) => ({ ...perPost, name: perPost.name, limit: perPost.limit, key: author, points: 1 }),
  });
}
