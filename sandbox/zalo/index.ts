import type { Context } from 'koa';
import { html } from '../html.ts';
import { makeActs } from '../kit/acts.ts';
import { makeFront } from '../kit/api/front.ts';
import { makeRoutes, nameOf, route } from '../kit/api/routes.ts';
import { isLive } from '../kit/docs.ts';
import { peopleParts } from '../kit/base.ts';
import type { TwinOptions } from '../kit/options.ts';
import { fileHost } from '../kit/public.ts';
import { moveIn } from '../kit/residents.ts';
import { makeTwin } from '../kit/twin.ts';
import type { Twin } from '../twin.ts';
import { ABOUT } from './about.ts';
import { zaloActs } from './acts.ts';
import { articleRoutes, videoRoutes } from './api/articles.ts';
import type { OaCaller, Parts, ZaloRoute } from './api/calls.ts';
import { messageRoutes } from './api/messages.ts';
import { readingRoutes } from './api/reading.ts';
import { uploadRoutes } from './api/uploads.ts';
import { makeArticles, type Articles } from './articles.ts';
import type { Article, OrderedError } from './docs.ts';
import { makePages } from './site-pages.ts';
import { badToken, deadToken, invalid, tooMany, trouble, ZaloError } from './errors.ts';
import { makeLogin, type Login } from './login.ts';
import { makeEvents } from './pushes.ts';
import { makeTalk } from './talk.ts';
import { ACCOUNTS, makeTies, openWorld } from './world.ts';

function makeApi(parts: Parts, articles: Articles, login: Login) {
  const front = makeFront<OaCaller, OrderedError>({
    world: parts.world,
    network: ABOUT.slug,
    tokens: login.tokens,
    given: (ctx) => ctx.get('access_token'),
    words: {
      invalid,
      noSuchPath: () => new ZaloError(404, 'Empty api', 404),
      badToken,
      expired: deadToken,
      noScope: badToken,
      tooMany,
      trouble,
      ordered: ({ number, message, status }) => new ZaloError(number, message, status),
      rateHeaders: ({ limit, remaining }) => ({
        'x-ratelimit-limit': String(limit),
        'x-ratelimit-remain': String(remaining),
      }),
    },
  });
  const open = (routes: readonly ZaloRoute[]) => makeRoutes({ ...front, routes, due: articles.due });
  const loginRoutes = [
    route<OaCaller>('POST', '/v4/oa/access_token', { isOpen: true }, ({ ctx, params }) => login.token(ctx, params)),
  ];
  const routes = [
    ...messageRoutes(parts),
    ...uploadRoutes(parts),
    ...readingRoutes(parts),
    ...articleRoutes(parts, articles),
    ...videoRoutes(parts),
  ];
  return Object.freeze({
    methods: [...loginRoutes, ...routes].map(nameOf),
    oauth: open(loginRoutes),
    openapi: open(routes),
  });
}

/** Opens the simulator of Zalo: official accounts with login, messages, articles and webhook, and their users. */
export function openZalo(options: TwinOptions): Twin {
  const world = openWorld(options);
  const { docs, people, files } = world;
  const login = makeLogin(world);
  const ties = makeTies(world);
  const events = makeEvents(world, ties, login);
  const talk = makeTalk(world, ties, events);
  const parts: Parts = { world, ties, talk, events };
  const articles = makeArticles(world);
  const api = makeApi(parts, articles, login);
  const drawn = makePages(parts, articles);
  options.store.write(() => moveIn(people, ACCOUNTS));

  return makeTwin({
    ...ABOUT,
    world,
    methods: Object.freeze(api.methods),
    areas: {
      oauth: api.oauth,
      openapi: api.openapi,
      consent: (ctx: Context, rest: readonly string[]) =>
        rest.join('/') === 'v4/oa/permission' ? login.consent.answer(ctx) : undefined,
      cdn: fileHost(files, (id) => docs.get('blob', id)),
      www: drawn.answer,
    },
    ...peopleParts<Article>(ABOUT.slug, people, options, {
      history: ({ id }) => articles.published(id),
      text: ({ body }) => String(body['title']),
      place: articles.linkOf,
      exists: (article) => isLive(article) && article.status === 'show',
      part: ({ owner }) =>
        owner ? html`an official account that can be connected` : html`follows official accounts and writes to them`,
    }),
    latest: drawn.latest,
    conversations: drawn.conversations,
    acts: makeActs(zaloActs(parts, articles, login)),
    lists: {
      ties: () => docs.list('tie').map((tie) => ({ ...tie, name: ties.nameOf(tie) })),
      messages: () => docs.list('message'),
      articles: () => docs.list('article').map((one) => ({ ...one, link: articles.linkOf(one) })),
      uploads: () => docs.list('upload'),
      videos: () => docs.list('video'),
      reused: () => login.tokens.reused(),
    },
    due: articles.due,
    revoke: login.remove,
    reset: () => options.store.write(() => world.reset('link')),
  });
}
