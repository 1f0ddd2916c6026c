import { html } from '../html.ts';
import { makeActs } from '../kit/acts.ts';
import { makeGate } from '../kit/api/gate.ts';
import { plainWords } from '../kit/api/params.ts';
import { makeRoutes, nameOf, type RouteWords } from '../kit/api/routes.ts';
import { drawPost } from '../kit/drawing.ts';
import { listsOf } from '../kit/docs.ts';
import type { TwinOptions } from '../kit/options.ts';
import { personView, type Person } from '../kit/people.ts';
import { fileHost } from '../kit/public.ts';
import { makeTwin } from '../kit/twin.ts';
import type { Twin } from '../twin.ts';
import { ABOUT } from './about.ts';
import { accountRoute } from './accounts.ts';
import { zernioActs } from './acts.ts';
import { makeCalls, type Holder } from './calls.ts';
import { forbidden, invalid, missing, tooMany, trouble, unauthorized } from './errors.ts';
import { listingRoute } from './listing.ts';
import { postRoutes } from './posts.ts';
import { profileRoutes } from './profiles.ts';
import { makePublishing, stateOf } from './publishing.ts';
import { makeTeams, openWorld } from './world.ts';

/** Opens the simulator of Zernio: teams with API keys, profiles and accounts, from which a company migrates. */
export function openZernio(options: TwinOptions): Twin {
  const world = openWorld(options);
  const { docs, people, settings, files } = world;
  const teams = makeTeams(world);
  const calls = makeCalls(world, teams);
  const publishing = makePublishing(world);
  const words: RouteWords<Holder> = {
    ...plainWords((message) => invalid(message)),
    noSuchPath: () => missing(),
    caller: (ctx) => calls.holderOf(ctx.get('authorization')),
    personOf: (ctx) => calls.teamOf(ctx.get('authorization')),
    missing: () => forbidden('Forbidden'),
    limited: tooMany,
    unknown: (names) => invalid(`Unknown query parameters: ${names.join(', ')}`, names[0], 'unknown_parameter'),
  };
  const faults = { throttled: () => tooMany(), expired: unauthorized, trouble };
  const gate = makeGate({ ...options, network: ABOUT.slug, words: faults });
  const routes = [
    ...profileRoutes(world, teams, calls),
    accountRoute(world, teams, calls),
    listingRoute(world, calls),
    ...postRoutes(world, calls, publishing),
  ];
  if (people.all().length === 0) options.store.write(teams.settle);

  const api = { gate, words, rates: undefined, due: publishing.due };
  const keyOf = ({ id }: Person) => teams.keysOf(id)[0]?.parent_id ?? 'none';
  const viewOf = (team: Person) => personView(ABOUT.slug, team, { posts: 0, credentials: { 'API key': keyOf(team) } });

  return makeTwin({
    ...ABOUT,
    methods: Object.freeze(routes.map(nameOf)),
    areas: {
      api: makeRoutes({ ...api, routes }),
      media: fileHost(files),
    },
    due: publishing.due,
    close: publishing.close,
    people: () => people.all().map(viewOf),
    cast: () =>
      people.all().map((team) => ({
        handle: team.handle,
        name: team.name,
        path: undefined,
        part: html`has ${teams.profilesOf(team.id).length} profiles with
        ${docs.list('account', { page: team.id }).length} accounts; its keys:
        ${teams.keysOf(team.id).map(({ name, parent_id }) => html`${name} <code>${parent_id}</code> `)}`,
      })),
    find: (who) => people.find(who)?.id,
    addPerson: (handle, name) => options.store.write(() => viewOf(teams.addTeam(handle, name))),
    posts: () => [],
    latest: (count) =>
      docs
        .list('post')
        .slice(-count)
        .toReversed()
        .map((post) =>
          drawPost({
            author: people.byId(post.page_id)?.name,
            badges: [stateOf(post), ...post.targets.map(({ platform, status }) => `${platform}: ${status}`)],
            text: post.fields.content,
            at: post.scheduled_at ?? post.at,
          }),
        ),
    acts: makeActs(zernioActs(world, teams)),
    lists: { ...listsOf(docs, 'profile', 'account', 'key', 'post'), teams: people.all, settings: settings.all },
    revoke(team) {
      for (const { id } of teams.keysOf(team)) docs.change('key', id, { revoked_at: options.clock.now() });
    },
    reset() {
      options.store.write(() => {
        world.reset();
        teams.settle();
      });
    },
  });
}
