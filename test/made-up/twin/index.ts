import { html, plain } from '#sandbox/html.ts';
import { makeActs } from '#sandbox/kit/acts.ts';
import { makeGate } from '#sandbox/kit/api/gate.ts';
import { makeRoutes, type RouteWords } from '#sandbox/kit/api/routes.ts';
import { plainWords } from '#sandbox/kit/api/params.ts';
import { openDocs } from '#sandbox/kit/docs.ts';
import { drawPost } from '#sandbox/kit/drawing.ts';
import { makeFetching } from '#sandbox/kit/fetching.ts';
import { openFiles } from '#sandbox/kit/files.ts';
import { bearerOf } from '#sandbox/kit/oauth/secrets.ts';
import type { TwinOptions } from '#sandbox/kit/options.ts';
import { personView, postView } from '#sandbox/kit/people.ts';
import { pushActs } from '#sandbox/kit/push/pushes.ts';
import { openSettings, settingsAct } from '#sandbox/kit/settings.ts';
import { makeTwin } from '#sandbox/kit/twin.ts';
import type { SandboxPerson, Twin } from '#sandbox/twin.ts';
import { SLUG } from '../slug.ts';
import { ABOUT } from './about.ts';
import { actsOf } from './acts.ts';
import { FOLLOWERS, KINDS, numericJson, OWNERS, ownerOf, type PlazaDocs } from './docs.ts';
import { isApp, makeLogin, type PlazaCaller } from './login.ts';
import { inboxRoutes } from './inbox.ts';
import { postRoutes } from './posts.ts';
import { makePushing } from './pushes.ts';
import { known, refuse, Refusal } from './refusals.ts';
import { newId, on } from './things.ts';
import { SETTINGS, type Plaza } from './world.ts';

/** The routes of the API. */
const routesOf = (plaza: Plaza, { token, tokens }: ReturnType<typeof makeLogin>) => [
  on('POST', '/token', { isOpen: true }, token),
  on('POST', '/app', { isOpen: true }, ({ params: { values } }) => ({ known: isApp(values) })),
  on('POST', '/revoke', {}, ({ caller }) => tokens.revoke(caller.person)),
  on('GET', '/keys', { isOpen: true }, () => plaza.pushing.keys()),
  ...postRoutes(plaza),
  ...inboxRoutes(plaza),
];

const wordsOf = ({ caller, tokens }: ReturnType<typeof makeLogin>): RouteWords<PlazaCaller> => ({
  ...plainWords((message) => new Refusal('bad_request', message)),
  noSuchPath: refuse('no_such_thing'),
  caller,
  personOf: (ctx, params) => tokens.personOf(bearerOf(ctx.get('authorization')) ?? params?.text('refresh_token') ?? ''),
  missing: refuse('forbidden'),
  limited: refuse('too_fast'),
  json: numericJson,
});

/** The simulator of Plaza, a network that nobody has: it can do everything that a platform may ask of a connector. */
export function openPlaza(options: TwinOptions): Twin {
  const { store } = options;
  const { prefix } = ABOUT;
  const docs = openDocs<PlazaDocs>(store, prefix);
  const settings = openSettings(store, prefix, SETTINGS);
  const pushing = makePushing(options, docs, settings);
  const files = openFiles(store, prefix, { nodes: docs, clock: options.clock, newId });
  const fetching = makeFetching(options, files, { network: ABOUT.slug, userAgent: ABOUT.title });
  const plaza: Plaza = { options, docs, settings, pushing, fetching };
  const login = makeLogin(options);
  const trouble = { throttled: refuse('too_fast'), expired: refuse('token_expired'), trouble: refuse('broken') };
  const gate = makeGate({ ...options, network: SLUG, words: trouble });
  const routes = routesOf(plaza, login);
  const consent = login.consent.act((words) => words);
  const acts = makeActs({
    acts: { ...actsOf(plaza, login), ...pushActs(pushing), consent, settings: settingsAct(settings, SETTINGS) },
    groups: { people: 'What people do', twin: 'What the network does' },
    lists: { follower: () => FOLLOWERS.map(({ handle, name }) => ({ value: handle, label: name })) },
  });

  const postsOf = (person: string) =>
    docs.list('post').flatMap(({ id, profile, text, gone, at }) => {
      if (ownerOf(String(profile))?.id !== person) return [];
      const versions = [{ action: 'create', at, record: {} }] as const;
      const post = { id, text: String(text), exists: gone !== true, path: id, versions };
      return [postView(SLUG, { handle: person }, post)];
    });
  const shownOwner = ({ id, name }: (typeof OWNERS)[number]): SandboxPerson => {
    const form = { key: login.keyOf(id) };
    return { ...personView(SLUG, { id, handle: id, name }, { posts: postsOf(id).length, credentials: form }), form };
  };

  return makeTwin({
    ...ABOUT,
    methods: routes.map(({ verb, path }) => `${verb} ${path}`),
    areas: { api: makeRoutes({ gate, routes, words: wordsOf(login), rates: undefined }), www: login.consent.answer },
    people: () => OWNERS.map(shownOwner),
    cast: () => OWNERS.map(({ id, name }) => ({ handle: id, name, path: undefined, part: html`${login.keyOf(id)}` })),
    find: (person) => OWNERS.find(({ id }) => id === person)?.id,
    addPerson: () => known<SandboxPerson>(undefined),
    posts: postsOf,
    latest(count) {
      const newest = docs.list('post').slice(-count);
      return newest.map(({ at, text, page_id }) => drawPost({ author: page_id, text: plain(text), at }));
    },
    acts,
    lists: Object.fromEntries(KINDS.map((kind) => [kind, () => docs.list(kind)])),
    pushes: pushing,
    revoke: login.tokens.revoke,
    reset() {
      docs.keepOnly([]);
      for (const part of [files, settings, pushing, login.tokens]) part.reset();
    },
  });
}
