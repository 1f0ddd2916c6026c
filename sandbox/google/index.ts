import { makeGoogleApi } from '../googleapis/api.ts';
import { openKeys, type GoogleKeys } from '../googleapis/keys.ts';
import { emailOf } from '../googleapis/identity.ts';
import { openLogin } from '../googleapis/login.ts';
import { startPubSub } from '../googleapis/pubsub.ts';
import { html } from '../html.ts';
import { makeActs } from '../kit/acts.ts';
import { peopleParts } from '../kit/base.ts';
import type { TwinOptions } from '../kit/options.ts';
import type { Person } from '../kit/people.ts';
import { fileHost } from '../kit/public.ts';
import { makeTwin } from '../kit/twin.ts';
import type { Twin } from '../twin.ts';
import { ABOUT } from './about.ts';
import { googleActTable } from './console/acts.ts';
import { makeMaps } from './console/maps.ts';
import { makeMedia, mediaRoutes, type Media } from './content/media.ts';
import { makePosts, postRoutes, summaryOf, type Posts } from './content/posts.ts';
import { makePlaces, settle, type Places } from './places/places.ts';
import { accountRoutes, locationRoutes, MANAGE, OLD_MANAGE } from './places/routes.ts';
import { tooManyEdits } from './refusals.ts';
import { makeNotices, noticeRoutes } from './reviews/notices.ts';
import { makeReviews, reviewRoutes, type Reviews } from './reviews/reviews.ts';
import { openWorld, pictureOf, placeUrl, postUrl, type World } from './world.ts';

const MINUTE_S = 60;

type Parts = Readonly<{ places: Places; posts: Posts; media: Media; reviews: Reviews }>;

function openHosts(world: World, keys: GoogleKeys, { places, posts, media, reviews }: Parts) {
  const { options: twin, people, settings, rates } = world;
  const { slug, prefix, title } = ABOUT;
  const login = openLogin({
    twin,
    slug,
    prefix,
    title,
    scopes: [MANAGE],
    formerly: { [OLD_MANAGE]: MANAGE },
    settings,
    keys,
    people,
    choices: () =>
      people.owners().map((owner) => ({ id: owner.id, name: `${owner.name} (${emailOf(owner)})`, person: owner.id })),
    picture: (person) => pictureOf(world, person),
  });
  const api = makeGoogleApi({
    twin,
    slug,
    prefix,
    form: 'rpc',
    login,
    perMinute: () => settings.get('requests_per_minute'),
  });
  function edit(location: string): void {
    const limit = settings.get('edits_per_minute');
    const term = { name: 'edits', key: location, limit, window_s: MINUTE_S, points: 1, sliding: true };
    if (twin.rateLimits && rates.spend([term]).exceeded) throw tooManyEdits(limit);
  }
  const areas = {
    accountmanagement: api.api('mybusinessaccountmanagement.googleapis.com', accountRoutes(places)),
    businessinformation: api.api('mybusinessbusinessinformation.googleapis.com', locationRoutes(world, places)),
    notifications: api.api('mybusinessnotifications.googleapis.com', noticeRoutes(world, places)),
    mybusiness: api.api('mybusiness.googleapis.com', [
      ...postRoutes(world, places, posts, edit),
      ...mediaRoutes(world, places, media, edit),
      ...reviewRoutes(world, places, reviews),
    ]),
  };
  return { login, api, areas };
}

/** The simulator of Google Business Profile: login, accounts, locations, posts, media, reviews and Pub/Sub. */
export function openGoogle(options: TwinOptions): Twin {
  const { store } = options;
  const { slug, prefix } = ABOUT;
  const world = openWorld(options);
  const { docs, people, settings, files, pushes } = world;
  const places = makePlaces(world);
  const keys = openKeys(store, prefix);
  const notices = makeNotices(world);
  const media = makeMedia(world);
  const posts = makePosts(world, media);
  const reviews = makeReviews(world, notices);
  if (docs.list('account').length === 0) settle(world, places);
  startPubSub({ slug, twin: options, settings, keys }, pushes);

  const { login, api, areas } = openHosts(world, keys, { places, posts, media, reviews });
  const played = { world, places, posts, media, reviews, notices, login, api };
  const maps = makeMaps(played);

  /** A new person gets one location. */
  const addPlace = ({ id, name }: Person) =>
    places.addLocation(`${name}'s place`, [places.addAccount('PERSONAL', name, id).id]);

  return makeTwin({
    ...ABOUT,
    world,
    methods: api.methods(),
    areas: {
      ...areas,
      accounts: login.answerConsent,
      oauth2: api.oauth2,
      openid: api.openid,
      googleapis: api.www,
      maps: maps.visit,
      cdn: fileHost(files, (id) => docs.get('blob', id)),
    },
    ...peopleParts(slug, people, options, {
      history: ({ id: person }) => places.reachedBy(person).flatMap(({ id: page }) => docs.list('post', { page })),
      text: summaryOf,
      place: ({ page_id, id }) => postUrl(world, page_id, id),
      part({ id, owner }) {
        if (!owner) return html`writes reviews`;
        const own = places.reachedBy(id).map((one) => html`<a href="${placeUrl(world, one.id)}">${one.title}</a> `);
        return own.length === 0 ? html`a Google user without a location` : html`can be connected, and has ${own}`;
      },
      added: addPlace,
    }),
    latest: maps.latest,
    acts: makeActs(googleActTable(played)),
    lists: {
      accounts: () => docs.list('account'),
      locations: () => docs.list('location'),
      posts: () => docs.list('post').map((post) => ({ ...post, state: posts.stateOf(post) })),
      media: () => docs.list('media'),
      reviews: () => docs.list('review'),
      pushes: () => pushes.list(500).toReversed(),
    },
    revoke: login.tokens.revoke,
    reset() {
      store.write(() => {
        world.reset();
        api.reset();
        settle(world, places);
        for (const owner of people.owners()) if (places.accountsOf(owner.id).length === 0) addPlace(owner);
      });
    },
  });
}
