import type { Context } from 'koa';
import { html } from '../html.ts';
import { makeActs } from '../kit/acts.ts';
import { makeFront } from '../kit/api/front.ts';
import { plainWords } from '../kit/api/params.ts';
import { answer, makeRoutes, nameOf, route, type Caller } from '../kit/api/routes.ts';
import { listsOf } from '../kit/docs.ts';
import { peopleParts } from '../kit/base.ts';
import type { TwinOptions } from '../kit/options.ts';
import { fileHost } from '../kit/public.ts';
import { makeTwin } from '../kit/twin.ts';
import type { Twin } from '../twin.ts';
import { ABOUT } from './about.ts';
import { accessRoutes } from './business/access.ts';
import { commentRoutes } from './business/comments.ts';
import { mentionRoutes } from './business/mentions.ts';
import { mediaHost, messageRoutes } from './business/messages.ts';
import { publishRoutes as businessPublishing } from './business/publish.ts';
import { tiktokActs } from './console/acts.ts';
import { makeConversations } from './console/talks.ts';
import { openSite } from './console/www.ts';
import { publishRoutes } from './developers/publish.ts';
import { readingRoutes } from './developers/reading.ts';
import { uploadRoutes } from './developers/upload.ts';
import { PRODUCTS, type Product } from './docs.ts';
import { LoginError, WORDS } from './errors.ts';
import { openParts, type Parts } from './parts.ts';
import { settle } from './world.ts';

function loginRoutes({ login, events }: Parts) {
  const open = (path: string, run: Parameters<typeof route<Caller>>[3]) =>
    route<Caller>('POST', path, { isOpen: true }, (call) => {
      if (!call.ctx.path.endsWith('/')) throw WORDS.developers.noSuchPath();
      if (!call.ctx.is('urlencoded')) throw new LoginError('invalid_request', 'The body must be a form');
      if (!login.isApp(call.ctx, call.params, { id: 'client_key' }))
        throw new LoginError('invalid_client', 'Client key or secret is incorrect');
      return run(call);
    });
  return [
    open('/v2/oauth/token/', ({ params }) => login.forDevelopers(params)),
    open('/v2/oauth/revoke/', ({ params }) => {
      const person = login.developers.personOf(params.required('token'));
      if (person !== undefined) events.remove('developers', person, 5);
      return answer('', 200);
    }),
  ];
}

function makeApi(parts: Parts) {
  const { world, login, publications } = parts;
  const front = (product: Product) => ({ world, network: ABOUT.slug, tokens: login[product], words: WORDS[product] });
  const due = publications.due.run;
  const developers = makeFront(front('developers'));
  const forBusiness = makeFront({ ...front('business'), given: (ctx) => ctx.get('access-token') });
  const oauth = loginRoutes(parts);
  const routes = [...publishRoutes(parts), ...readingRoutes(parts)];
  const uploads = uploadRoutes(parts);
  const business = [accessRoutes, businessPublishing, commentRoutes, messageRoutes, mentionRoutes].flatMap((make) =>
    make(parts),
  );
  const invalid = (what: string) => new LoginError('invalid_request', what);
  const answerOAuth = makeRoutes({
    ...developers,
    words: { ...developers.words, ...plainWords(invalid) },
    routes: oauth,
  });
  const answerApi = makeRoutes({ ...developers, routes, due });
  const answerBusiness = makeRoutes({ ...forBusiness, routes: business, due });
  const answerMedia = mediaHost(parts);
  return Object.freeze({
    methods: [...oauth, ...routes, ...business, ...uploads].map(nameOf),
    areas: {
      api: (ctx: Context, rest: readonly string[], area: string) =>
        (rest[1] === 'oauth' ? answerOAuth : answerApi)(ctx, rest, area),
      business: (ctx: Context, rest: readonly string[], area: string) =>
        rest[0] === 'media' ? answerMedia(ctx, rest.slice(1)) : answerBusiness(ctx, rest, area),
      upload: makeRoutes({ ...developers, routes: uploads }),
    },
  });
}

/** Opens the simulator of TikTok: both products with login and webhooks, and people who watch, comment and write. */
export function openTikTok(options: TwinOptions): Twin {
  const parts = openParts(options);
  const { world, names, login, posts, publications } = parts;
  const { docs, people, files, pushes } = world;
  const api = makeApi(parts);
  const site = openSite(parts);
  if (people.all().length === 0) options.store.write(() => settle(world));

  return makeTwin({
    ...ABOUT,
    world,
    methods: Object.freeze(api.methods),
    areas: {
      ...api.areas,
      cdn: fileHost(files),
      www: site.answer,
    },
    ...peopleParts(ABOUT.slug, people, options, {
      history: ({ id: page }) => docs.list('post', { page }),
      text: ({ about }) => about.text,
      place: posts.linkOf,
      part: ({ id, owner }) =>
        owner
          ? html`can be connected, for business with the access token <code>${login.keyOf(id)}</code>`
          : html`watches, comments and writes`,
      find: names.find,
    }),
    latest: site.latest,
    conversations: makeConversations(parts),
    acts: makeActs(tiktokActs(parts)),
    lists: {
      ...listsOf(docs, 'publication', 'comment', 'conversation', 'message', 'callback'),
      posts: () => docs.list('post').map((post) => ({ ...post, link: posts.linkOf(post) })),
      reused: () => [...login.developers.reused(), ...login.business.reused()],
    },
    pushes,
    due: publications.due.run,
    close: publications.due.close,
    // The app is not notified of a revocation; its next call fails.
    revoke: (person) => PRODUCTS.forEach((product) => login[product].revoke(person)),
    reset() {
      options.store.write(() => {
        world.reset('callback');
        settle(world);
      });
    },
  });
}
