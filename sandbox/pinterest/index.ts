import { html } from '../html.ts';
import { makeActs } from '../kit/acts.ts';
import { makeFront } from '../kit/api/front.ts';
import type { RateState } from '../kit/api/rates.ts';
import { makeRoutes, nameOf, route, type Caller } from '../kit/api/routes.ts';
import { listsOf } from '../kit/docs.ts';
import { peopleParts } from '../kit/base.ts';
import type { TwinOptions } from '../kit/options.ts';
import { fileHost } from '../kit/public.ts';
import { makeTwin } from '../kit/twin.ts';
import type { Twin } from '../twin.ts';
import { ABOUT } from './about.ts';
import { pinterestActs } from './acts.ts';
import { rateHeaders, WORDS } from './errors.ts';
import { makeLogin } from './login.ts';
import { boardRoutes } from './boards.ts';
import { pinRoutes } from './pins.ts';
import { makeUploads } from './uploads.ts';
import { makePins, openWorld } from './world.ts';
import { openSite } from './www.ts';

/** Opens the simulator of Pinterest: accounts, boards, pins, videos, metrics and visitors. */
export function openPinterest(options: TwinOptions): Twin {
  const world = openWorld(options);
  const { docs, people, settings, files } = world;
  const pins = makePins(world);
  const login = makeLogin(world);
  const uploads = makeUploads(world);
  const site = openSite(world, pins, login);
  const waitOf = ({ resetAt }: RateState) => Math.max(1, Math.ceil((resetAt - options.clock.now()) / 1000));
  const front = makeFront({
    world,
    network: ABOUT.slug,
    tokens: login.tokens,
    words: {
      ...WORDS,
      tooMany: (state) =>
        WORDS.tooMany(settings.get('retry_after') ? String(state === undefined ? 60 : waitOf(state)) : undefined),
      rateHeaders: (state) => rateHeaders(state, waitOf(state)),
    },
  });
  const routes = [
    route<Caller>('POST', '/v5/oauth/token', { isOpen: true }, ({ ctx, params }) => login.token(ctx, params)),
    ...boardRoutes(world, pins),
    ...pinRoutes(world, pins, uploads),
    ...uploads.routes,
  ];
  if (people.all().length === 0) options.store.write(pins.settle);

  return makeTwin({
    ...ABOUT,
    world,
    methods: Object.freeze([...routes, ...uploads.store].map(nameOf)),
    areas: {
      api: makeRoutes({ ...front, routes }),
      upload: makeRoutes({ ...front, routes: uploads.store }),
      cdn: fileHost(files),
      www: site.answer,
    },
    ...peopleParts(ABOUT.slug, people, options, {
      history: ({ id: page }) => docs.list('pin', { page }),
      text: pins.textOf,
      place: ({ id }) => pins.linkOf(id),
      part: ({ owner }) => (owner ? html`can be connected` : html`looks, likes, saves and comments`),
    }),
    latest: site.latest,
    acts: makeActs(pinterestActs(world, pins, login)),
    lists: {
      ...listsOf(docs, 'board'),
      media: () => docs.list('media'),
      pins: () => docs.list('pin').map((pin) => ({ ...pin, link: pins.linkOf(pin.id) })),
      reused: () => login.tokens.reused(),
    },
    revoke: login.tokens.revoke,
    reset() {
      options.store.write(() => {
        world.reset();
        pins.settle();
      });
    },
  });
}
