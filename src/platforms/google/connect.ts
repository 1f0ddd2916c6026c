import * as z from 'zod';
import type { PlatformError } from '../errors.ts';
import { type GoogleCall, nextPageToken, readPages } from '../googleapis/api.ts';
import { googleLogin, type GoogleProfile } from '../googleapis/login.ts';
import { isRefused, refused } from '../shared/errors.ts';
import { flag, readable, text, word } from '../shared/fields.ts';
import { path } from '../shared/rest.ts';
import { request, lastOf, Named } from './api.ts';
import { MediaItem } from './media-items.ts';

const ACCOUNTS_A_PAGE = 20;
const LOCATIONS_A_PAGE = 100;
/** Most accounts that are read; nobody would look through a longer list. */
const MOST_ACCOUNTS = 200;
const MOST_LOCATIONS = 1000;
const NO_POSTS = 'Google does not accept posts for the locations of this login.';
/** In a longer list, the remaining locations have no pictures. */
const MOST_PICTURES = 20;
const READ_MASK = 'name,title,storeCode,languageCode,storefrontAddress,websiteUri,metadata,profile';

const Account = z.object({ name: Named, accountName: word });
type Account = z.output<typeof Account>;
const Accounts = z.object({ accounts: z.array(z.unknown()).default([]), nextPageToken });

const Location = z.object({
  name: Named,
  title: word,
  storeCode: word,
  languageCode: text,
  websiteUri: text,
  storefrontAddress: z
    .object({ addressLines: z.array(z.string()).default([]), locality: text, postalCode: text, regionCode: text })
    .optional()
    .catch(undefined),
  profile: z.object({ description: text }).optional().catch(undefined),
  metadata: z
    .object({
      hasVoiceOfMerchant: flag,
      /** Google sets this for few locations only and no longer for the others. */
      canOperateLocalPost: z.boolean().optional().catch(undefined),
      placeId: text,
      mapsUri: text,
      newReviewUri: text,
    })
    .optional()
    .catch(undefined),
});
type Location = z.output<typeof Location>;
const Locations = z.object({ locations: z.array(z.unknown()).default([]), nextPageToken });
const Items = z.object({ mediaItems: z.array(z.unknown()).default([]) });

/** One login can manage locations of several Business Profile accounts; each location becomes an account here. */
export const connect = googleLogin({
  slug: 'google',
  title: 'Google Business Profile',
  scopes: {
    setting: 'GOOGLE_SCOPES',
    losses: { 'business.manage': 'No location is found, and nothing else works.' },
  },
  required: ['business.manage'],
  async profiles(call): Promise<readonly GoogleProfile[]> {
    const accounts = await accountsOf(call);
    const found = new Map<string, Readonly<{ account: Account; location: Location }>>();
    let refusal: PlatformError | undefined;
    for (const account of accounts) {
      try {
        // A location may be listed under its owner and under a group; the first one found counts.
        for (const location of await locationsOf(call, account)) {
          if (location.metadata?.canOperateLocalPost === false) refusal = refused('no_locations', NO_POSTS);
          else if (!found.has(location.name)) found.set(location.name, { account, location });
        }
      } catch (error) {
        if (!isRefused(error, 'permission_denied', 'not_found')) throw error;
        refusal = error;
      }
      if (found.size >= MOST_LOCATIONS) break;
    }
    if (found.size === 0) throw refusal ?? refused('no_locations', 'This Google login manages no business location.');
    const all = [...found.values()].slice(0, MOST_LOCATIONS);
    const pictures = await Promise.all(all.slice(0, MOST_PICTURES).map((one) => pictureOf(call, one)));
    return all.map((one, index) => profileOf(one, pictures[index]));
  },
});

async function accountsOf(call: GoogleCall): Promise<readonly Account[]> {
  const accounts = await readPages(async (pageToken) => {
    const query = { pageSize: ACCOUNTS_A_PAGE, pageToken };
    const options = { method: 'GET', host: 'accountmanagement', path: '/v1/accounts', query } as const;
    const { accounts: items, ...rest } = await request(call, options, Accounts);
    return { items, ...rest };
  }, MOST_ACCOUNTS);
  return readable(Account, accounts);
}

async function locationsOf(call: GoogleCall, { name: account }: Account): Promise<readonly Location[]> {
  const locations = await readPages(async (pageToken) => {
    const query = { readMask: READ_MASK, pageSize: LOCATIONS_A_PAGE, pageToken };
    const where = path`/v1/accounts/${{ account }}/locations`;
    const options = { method: 'GET', host: 'businessinformation', ...where, query } as const;
    const { locations: items, ...rest } = await request(call, options, Locations);
    return { items, ...rest };
  }, MOST_LOCATIONS);
  return readable(Location, locations);
}

/** The logo, profile or cover photo of a location; undefined if it cannot be read. */
async function pictureOf(
  call: GoogleCall,
  { account: { name: account }, location: { name: location } }: Readonly<{ account: Account; location: Location }>,
): Promise<string | undefined> {
  const where = path`/v4/accounts/${{ account }}/locations/${{ location }}/media`;
  const options = { method: 'GET', host: 'mybusiness', ...where, query: { pageSize: 100 } } as const;
  const items = await request(call, options, Items).then(
    ({ mediaItems }) => readable(MediaItem, mediaItems),
    () => [],
  );
  const wanted = ['PROFILE', 'LOGO', 'COVER'].map((category) =>
    items.find(({ locationAssociation }) => locationAssociation?.category === category),
  );
  return wanted.find((item) => item?.googleUrl !== undefined)?.googleUrl;
}

function profileOf(
  { account, location }: Readonly<{ account: Account; location: Location }>,
  picture: string | undefined,
): GoogleProfile {
  const { name, title, storeCode, languageCode, websiteUri, storefrontAddress: address, metadata } = location;
  const lines = address && [...address.addressLines, [address.postalCode, address.locality].filter(Boolean).join(' ')];
  return {
    session: { account: account.name, location: name },
    profile: {
      platform_user_id: `accounts/${account.name}/locations/${name}`,
      username: storeCode,
      name: title || storeCode || lastOf(name),
      bio: location.profile?.description,
      profile_picture_url: picture,
      profile_url: metadata?.mapsUri,
      metadata: {
        business_account: `accounts/${account.name}`,
        business_account_name: account.accountName,
        // Pushes contain this name, regardless of the account that sent them.
        location: `locations/${name}`,
        place_id: metadata?.placeId,
        new_review_url: metadata?.newReviewUri,
        website_url: websiteUri,
        language_code: languageCode,
        address: lines?.filter(Boolean).join(', '),
        // If this is false, Google refuses posts and replies.
        has_voice_of_merchant: metadata?.hasVoiceOfMerchant ?? null,
      },
    },
  };
}
