import type { Context } from 'koa';
import { html } from '../html.ts';
import { makeActs } from '../kit/acts.ts';
import { makeFront } from '../kit/api/front.ts';
import { makeRoutes, nameOf, route, type Caller } from '../kit/api/routes.ts';
import { peopleParts } from '../kit/base.ts';
import type { TwinOptions } from '../kit/options.ts';
import { fileHost } from '../kit/public.ts';
import { makeTwin } from '../kit/twin.ts';
import type { Twin } from '../twin.ts';
import { ABOUT } from './about.ts';
import { linkedinActs } from './acts.ts';
import { makeApi, type Parts, type Routes } from './api/calls.ts';
import { commentRoutes, reactionRoutes } from './api/comments.ts';
import { metricRoutes } from './api/metrics.ts';
import { peopleRoutes } from './api/people.ts';
import { postRoutes } from './api/posts.ts';
import { subscriptionRoutes } from './api/subscriptions.ts';
import { makeAssets, uploadHost, uploadRoutes } from './api/uploads.ts';
import { openSite } from './site-pages.ts';
import { WORDS } from './errors.ts';
import type { Post } from './docs.ts';
import { makeFeed } from './feed.ts';
import { makeLogin } from './login.ts';
import { makeNotices } from './notices.ts';
import { readLittleText } from './text.ts';
import { makeNames, openWorld, personUrn, reset, settle } from './world.ts';

const TOKEN_PATH = 'oauth/v2/accessToken';

function openParts(options: TwinOptions): Parts {
  const world = openWorld(options);
  if (world.docs.list('organization').length === 0) settle(world);
  const names = makeNames(world);
  const login = makeLogin(world);
  const notices = makeNotices(world, names, login);
  return { world, names, login, notices, feed: makeFeed(world, names, notices), api: makeApi(world) };
}

function openApi(parts: Parts) {
  const { world, login } = parts;
  const { docs } = world;
  const assets = makeAssets(world);
  const front = makeFront({
    world,
    network: ABOUT.slug,
    tokens: login.tokens,
    words: WORDS,
    // The parts of a video arrive without a token.
    about: ({ token }) => docs.list('asset').find((asset) => asset.token === token)?.by,
  });
  const open = (routes: Routes) => makeRoutes({ ...front, routes });
  const oauth = [route<Caller>('POST', `/${TOKEN_PATH}`, { isOpen: true }, login.token)];
  const upload = uploadHost(parts, assets);
  const api = [
    ...peopleRoutes(parts),
    ...postRoutes(parts, assets, front.rates),
    ...uploadRoutes(parts, assets),
    ...commentRoutes(parts, assets),
    ...reactionRoutes(parts),
    ...metricRoutes(parts),
    ...subscriptionRoutes(parts),
  ];
  const methods = Object.freeze([...new Set([...oauth, ...api, ...upload].map(nameOf))]);
  return { methods, oauth: open(oauth), api: open(api), upload: open(upload) };
}

const KINDS = ['organization', 'role', 'comment', 'reaction', 'asset', 'subscription', 'endpoint', 'person'] as const;

/** Opens the simulator of LinkedIn: members, organizations, posts, comments and notifications. */
export function openLinkedin(options: TwinOptions): Twin {
  const parts = openParts(options);
  const { world, names, login } = parts;
  const { docs, people, files } = world;
  const { methods, oauth, api, upload } = openApi(parts);
  const site = openSite(parts);
  const rolesOf = (person: string) => docs.list('role').filter((one) => one.person === personUrn(person));

  return makeTwin({
    ...ABOUT,
    world,
    methods,
    areas: {
      api,
      upload,
      www: (ctx: Context, rest: readonly string[], area: string) =>
        (rest.join('/') === TOKEN_PATH ? oauth : site.answer)(ctx, rest, area),
      cdn: fileHost(files),
    },
    ...peopleParts<Post>(ABOUT.slug, people, options, {
      /** The posts of a member and of the organizations that the member administers. */
      history({ id }) {
        const pages = rolesOf(id).flatMap(({ page_id, role }) => (role === 'ADMINISTRATOR' ? page_id : []));
        return [personUrn(id), ...pages].flatMap((page) => docs.list('post', { page }));
      },
      text: ({ body }) => readLittleText(body.commentary).plain,
      place: names.pathOf,
      part({ id, owner }) {
        const roles = rolesOf(id).map(({ page_id, role }) => `${names.of(page_id)} (${role})`);
        return owner ? html`a member; organisations: ${roles.join(', ') || 'none'}` : html`comments and mentions`;
      },
    }),
    latest: site.latest,
    acts: makeActs(linkedinActs(parts)),
    lists: {
      ...Object.fromEntries(KINDS.map((kind) => [`${kind}s`, () => docs.list(kind)])),
      posts: () => docs.list('post').map((one) => ({ ...one, activity: names.activity(one) })),
    },
    revoke: (person: string) => options.store.write(() => login.tokens.revoke(person)),
    reset: () => reset(world),
  });
}
