import { readBody } from '../../../src/sandbox/body.ts';
import { html } from '../../../src/sandbox/html.ts';
import { makeActs } from '../../../src/sandbox/kit/acts.ts';
import { makeGate } from '../../../src/sandbox/kit/api/gate.ts';
import { answer, makeRoutes, route, type RouteWords } from '../../../src/sandbox/kit/api/routes.ts';
import { openDocs } from '../../../src/sandbox/kit/docs.ts';
import { bearerOf } from '../../../src/sandbox/kit/oauth/secrets.ts';
import type { TwinOptions } from '../../../src/sandbox/kit/options.ts';
import { pushActs } from '../../../src/sandbox/kit/push/pushes.ts';
import { openSettings, settingsAct } from '../../../src/sandbox/kit/settings.ts';
import { makeTwin } from '../../../src/sandbox/kit/twin.ts';
import type { SandboxPerson, SandboxPost, Twin } from '../../../src/sandbox/twin.ts';
import { SLUG } from '../slug.ts';
import { actsOf } from './acts.ts';
import { FOLLOWERS, KINDS, numericJson, OWNERS, ownerOf, type PlazaDocs, type Thing } from './docs.ts';
import { makeLogin, type PlazaCaller } from './login.ts';
import { inboxMethods } from './inbox.ts';
import { postMethods } from './posts.ts';
import { makePushing } from './pushes.ts';
import { Refusal } from './refusals.ts';
import { SETTINGS, type Plaza } from './world.ts';

const MOST_BYTES = 1024 * 1024;
const JSON_TYPE = { 'content-type': 'application/json' };

/** The routes of the API: those of the login, and the methods. */
function routesOf(plaza: Plaza, login: ReturnType<typeof makeLogin>) {
  const methods = Object.entries({ ...postMethods(plaza), ...inboxMethods(plaza) }).map(([name, method]) => {
    const [verb = '', pattern = ''] = name.split(' ');
    let stars = 0;
    const path = `/${pattern.replaceAll('*', () => `{id${(stars += 1)}}`)}`;
    const isStream = path.includes('/parts/');
    return route<PlazaCaller>(verb, path, { isStream }, async ({ ctx, path: ids, params, caller }) => {
      const bytes = isStream ? ((await readBody(ctx, MOST_BYTES)) ?? Buffer.alloc(0)) : Buffer.alloc(0);
      const call = { caller, ids: Object.values(ids), query: ctx.URL.searchParams, body: params.values, bytes };
      const made = (await method(call)) as Thing;
      if (typeof made['base64'] !== 'string') return answer(numericJson(made), 200, JSON_TYPE);
      return answer(Buffer.from(made['base64'], 'base64'), 200, { 'content-type': String(made['type']) });
    });
  });
  return [
    route<PlazaCaller>('POST', '/token', { isOpen: true }, login.token),
    route<PlazaCaller>('POST', '/revoke', {}, ({ caller }) => login.tokens.revoke(caller.person)),
    route<PlazaCaller>('GET', '/keys', { isOpen: true }, () => plaza.pushing.keys()),
    ...methods,
  ];
}

function wordsOf(login: ReturnType<typeof makeLogin>): RouteWords<PlazaCaller> {
  const bad = (message: string) => new Refusal('bad_request', message);
  return {
    noSuchPath: () => new Refusal('no_such_thing', 'There is no such method.'),
    caller: login.caller,
    personOf: (ctx) => login.tokens.personOf(bearerOf(ctx.get('authorization')) ?? ''),
    missing: () => new Refusal('forbidden'),
    invalid: bad,
    limited: () => new Refusal('too_fast'),
    wrong: (name, what) => bad(`${name} is ${what}`),
    tooLong: () => bad('That is too long.'),
    broken: (kind) => bad(`This is no ${kind}.`),
  };
}

/** The stand-in of Plaza, a network that nobody has: it can do everything that a platform may ask of a connector. */
export function openPlaza(options: TwinOptions): Twin {
  const { store } = options;
  const docs = openDocs<PlazaDocs>(store, 'plaza');
  const settings = openSettings(store, 'plaza', SETTINGS);
  const pushing = makePushing(options, docs, settings);
  const plaza: Plaza = { options, docs, settings, pushing };
  const login = makeLogin(options);
  const gate = makeGate({
    ...options,
    network: SLUG,
    words: {
      throttled: () => new Refusal('too_fast'),
      expired: () => new Refusal('token_expired'),
      trouble: () => new Refusal('broken'),
    },
  });
  const routes = routesOf(plaza, login);
  const acts = makeActs({
    acts: {
      ...actsOf(plaza, login),
      ...pushActs(pushing),
      consent: login.consent.act((words) => words),
      settings: settingsAct(settings, SETTINGS),
    },
    groups: { people: 'What people do', twin: 'What the network does' },
    lists: { follower: () => FOLLOWERS.map(({ handle, name }) => ({ value: handle, label: name })) },
  });

  const postsOf = (person: string): readonly SandboxPost[] =>
    docs.list('post').flatMap(({ id, profile, text, gone, at }) => {
      if (ownerOf(String(profile))?.id !== person) return [];
      const versions = [
        { action: 'create' as const, cid: undefined, rev: '1', at: new Date(at).toISOString(), record: {} },
      ];
      return [
        { network: SLUG, person, uri: id, rkey: id, exists: gone !== true, text: String(text), path: id, versions },
      ];
    });
  const known = ({ id, name }: (typeof OWNERS)[number]): SandboxPerson => ({
    network: SLUG,
    id,
    handle: id,
    display_name: name,
    credentials: { key: login.keyOf(id) },
    form: { key: login.keyOf(id) },
    commits: 0,
    posts: postsOf(id).length,
  });

  return makeTwin({
    slug: SLUG,
    title: 'Plaza',
    entry: 'Connect an owner by consent, or with the key.',
    methods: routes.map(({ verb, path }) => `${verb} ${path}`),
    areas: {
      api: makeRoutes({ gate, routes, words: wordsOf(login), rates: undefined }),
      www: (ctx) => login.consent.answer(ctx),
    },
    pages: ['www'],
    people: () => OWNERS.map(known),
    cast: () =>
      OWNERS.map(({ id, name }) => ({
        handle: id,
        name,
        path: undefined,
        part: html`Key <code>${login.keyOf(id)}</code>`,
      })),
    find: (person) => OWNERS.find(({ id }) => id === person)?.id,
    addPerson: () => {
      throw new Refusal('bad_request', 'Nobody moves here.');
    },
    posts: postsOf,
    latest: (count) =>
      docs
        .list('post')
        .slice(-count)
        .map(({ text }) => html`<p>${String(text)}</p>`),
    acts,
    conversations: () => [],
    lists: Object.fromEntries(KINDS.map((kind) => [kind, () => docs.list(kind)])),
    pushes: pushing,
    revoke: login.tokens.revoke,
    reset() {
      docs.clear(KINDS);
      settings.reset();
      pushing.reset();
      login.tokens.reset();
    },
  });
}
