import { openDocs, type Docs, type Kinds } from '../kit/docs.ts';
import { makeFetching } from '../kit/fetching.ts';
import { openFiles } from '../kit/files.ts';
import { hostBelow, type TwinOptions } from '../kit/options.ts';
import { openOrders } from '../kit/api/orders.ts';
import { openPushes, type Pushes } from '../kit/push/pushes.ts';
import type { Update } from '../kit/push/log.ts';
import { openSettings, type Defaults, type Settings } from '../kit/settings.ts';
import type { TwinAbout } from '../twin.ts';
import { KEPT, type GraphDocs } from './docs.ts';
import type { OrderedError } from './api/errors.ts';
import { newId } from './ids.ts';
import { openPeople, type Residents } from './people/people.ts';
import { startGraphPushes } from './push/pushes.ts';
import { openTokens } from './oauth/tokens.ts';
import { makeUpdates } from './push/updates.ts';
import type { GRAPH_SETTINGS, GraphWorld } from './world.ts';

const CRAWLER = 'facebookexternalhit/1.1';

export type WorldOf<D extends GraphDocs & Kinds<D>, S extends Defaults & typeof GRAPH_SETTINGS> = Omit<
  GraphWorld,
  'nodes' | 'settings'
> &
  Readonly<{ nodes: Docs<D>; settings: Settings<S> }>;

export type GraphTwin<D extends GraphDocs & Kinds<D>, S extends Defaults & typeof GRAPH_SETTINGS> = Readonly<{
  world: WorldOf<D, S>;
  about: TwinAbout;
  switches: S;
  queue: Pushes;
  /** Resets the simulator, but keeps these kinds of documents in addition to the usual ones. */
  reset(...kept: readonly (keyof D & string)[]): void;
}>;

export function openGraph<D extends GraphDocs & Kinds<D>, S extends Defaults & typeof GRAPH_SETTINGS>(
  options: TwinOptions,
  about: TwinAbout,
  own: Readonly<{
    bodies(updates: readonly Update[]): readonly object[];
    settings: S;
    residents: Residents;
    userAgent?: string;
  }>,
): GraphTwin<D, S> {
  const { store, clock, appSecret, rootUrl, webUrl } = options;
  const { slug, prefix } = about;
  const nodes = openDocs<D>(store, prefix);
  const shared = nodes as unknown as GraphWorld['nodes'];
  const settings = openSettings(store, prefix, own.settings);
  const common = settings as unknown as GraphWorld['settings'];
  const people = openPeople({ slug, store, clock }, shared, own.residents);
  const orders = openOrders<OrderedError>(store, prefix);
  const files = openFiles(store, prefix, { nodes: shared, clock, newId });
  const queue = openPushes({ ...options, network: slug, prefix, settings: common });
  const world: WorldOf<D, S> = Object.freeze({
    slug,
    options,
    store,
    clock,
    nodes,
    people,
    settings,
    orders,
    files,
    appSecret,
    tokens: openTokens({ slug, store, clock, appSecret }, shared, people),
    fetching: makeFetching(options, files, { network: slug, userAgent: own.userAgent ?? CRAWLER }),
    updates: makeUpdates(queue, { page: people.page, people, clock }),
    pushes: startGraphPushes(queue, { ...options, slug, bodies: own.bodies, nodes: shared, settings: common }),
    hosts: {
      rupload: hostBelow(rootUrl, slug, 'rupload'),
      www: hostBelow(webUrl, slug, 'www'),
      cdn: hostBelow(webUrl, slug, 'cdn'),
    },
  });

  function reset(...kept: readonly (keyof D & string)[]): void {
    store.write(() => {
      nodes.keepOnly([...KEPT, ...kept]);
      for (const { id } of people.pages()) shared.change('page', id, { subscription: undefined });
      people.restore();
      files.reset();
      queue.reset();
      settings.reset();
      orders.reset();
    });
  }

  return Object.freeze({ world, about, switches: own.settings, queue, reset });
}
