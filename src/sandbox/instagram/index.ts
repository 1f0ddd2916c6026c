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
import { commonParts } from '../graph/parts.ts';
import type { Method, Methods } from '../graph/world.ts';
import { fixedId } from '../kit/ids.ts';
import { hostBelow } from '../kit/options.ts';
import type { TwinOptions } from '../kit/options.ts';
import { fileHost } from '../kit/public.ts';
import { makeTwin } from '../kit/twin.ts';
import type { Twin } from '../twin.ts';
import { ABOUT } from './about.ts';
import { accountMethods, linkPages } from './accounts.ts';
import { withBareIds } from './bare-ids.ts';
import { commentMethods, makeComments, privateReplies } from './comments.ts';
import { instagramActs } from './console/acts.ts';
import { makeShown } from './console/shown.ts';
import { makeWww } from './console/www.ts';
import { DONE } from './docs.ts';
import type { Draft, InstagramDocs } from './docs.ts';
import { insightsMethods } from './insights.ts';
import { LONG_LIVED_ROOTS } from '../graph/oauth/long-lived.ts';
import { makeLogins, tokenMethods } from './logins.ts';
import type { LoginParts } from './logins.ts';
import { mediaLook, mediaMethods } from './media.ts';
import { messagingMethods } from './messaging.ts';
import { bodiesOf, instagramUpdates, makeNotices } from './notices.ts';
import { makePosts } from './posts.ts';
import { publishingMethods, uploadFailure } from './publishing.ts';
import { isGood, SETTINGS, SLUG } from './world.ts';
import type { World } from './world.ts';

/** Who lives on every new twin: owners who log in on Facebook with their Pages, and the accounts behind most of those. */
const RESIDENTS = {
  owners: [
    ['olivia.sandbox.test', 'Olivia Harbour', ['Harbour Coffee', 'Harbour Bakery', 'Harbour Books']],
    ['sam.sandbox.test', 'Sam Single', ['Single Origin Studio']],
    ['nora.sandbox.test', 'Nora Nopage', []],
    ['harbour.coffee', 'Harbour Coffee', ['Harbour Coffee']],
    ['harbour.bakery', 'Harbour Bakery', ['Harbour Bakery']],
    ['single.origin.studio', 'Single Origin Studio', ['Single Origin Studio']],
  ],
  followers: [
    ['fred.sandbox.test', 'Fred Follower'],
    ['mia.sandbox.test', 'Mia Message'],
    ['zoe.sandbox.test', 'Zoë Ünder'],
  ],
  start: '2',
  // Accounts have 17 digits.
  pageId: (username: string) => `17841${fixedId(SLUG, 'account', username).slice(4)}`,
} as const;

const tooManyCalls = () =>
  new GraphError(80_002, '(#80002) There have been too many calls to this Instagram account.', { is_transient: true });
const tooManyMessages = () =>
  new GraphError(613, '(#613) Calls to this api have exceeded the rate limit.', { subcode: 2_534_040 });

const KINDS = ['page', 'media', 'comment', 'container', 'thread', 'message'] as const;

/** What both log-ins share, and what each answers. */
function makeParts(options: TwinOptions, world: World) {
  const comments = makeComments(world, makeNotices(world));
  const posts = makePosts(world);
  const containers = makeContainers<Draft>(world);
  const threads = makeThreads(world);
  const logins = makeLogins(options, world);
  const look = mediaLook(world, comments);
  const replies = privateReplies(world, comments);

  /** Ids are bare numbers where the switch says so. */
  const shown = (method: Method): Method => ({
    ...method,
    async run(call, id) {
      const answer = await method.run(call, id);
      return world.settings.get('numeric_ids') && typeof answer !== 'string' ? withBareIds(answer) : answer;
    },
  });
  function methodsOf(parts: LoginParts): Methods {
    const { world: seen, login } = parts;
    const all = {
      ...accountMethods(parts, { media: look, comment: comments.look, mediaOf: posts.listed }),
      ...mediaMethods(seen, login, posts, look),
      ...publishingMethods(seen, login, { posts, containers }),
      ...commentMethods(seen, login, comments, posts),
      ...insightsMethods(seen, login, comments, posts),
      ...messagingMethods(seen, login, threads, replies),
    };
    return Object.fromEntries(Object.entries(all).map(([name, method]) => [name, shown(method)]));
  }
  const tokens = tokenMethods(logins.instagram.world);
  return Object.freeze({
    comments,
    posts,
    containers,
    threads,
    logins,
    tokens,
    instagram: { ...methodsOf(logins.instagram), ...tokens },
    facebook: methodsOf(logins.facebook),
  });
}

/** The hosts that programs call: those of each log-in, with the tokens of that log-in alone. */
function makeHosts(options: TwinOptions, world: World, parts: ReturnType<typeof makeParts>) {
  const { logins, containers } = parts;
  const gate = graphGate(options, world, {
    throttled: (ctx, { method }) =>
      method.endsWith('page/messages')
        ? accountThrottled(ctx, 'messenger', tooManyMessages())
        : accountThrottled(ctx, SLUG, tooManyCalls()),
  });
  const serve = (login: LoginParts, area: string, methods: Methods, kinds: readonly string[]) =>
    graphServer({
      world: login.world,
      gate,
      methods,
      kinds,
      business: SLUG,
      ...(!login.login.isFacebook && { roots: LONG_LIVED_ROOTS }),
      aboutWhom: login.oauth.aboutWhom,
      due: () => {},
      graph: hostBelow(options.rootUrl, SLUG, area),
    });
  const right = { scopes: [logins.facebook.login.rights.publish], task: 'CREATE_CONTENT' };
  const { 'POST oauth/access_token': code, ...tokens } = parts.tokens;
  return {
    graph: serve(logins.instagram, 'graph', { ...parts.instagram, ...tokens }, KINDS),
    api: serve(logins.instagram, 'api', { 'POST oauth/access_token': code! }, []),
    'graph-facebook': serve(logins.facebook, 'graph-facebook', parts.facebook, [...KINDS, 'person', 'fbpage']),
    rupload: uploadHost(logins.facebook.world, gate, containers.uploads('ig-api-upload', right, uploadFailure)),
  };
}

/** The stand-in of Instagram: the hosts of both log-ins, the upload host, the public site, messages and updates. */
export function openInstagram(options: TwinOptions): Twin {
  const {
    world: opened,
    queue,
    reset,
  } = openGraph<InstagramDocs, typeof SETTINGS>(options, {
    ...ABOUT,
    bodies: (updates): readonly object[] => bodiesOf(opened, updates),
    settings: SETTINGS,
    residents: RESIDENTS,
    userAgent: 'facebookexternalhit/1.1',
  });
  const world: World = { ...opened, updates: instagramUpdates(opened, queue) };
  const { nodes, people, files, store } = world;
  store.write(() => linkPages(world));
  const parts = makeParts(options, world);
  const shown = makeShown(world, parts.posts);
  const www = makeWww(world, parts, parts.logins.instagram.dialog);
  const scene = makeScene(world, parts.threads);
  const file = fileHost(files, (id) => nodes.get('blob', id));

  return makeTwin({
    ...ABOUT,
    ...commonParts(world, queue, shown),
    addPerson: (handle: string, name: string) =>
      store.write(() => {
        const person = people.add(handle, name, true);
        people.addPage(person, name, handle);
        linkPages(world);
        return shown.known(person);
      }),
    methods: Object.freeze([
      ...new Set([...Object.keys(parts.instagram), ...Object.keys(parts.facebook), 'POST rupload']),
    ]),
    areas: {
      ...makeHosts(options, world, parts),
      cdn(ctx: Context, rest: readonly string[]) {
        if (rest.length !== 1 || isGood(world, rest[0] ?? '', ctx.URL.searchParams)) file(ctx, rest);
        else throw new PageError(403, 'URL signature expired');
      },
      www: (ctx: Context, rest: readonly string[]) => www.answer(ctx, rest),
      async facebook(ctx: Context, rest: readonly string[]) {
        if (/^(?:v\d+\.0\/)?dialog\/oauth$/.test(rest.join('/'))) await parts.logins.facebook.dialog.answer(ctx);
      },
    },
    cast: shown.cast,
    latest: www.latest,
    conversations: scene.conversations,
    acts: instagramActs(world, { ...parts, queue }),
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
      containers: () => nodes.list('container'),
      comments: () => nodes.list('comment'),
      threads: () => nodes.list('thread'),
      messages: () => nodes.list('message'),
      pushes: () => queue.list(500).toReversed(),
      settings: () => world.settings.all(),
    },
    reset: () => reset(DONE),
  });
}
