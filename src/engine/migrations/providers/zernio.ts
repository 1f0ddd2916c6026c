import { z } from 'zod';
import type { MigrationSource, SourceAccount } from '#db/schema/database.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { Provider, Stay } from '../provider.ts';
import { everyPage } from './read-all-pages.ts';

/** The provider's platforms that this server supports, mostly under the same name. */
const SERVED: readonly PlatformSlug[] = [
  'tiktok',
  'instagram',
  'facebook',
  'youtube',
  'linkedin',
  'twitter',
  'threads',
  'pinterest',
  'bluesky',
  'telegram',
  'whatsapp',
];

const STAYING: Readonly<Partial<Record<Stay, readonly string[]>>> = {
  'unserved platform': ['reddit', 'snapchat', 'discord', 'slack', 'wordpress'],
  ads: ['linkedinads', 'metaads', 'pinterestads', 'tiktokads', 'xads', 'googleads', 'openaiads'],
  telephony: ['sms', 'phone', 'rcs'],
  commerce: ['shopify'],
};

const PER_PAGE = 100;

/** A name that was chosen by people outside the workspace. */
const cleanText = (max: number) => z.string().transform((text) => text.replaceAll('\0', '').trim().slice(0, max));
const id = z.string().min(1).max(128);
const handle = cleanText(300).optional().catch(undefined);

const Account = z.object({
  _id: id,
  platform: cleanText(50),
  profileId: z.union([id, z.object({ _id: id })]),
  username: handle,
  profileUrl: handle,
  parentAccountId: z.string().nullish(),
  enabled: z.boolean().optional(),
  metadata: z
    .object({ platformUserId: handle, phoneNumberId: handle, displayPhoneNumber: handle })
    .optional()
    .catch(undefined),
});
const Accounts = z.object({
  accounts: z.array(Account),
  pagination: z.object({ pages: z.int().optional() }).optional(),
});

const Profiles = z.object({
  profiles: z.array(z.object({ _id: id, name: cleanText(200).catch('') })),
  total: z.int().optional(),
});

function accountOf({
  platform,
  profileId,
  parentAccountId,
  enabled,
  ...given
}: z.output<typeof Account>): SourceAccount {
  const { platformUserId, phoneNumberId, displayPhoneNumber } = given.metadata ?? {};
  const phone = displayPhoneNumber?.replaceAll(/\D/g, '');
  return {
    profile: typeof profileId === 'string' ? profileId : profileId._id,
    platform,
    // A disabled account belongs to another account that is for ads.
    linked: typeof parentAccountId === 'string' || enabled === false,
    handles: [given.username, given.profileUrl, platformUserId, phoneNumberId, phone].flatMap((one) => one || []),
  };
}

/** https://zernio.com: profiles with any number of accounts of any platform. */
export const zernio: Provider = Object.freeze<Provider>({
  name: 'zernio',
  title: 'Zernio',
  url: 'https://zernio.com/api',
  platforms: new Map<string, PlatformSlug | Stay>([
    ...SERVED.map((slug) => [slug, slug] as const),
    ['googlebusiness', 'google'],
    ...Object.entries(STAYING).flatMap(([why, names]) => names.map((name) => [name, why as Stay] as const)),
  ]),
  keyOf: ({ authorization = '' }) => /^bearer +(\S+) *$/i.exec(authorization)?.[1],
  authorize: (key) => ({ authorization: `Bearer ${key}` }),
  async read(readPath): Promise<MigrationSource> {
    const accounts = await everyPage(async (page) => {
      const query = `includeOverLimit=true&page=${page}&limit=${PER_PAGE}`;
      const answer = Accounts.parse(await readPath(`/v1/accounts?${query}`));
      return { items: answer.accounts, isLast: page >= (answer.pagination?.pages ?? Infinity) };
    });
    const profiles = await everyPage(async (page) => {
      const skip = (page - 1) * PER_PAGE;
      const answer = Profiles.parse(
        await readPath(`/v1/profiles?includeOverLimit=true&skip=${skip}&limit=${PER_PAGE}`),
      );
      return { items: answer.profiles, isLast: skip + PER_PAGE >= (answer.total ?? Infinity) };
    });
    return { profiles: profiles.map(({ _id, name }) => ({ id: _id, name })), accounts: accounts.map(accountOf) };
  },
});
