import type { Context } from 'koa';
import { makeGoogleApi } from '../googleapis/api.ts';
import type { GoogleRoute } from '../googleapis/calls.ts';
import { openKeys } from '../googleapis/keys.ts';
import { openLogin } from '../googleapis/login.ts';
import { openDailyQuota } from '../googleapis/quota.ts';
import { html } from '../html.ts';
import { makeActs } from '../kit/acts.ts';
import { peopleParts } from '../kit/base.ts';
import type { TwinOptions } from '../kit/options.ts';
import { fileHost } from '../kit/public.ts';
import { makeTwin } from '../kit/twin.ts';
import type { Twin } from '../twin.ts';
import { ABOUT } from './about.ts';
import { youtubeActs } from './acts.ts';
import { SCOPES, type Parts } from './api/calls.ts';
import { commentRoutes, makeComments } from './api/comments.ts';
import { uploadRoutes } from './api/upload.ts';
import { videoRoutes } from './api/videos.ts';
import { makePages } from './site-pages.ts';
import { overQuota } from './errors.ts';
import { makeHub } from './hub.ts';
import { makeViews } from './views.ts';
import { makeChannels, makeVideos, openWorld, pictureOf, type Channels, type World } from './world.ts';

const WRITE_UNITS = 50;

/** The daily units of a call. Upload sessions have their own bucket, and their parts are free. */
function costOf({ verb, path }: GoogleRoute): number {
  if (path === '/upload/youtube/v3/videos') return 0;
  return verb === 'GET' ? 1 : WRITE_UNITS;
}

function openGoogle(world: World, channels: Channels, quota: ReturnType<typeof openDailyQuota>) {
  const { options, people, settings } = world;
  const named = { slug: ABOUT.slug, prefix: ABOUT.prefix, twin: options };
  const login = openLogin({
    ...named,
    title: ABOUT.title,
    scopes: SCOPES,
    settings,
    keys: openKeys(options.store, ABOUT.prefix),
    people,
    choices: () =>
      people.owners().flatMap(({ id: person, name }) => {
        const own = channels.ownOf(person);
        if (own.length === 0) return [{ id: person, name, person }];
        return own.map(({ id, title }) => ({ id, name: `${title} (${name})`, person, profile: id }));
      }),
    picture: (person) => pictureOf(world, person),
  });
  const api = makeGoogleApi({
    ...named,
    form: 'legacy',
    login,
    perMinute: () => settings.get('requests_per_minute'),
    charge(service, route) {
      if (service !== 'youtube') return;
      if (!quota.spend('units', costOf(route), settings.get('units_a_day'))) throw overQuota();
    },
  });
  return { login, api };
}

/** Opens the simulator of YouTube: channels, uploads, comments, the hub and viewers. */
export function openYoutube(options: TwinOptions): Twin {
  const { store, clock } = options;
  const world = openWorld(options);
  const { docs, people, settings, files } = world;
  const channels = makeChannels(world);
  const videos = makeVideos(world);
  const hub = makeHub(world, channels, videos);
  const parts: Parts = { world, channels, videos, views: makeViews(world, channels, videos), hub };
  const comments = makeComments(world, videos);
  const quota = openDailyQuota(store, ABOUT.prefix, clock);
  const { login, api } = openGoogle(world, channels, quota);
  const googleapis = api.api('youtube', [
    ...uploadRoutes(parts, () => quota.spend('inserts', 1, settings.get('inserts_a_day'))),
    ...videoRoutes(parts),
    ...commentRoutes(parts, comments),
  ]);
  const drawn = makePages(parts, comments);

  return makeTwin({
    ...ABOUT,
    world,
    areas: {
      accounts: (ctx: Context, rest: readonly string[]) =>
        rest.join('/') === 'o/oauth2/v2/auth' ? login.answerConsent(ctx) : undefined,
      oauth2: api.oauth2,
      openid: api.openid,
      googleapis: (ctx: Context, rest: readonly string[], area: string) =>
        (rest[0] === 'oauth2' ? api.www : googleapis)(ctx, rest, area),
      hub: hub.subscribe,
      feeds: hub.feed,
      www: drawn.answer,
      cdn: fileHost(files, (id) => docs.get('blob', id)),
    },
    methods: Object.freeze(api.methods()),
    ...peopleParts(ABOUT.slug, people, options, {
      history: ({ id: person }) => channels.ownOf(person).flatMap(({ id: page }) => docs.list('video', { page })),
      text: ({ about }) => about.title,
      place: ({ id }) => `${world.hosts.www()}/watch?v=${id}`,
      part({ id, owner }) {
        const own = channels.ownOf(id).map(({ title }) => title);
        if (!owner) return html`watches videos and comments on them`;
        return own.length === 0 ? html`a Google user without a channel` : html`owns ${own.join(' and ')}`;
      },
      find: (words) => channels.find(words)?.page_id,
      added: ({ id, name }) => channels.make(id, name),
    }),
    latest: drawn.latest,
    acts: makeActs(youtubeActs(parts, comments, login, quota, api.orderAct)),
    lists: {
      channels: () => channels.all(),
      videos: () =>
        docs.list('video').map((one) => ({ ...one, ...videos.stateOf(one), privacy: videos.privacyOf(one) })),
      sessions: () => docs.list('session'),
      comments: () => docs.list('comment'),
      subscriptions: () => docs.list('subscription'),
      quota: () => ({ units: quota.used('units'), inserts: quota.used('inserts') }),
    },
    pushes: hub.pushes,
    revoke: (person: string) => store.write(() => login.tokens.revoke(person)),
    reset() {
      store.write(() => {
        world.reset('channel');
        for (const { id } of channels.all()) docs.change('channel', id, { subscribers: 0 });
        quota.reset();
        api.reset();
      });
    },
  });
}
