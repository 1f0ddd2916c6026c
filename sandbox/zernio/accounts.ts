import { tableOf } from '#kernel/text/table.ts';
import type { Call, Calls } from './calls.ts';
import { PLATFORMS, type Account } from './docs.ts';
import { fixedId } from '../kit/ids.ts';
import { ABOUT } from './about.ts';
import { invalid } from './errors.ts';
import { showRef } from './profiles.ts';
import type { Teams, World } from './world.ts';

const MOST = 100;

const SITES: ReadonlyMap<string, string> = tableOf({
  twitter: 'https://x.com/',
  instagram: 'https://www.instagram.com/',
  facebook: 'https://www.facebook.com/',
  linkedin: 'https://www.linkedin.com/in/',
  tiktok: 'https://www.tiktok.com/@',
  youtube: 'https://www.youtube.com/@',
  threads: 'https://www.threads.com/@',
  pinterest: 'https://www.pinterest.com/',
  reddit: 'https://www.reddit.com/user/',
  bluesky: 'https://bsky.app/profile/',
  telegram: 'https://t.me/',
});

/** The URL of a profile, on platforms where it follows from the username. */
export const siteOf = ({ platform, username }: Account): string | undefined =>
  SITES.get(platform) && `${SITES.get(platform)}${username.replace(/^@/, '')}`;

/** Whether the account is neither disabled nor invalid. */
export const isConnected = ({ state }: Pick<Account, 'state'>): boolean => state === 'connected';

export const showAccountRef = ({ id, platform, username, name, state }: Account) => ({
  _id: id,
  platform,
  username,
  displayName: name,
  isActive: state !== 'inactive',
});

const makeShow =
  ({ docs, hosts }: World) =>
  (account: Account) => {
    const { parent_id, state, of, metadata } = account;
    const site = siteOf(account);
    const profile = docs.get('profile', parent_id);
    return {
      ...showAccountRef(account),
      profileId: profile === undefined ? parent_id : showRef(profile),
      profilePicture: `${hosts.media()}/picture/${fixedId(ABOUT.slug, 'picture', account.id)}.png`,
      ...(site !== undefined && { profileUrl: site }),
      ...(state === 'needs reconnection' && { needsReconnection: true }),
      parentAccountId: of ?? null,
      enabled: true,
      metadata,
    };
  };

export function accountRoute(world: World, teams: Teams, { row, mayUse, filterOf, wholeIn }: Calls) {
  const show = makeShow(world);

  /** The accounts that the key may see and the filters let through, oldest first. */
  function listed(call: Call): readonly Account[] {
    const [profile, platform] = [filterOf(call), call.params.text('platform')];
    if (platform !== undefined && !PLATFORMS.includes(platform)) throw invalid('Invalid platform', 'platform');
    return teams
      .accountsOf(call.team)
      .filter(
        (one) =>
          mayUse(call.key, one.parent_id) &&
          (profile === undefined || one.parent_id === profile) &&
          (platform === undefined || one.platform === platform),
      );
  }

  return row('GET', 'accounts', 'accounts', (call) => {
    const [page, limit] = [wholeIn(call, 'page', 1, Infinity), wholeIn(call, 'limit', 1, MOST)];
    if ((page === undefined) !== (limit === undefined))
      throw invalid('page and limit must be provided together', page === undefined ? 'page' : 'limit');
    const status = call.params.oneOf('status', ['connected', 'disconnected']);
    const all = listed(call).filter((one) => status === undefined || isConnected(one) === (status === 'connected'));
    if (page === undefined || limit === undefined) return { accounts: all.map(show), hasAnalyticsAccess: false };
    const rows = all.slice((page - 1) * limit, page * limit).map(show);
    const pagination = { page, limit, total: all.length, pages: Math.ceil(all.length / limit) };
    return { accounts: rows, hasAnalyticsAccess: false, pagination };
  });
}
