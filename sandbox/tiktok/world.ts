import { createHash } from 'node:crypto';
import { isLoopback } from '#kernel/net/addresses.ts';
import { digits, fixedId } from '../kit/ids.ts';
import { ownOrigins, type TwinOptions } from '../kit/options.ts';
import { moveIn } from '../kit/residents.ts';
import type { OrderedError } from '../kit/api/front.ts';
import { openWorld as openKit } from '../kit/world.ts';
import { ABOUT } from './about.ts';
import { SETTINGS, type Creator, type Privacy, type Product, type TikTokDocs } from './docs.ts';

/** The id of a post, comment or file, too large for a JSON number to hold exactly. */
export const newId = (): string => `7${digits(18)}`;

export function openWorld(options: TwinOptions) {
  const own = { settings: SETTINGS, userAgent: 'TikTok-mediafetcher', newId };
  const base = openKit<TikTokDocs, typeof SETTINGS, OrderedError>(options, ABOUT, own);
  const { webHost, apiHost } = base;
  return Object.freeze({
    ...base,
    hosts: { cdn: webHost('cdn'), www: webHost('www'), upload: apiHost('upload') },
    isVerified(url: string): boolean {
      const prefixes = base.settings.get('verified').split(',').filter(Boolean);
      const isOurs = URL.canParse(url) && ownOrigins(options).includes(new URL(url).origin);
      // If the sandbox is a separate process, it serves apps at any port of this machine.
      if (prefixes.length === 0) return isOurs || isLoopback(url);
      return (isOurs || url.startsWith('https://')) && prefixes.some((prefix) => url.startsWith(prefix));
    },
  });
}
export type World = ReturnType<typeof openWorld>;

const CREATORS = Object.freeze([
  ['olivia.sandbox.test', 'Harbour Coffee', {}],
  ['sam.sandbox.test', 'Single Origin', { longest_s: 300 }],
  ['pia.sandbox.test', 'Pia Private', { isPrivate: true, forbids: ['duet', 'stitch'], longest_s: 60 }],
] as const);

export function settle({ people, docs }: Pick<World, 'people' | 'docs'>): void {
  moveIn(people, CREATORS);
  for (const [handle, , more] of CREATORS)
    docs.change('person', people.find(handle)!.id, { isPrivate: false, forbids: [], longest_s: 600, ...more });
}

const scrambled = (...words: readonly string[]) =>
  createHash('sha256')
    .update([ABOUT.slug, ...words].join(' '))
    .digest('base64');

/** The ids of people, and their URLs. */
export function makeNames({ people, docs, hosts }: World) {
  const openId = (product: Product, person: string): string =>
    `${product === 'business' ? '_000' : '-000'}${scrambled(product, person).replaceAll(/[^A-Za-z\d]/g, '')}`;
  const creator = (id: string): Creator => docs.get('person', id)!;
  return Object.freeze({
    openId,
    /** The id by which every app of the API for Business knows somebody who comments or writes. */
    uniqueId: (person: string): string => `+${scrambled('person', person)}`,
    conversationId: (account: string, person: string): string => `+${scrambled(account, person)}`,
    creator,
    find: (words: string): string | undefined =>
      (
        people.find(words) ??
        people.owners().find(({ id }) => [openId('business', id), openId('developers', id)].includes(words))
      )?.id,
    avatarOf: (person: string): string =>
      `${hosts.cdn()}/picture/${fixedId(ABOUT.slug, 'picture', person)}.png?x-expires=1900000000`,
    profileOf: (person: string): string => `${hosts.www()}/@${creator(person).handle}`,
    privacyOf: (person: string): readonly Privacy[] => [
      creator(person).isPrivate === true ? 'FOLLOWER_OF_CREATOR' : 'PUBLIC_TO_EVERYONE',
      'MUTUAL_FOLLOW_FRIENDS',
      'SELF_ONLY',
    ],
  });
}
export type Names = ReturnType<typeof makeNames>;
