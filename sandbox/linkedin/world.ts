import type { OrderedError } from '../kit/api/front.ts';
import { digits, fixedId, randomText } from '../kit/ids.ts';
import type { TwinOptions } from '../kit/options.ts';
import { openWorld as openKit } from '../kit/world.ts';
import { ABOUT } from './about.ts';
import { SETTINGS, type Comment, type LinkedInDocs, type Post } from './docs.ts';

export type World = ReturnType<typeof openWorld>;

export const personUrn = (id: string): string => `urn:li:person:${id}`;
export const isOrganization = (urn: string): boolean => urn.startsWith('urn:li:organization:');
/** The last part of a URN, after the colon. */
export const idIn = (urn: string): string => urn.slice(urn.lastIndexOf(':') + 1);

/** Opens the tables. Unlike elsewhere, the ids of members are not numbers. */
export function openWorld(options: TwinOptions) {
  const own = { settings: SETTINGS, userAgent: 'LinkedInBot/1.0', newId: () => randomText(12), start: 'L_' };
  const kit = openKit<LinkedInDocs, typeof SETTINGS, OrderedError>(options, ABOUT, own);
  const hosts = { www: kit.webHost('www'), cdn: kit.webHost('cdn'), upload: kit.apiHost('upload') };
  return Object.freeze({ ...kit, hosts });
}

/** Members with their roles in organizations; other people follow. */
const MEMBERS: Readonly<Record<string, Readonly<Record<string, string>> | undefined>> = Object.freeze({
  'Olivia Harbour': { 'Harbour Coffee': 'ADMINISTRATOR', 'Single Origin': 'CONTENT_ADMINISTRATOR' },
  'Sam Single': { 'Single Origin': 'ADMINISTRATOR', 'Second Cup': 'ADMINISTRATOR' },
  'Nora Newcomer': {},
  'Fred Follower': undefined,
  'Mia Message': undefined,
  'Zoe Ünder': undefined,
});

const vanityOf = (name: string) => name.toLowerCase().replaceAll(' ', '-');

export function settle({ docs, people, options: { store, clock } }: World): void {
  const at = clock.now();
  store.write(() => {
    for (const [name, roles] of Object.entries(MEMBERS)) {
      const handle = `${name.split(' ')[0]!.toLowerCase()}.sandbox.test`;
      const person = personUrn(people.add(handle, name, roles !== undefined).id);
      for (const [title, role] of Object.entries(roles ?? {})) {
        const page_id = `urn:li:organization:1${fixedId(ABOUT.slug, 'organization', title).slice(-8)}`;
        docs.put('organization', { id: page_id, at, name: title, vanity: vanityOf(title) });
        docs.put('role', { id: `${page_id} ${person}`, at, page_id, person, role });
      }
    }
  });
}

export function reset(world: World): void {
  world.options.store.write(() => {
    world.reset('organization');
    settle(world);
  });
}

export type Names = ReturnType<typeof makeNames>;

export function makeNames({ docs, people, settings, hosts }: World) {
  type Named = Pick<Post, 'id'>;
  /** Names a post by one of its URNs. The number of its activity is one higher than its own. */
  function called(post: Named, as: string): string {
    if (as === 'own' || post.id.startsWith(`urn:li:${as}:`)) return post.id;
    return `urn:li:${as}:${BigInt(idIn(post.id)) + (as === 'activity' ? 1n : 0n)}`;
  }
  const named = (post: Named) => called(post, settings.get('posts_named_as'));
  return Object.freeze({
    named,
    activity: (post: Named) => called(post, 'activity'),
    listed: (post: Named) => called(post, settings.get('posts_listed_as')),
    comment: ({ id, parent_id }: Comment) => `urn:li:comment:(${named({ id: parent_id })},${id})`,
    post(urn: string): Post | undefined {
      const [, kind, number] = /^urn:li:(activity|share|ugcPost):([1-9]\d{0,19})$/.exec(urn) ?? [];
      if (number === undefined) return undefined;
      const own = BigInt(number) - (kind === 'activity' ? 1n : 0n);
      return docs.getLive('post', `urn:li:share:${own}`) ?? docs.getLive('post', `urn:li:ugcPost:${own}`);
    },
    commentAt(urn: string): Comment | undefined {
      const [, id = ''] = /^urn:li:comment:\((?:urn:li:)?(?:activity|share|ugcPost):\d+,(\d+)\)$/.exec(urn) ?? [];
      return docs.getLive('comment', id);
    },
    organization: (words: string) =>
      docs.list('organization').find(({ id, name, vanity }) => [id, name, vanity].includes(words)),
    of: (urn: string): string | undefined => (docs.get('organization', urn) ?? people.byId(idIn(urn)))?.name,
    picture: (urn: string): string => `${hosts.cdn()}/picture/${fixedId(ABOUT.slug, 'picture', urn)}.png`,
    pathOf: (post: Named): string => new URL(`${hosts.www()}/feed/update/${post.id}`).pathname,
    newNumber: (): string => `7${digits(18)}`,
  });
}
