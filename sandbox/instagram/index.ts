import type { Context } from 'koa';
import { PageError } from '../forms.ts';
import { GraphError } from '../graph/api/errors.ts';
import { graphGate, graphServer } from '../graph/api/server.ts';
import { accountThrottled } from '../graph/api/throttle.ts';
import { openGraph } from '../graph/index.ts';
import { makeContainers } from '../graph/media/containers.ts';
import { uploadHost } from '../graph/media/rupload.ts';
import { makeScene } from '../graph/messaging/scene.ts';
import { makeThreads } from '../graph/messaging/threads.ts';
import { LONG_LIVED_ROOTS } from '../graph/oauth/long-lived.ts';
import { entriesOf } from '../graph/push/updates.ts';
import { GROUPS } from '../graph/people/cast.ts';
import { graphTwin } from '../graph/twin.ts';
import type { Methods } from '../graph/world.ts';
import { short } from '../kit/acts.ts';
import { fixedId } from '../kit/ids.ts';
import type { TwinOptions } from '../kit/options.ts';
import { fileHost } from '../kit/public.ts';
import type { Twin } from '../twin.ts';
import { ABOUT } from './about.ts';
import { accountMethods, linkPages } from './accounts.ts';
import { commentMethods, instagramReplies, makeComments } from './comments.ts';
import { instagramActs } from './console/acts.ts';
import { makeView, openSite } from './console/www.ts';
import type { Draft, InstagramDocs } from './docs.ts';
import { insightsMethods } from './insights.ts';
import { makeLogins, tokenMethods, type LoginParts } from './logins.ts';
import { mediaLook, mediaMethods } from './media.ts';
import { messagingMethods } from './messaging.ts';
import { instagramUpdates, makeNotices } from './notices.ts';
import { makePosts } from './posts.ts';
import { uploadFailure, writingMethods } from './publishing.ts';
import { isGood, SETTINGS, SLUG, type World } from './world.ts';

/** The people of a new simulator: owners with Pages on Facebook, and most of their accounts as people. */
const RESIDENTS = {
  owners: [
    ['olivia.sandbox.test', 'Olivia Harbour', ['Harbour Coffee', 'Harbour Bakery', 'Harbour Books']],
    ['sam.sandbox.test', 'Sam Single', ['Single Origin Studio']],
    ['nora.sandbox.test', 'Nora Nopage', []],
    ['harbour.coffee', 'Harbour Coffee', ['Harbour Coffee']],
    ['harbour.bakery', 'Harbour Bakery', ['Harbour Bakery']],
    ['single.origin.studio', 'Single Origin Studio', ['Single Origin Studio']],
  ],
  start: '2',
  // The ids of accounts have 17 digits.
  pageId: (username: string) => `17841${fixedId(SLUG, 'account', username).slice(4)}`,
} as const;

const tooManyCalls = () =>
  new GraphError(80_002, '(#80002) There have been too many calls to this Instagram account.', { is_transient: true });
const tooManyMessages = () =>
  new GraphError(613, '(#613) Calls to this api have exceeded the rate limit.', { subcode: 2_534_040 });

const nameOf = (username: string | undefined, { product, caption }: Draft) =>
  `${username}: ${product} ${short(caption)}`;
const CODE = 'POST oauth/access_token';
const KINDS = ['page', 'media', 'comment', 'container', 'thread', 'message'] as const;

function makeParts(world: World) {
  const comments = makeComments(world, makeNotices(world));
  const posts = makePosts(world);
  const containers = makeContainers<Draft>(world);
  const threads = makeThreads(world);
  const logins = makeLogins(world);
  const look = mediaLook(world, comments);
  const shared = { comments, posts, containers, look };
  const replies = instagramReplies(world);

  const methodsOf = (parts: LoginParts): Methods => ({
    ...accountMethods(parts, shared),
    ...mediaMethods(parts.world, parts.login, posts, look),
    ...writingMethods(parts.world, parts.login, shared),
    ...commentMethods(parts.world, parts.login, shared),
    ...insightsMethods(parts.world, parts.login, shared.comments),
    ...messagingMethods(parts.world, parts.login, threads, replies),
  });
  const tokens = tokenMethods(logins.instagram.world);
  const instagram = { ...methodsOf(logins.instagram), ...tokens };
  return Object.freeze({ ...shared, threads, logins, tokens, instagram, facebook: methodsOf(logins.facebook) });
}

/** The API hosts of each login, which accept only tokens of that login. */
function makeHosts(world: World, { logins, containers, tokens, ...parts }: ReturnType<typeof makeParts>) {
  const gate = graphGate(world, {
    throttled: (ctx, { method }) =>
      method.endsWith('page/messages')
        ? accountThrottled(ctx, 'messenger', tooManyMessages())
        : accountThrottled(ctx, SLUG, tooManyCalls()),
  });
  const right = { scopes: [logins.facebook.login.rights.publish], task: 'CREATE_CONTENT' };
  const shape = { gate, kinds: KINDS, business: SLUG };
  const own = { ...shape, ...logins.instagram, roots: LONG_LIVED_ROOTS };
  return {
    graph: graphServer({ ...own, methods: parts.instagram }),
    api: graphServer({ ...own, kinds: [], methods: { [CODE]: tokens[CODE]! }, area: 'api' }),
    'graph-facebook': graphServer({
      ...shape,
      ...logins.facebook,
      kinds: [...KINDS, 'person', 'fbpage'],
      methods: parts.facebook,
      area: 'graph-facebook',
    }),
    rupload: uploadHost(logins.facebook.world, gate, containers.uploads('ig-api-upload', right, uploadFailure)),
  };
}

/** Opens the simulator of Instagram: hosts for both logins, the upload host, public site, messages and updates. */
export function openInstagram(options: TwinOptions): Twin {
  const twin = openGraph<InstagramDocs, typeof SETTINGS>(options, ABOUT, {
    bodies: entriesOf('instagram', (): boolean => twin.world.settings.get('push_flat')),
    settings: SETTINGS,
    residents: RESIDENTS,
  });
  const { queue } = twin;
  const world: World = { ...twin.world, updates: instagramUpdates(twin.world, queue) };
  const { nodes, people, files, store } = world;
  store.write(() => linkPages(world));
  const parts = makeParts(world);
  const { instagram, facebook, logins } = parts;
  const showing = makeView(world);
  const file = fileHost(files);

  return graphTwin(twin, {
    methods: [...new Set([...Object.keys(instagram), ...Object.keys(facebook), 'POST rupload'])],
    areas: {
      ...makeHosts(world, parts),
      cdn(ctx: Context, rest: readonly string[]) {
        if (rest.length !== 1 || isGood(world, rest[0] ?? '', ctx.URL.searchParams)) file(ctx, rest);
        else throw new PageError(403, 'URL signature expired');
      },
      async facebook(ctx: Context, rest: readonly string[]) {
        if (/^(?:v\d+\.0\/)?dialog\/oauth$/.test(rest.join('/'))) await logins.facebook.dialog.answer(ctx);
      },
    },
    showing,
    ...makeScene(world),
    site: openSite(world, parts, logins.instagram.dialog),
    acts: instagramActs(world, parts),
    groups: { ...GROUPS, page: 'What the people of an account do without the app' },
    oauth: logins,
    consent: logins.consent,
    hidden: ['auto_delivery'],
    containerName: ({ page_id, draft }) => nameOf(people.page(page_id)?.username, draft as Draft),
    lists: {
      accounts: () =>
        people.pages().map((one) => ({
          ...one,
          facebook_page_id: nodes.list('fbpage').find(({ page_id }) => page_id === one.id)?.id,
        })),
      followers: () =>
        people.followers().map((one) => ({
          ...one,
          igsids: Object.fromEntries(people.pages().map(({ id }) => [id, people.psid(id, one.id)])),
        })),
      posts: () =>
        nodes.list('media').map((one) => ({ ...one, sha256: one.media.map(({ blob }) => files.sha256(blob)) })),
      containers: 'container',
      comments: 'comment',
      threads: 'thread',
      messages: 'message',
    },
    kept: ['fbpage'],
    own: {
      addPerson: (handle: string, name: string) =>
        store.write(() => {
          const person = people.add(handle, name, true);
          people.addPage(person, name, handle);
          linkPages(world);
          return showing.known(person);
        }),
    },
  });
}
