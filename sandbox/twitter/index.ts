import { html } from '../html.ts';
import { makeActs } from '../kit/acts.ts';
import { makeFront } from '../kit/api/front.ts';
import { makeRoutes, nameOf, route } from '../kit/api/routes.ts';
import { peopleParts } from '../kit/base.ts';
import type { TwinOptions } from '../kit/options.ts';
import { fileHost } from '../kit/public.ts';
import { makeTwin } from '../kit/twin.ts';
import type { Twin } from '../twin.ts';
import { ABOUT } from './about.ts';
import { twitterActs } from './acts.ts';
import { makeShowing, type Parts } from './api/calls.ts';
import { mediaRoutes } from './api/media.ts';
import { messageRoutes } from './api/messages.ts';
import { postRoutes } from './api/posts.ts';
import { readingRoutes } from './api/reading.ts';
import { webhookRoutes } from './api/webhooks.ts';
import type { App, OrderedError, Post } from './docs.ts';
import { drawApps, makePages } from './site-pages.ts';
import { forbidden, invalid, limited, LoginError, Problem, rateHeaders, trouble, unauthorized } from './errors.ts';
import { makeEvents } from './events.ts';
import { makeLogin, type Login, type XCaller } from './login.ts';
import { makePosts, makeTalk } from './authoring.ts';
import { makeTexts, plainText } from './text.ts';
import { makeViews } from './views.ts';
import { appNumber, makeApps, makeUsers, openTwitter } from './world.ts';

const QUARTER_MS = 900_000;

function ordered({ status, title, detail, type, reason, error, reset }: OrderedError, now: number) {
  if (error !== '') return new LoginError(status, error, detail);
  const rate = reset > 0 ? rateHeaders({ limit: 1, remaining: 0, resetAt: now + reset * 1000 }) : {};
  return new Problem(status, title, detail, type, reason === '' ? {} : { reason }, rate);
}

function makeApi(parts: Parts, login: Login) {
  const { world } = parts;
  const { clock } = world.options;
  const front = makeFront<XCaller, OrderedError>({
    world,
    network: ABOUT.slug,
    tokens: login,
    words: {
      invalid,
      noSuchPath: () => new Problem(404, 'Not Found', 'Not Found'),
      badToken: unauthorized,
      noScope: () => forbidden(),
      tooMany: (state) => limited(state ?? { limit: 1, remaining: 0, resetAt: clock.now() + QUARTER_MS }),
      trouble,
      ordered: (order) => ordered(order, clock.now()),
      unknown: ([name]) => invalid(`The query parameter [${name}] is not one of those that are known`),
      rateHeaders,
    },
  });
  const json = (body: unknown) =>
    world.settings.get('new_names')
      ? JSON.stringify(body).replaceAll(/"(referenced|note)_tweet(s?)":/g, '"$1_post$2":')
      : JSON.stringify(body);
  const [showing, open] = [makeShowing(parts), { isOpen: true }];
  const routes = [
    route<XCaller>('POST', '/2/oauth2/token', open, ({ ctx, params }) => login.token(ctx, params)),
    route<XCaller>('POST', '/2/oauth2/revoke', open, ({ ctx, params }) => login.revoke(ctx, params)),
    route<XCaller>('POST', '/oauth2/token', open, ({ ctx, params }) => login.appToken(ctx, params)),
    ...readingRoutes(parts, showing),
    ...postRoutes(parts),
    ...mediaRoutes(parts),
    ...messageRoutes(parts, showing),
    ...webhookRoutes(parts),
  ];
  return {
    routes,
    answer: makeRoutes({ ...front, words: { ...front.words, json }, routes, due: parts.events.hooks.due }),
  };
}

const appView = ({ id: client_id, client_secret, consumer_key, consumer_secret }: App) => {
  return { client_id, client_secret, consumer_key, consumer_secret };
};

/** Opens the simulator of X: API, login, customers' apps, webhooks, public site, and people who reply. */
export function openX(options: TwinOptions): Twin {
  const { store } = options;
  const world = openTwitter(options);
  const { docs, people, files, pushes } = world;
  const apps = makeApps(world);
  const users = makeUsers(world, apps);
  const views = makeViews(world, users);
  const events = makeEvents(world, users, apps, views);
  const texts = makeTexts(users);
  const [posts, talk] = [makePosts(world, users, texts, events), makeTalk(world, users, texts, events)];
  const parts: Parts = { world, users, apps, views, posts, talk, events };
  const login = makeLogin(world, users, apps);
  const api = makeApi(parts, login);
  const drawn = makePages(parts, login);
  const { hooks } = events;

  const view = peopleParts<Post>(ABOUT.slug, people, options, {
    history: ({ id: page }) => docs.list('post', { page }),
    text: plainText,
    place: drawn.pathOf,
    part: ({ id, owner }) => (owner ? drawApps(apps.of(id)) : html`replies, names, quotes, likes and writes`),
    find: (name) => users.find(name)?.id,
    added: ({ id }) => users.settle(id),
  });

  return makeTwin({
    ...ABOUT,
    world,
    ...view,
    methods: Object.freeze(api.routes.map(nameOf)),
    areas: { api: api.answer, cdn: fileHost(files), www: drawn.answer },
    people: () =>
      view
        .people()
        .map((one) => ({ ...one, credentials: appView(apps.of(one.id)[0] ?? apps.make(one.id, one.display_name)) })),
    latest: drawn.latest,
    conversations: drawn.conversations,
    acts: makeActs(twitterActs(parts, login)),
    lists: {
      apps: () => apps.all().map((app) => ({ ...app, number: appNumber(app.id), reads: world.usage.used(app.id) })),
      posts: () => docs.list('post'),
      media: () => docs.list('medium'),
      messages: () => docs.list('message'),
      webhooks: () => docs.list('webhook'),
      subscriptions: () => docs.list('subscription'),
      reused: login.tokens.reused,
    },
    pushes: { ...pushes, settle: hooks.settle, close: hooks.close },
    due: hooks.due,
    revoke: (person) =>
      store.write(() => {
        login.tokens.revoke(person);
        for (const { id } of apps.all()) events.revoked(person, id);
      }),
    reset() {
      store.write(() => {
        world.reset('app');
        for (const { id } of users.all()) users.change(id, { premium: false, shuts_out: [] });
      });
    },
  });
}
