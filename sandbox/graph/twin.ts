/** Assembles a Graph simulator from the common parts and those of the platform. */
import type { Context } from 'koa';
import { makeActs, type Act, type Acts } from '../kit/acts.ts';
import type { Kinds } from '../kit/docs.ts';
import { fileHost } from '../kit/public.ts';
import type { Defaults } from '../kit/settings.ts';
import { makeTwin, type TwinParts } from '../kit/twin.ts';
import type { Offer, Twin } from '../twin.ts';
import type { Html } from '../html.ts';
import type { GraphDocs } from './docs.ts';
import type { GraphTwin } from './index.ts';
import { containerActs, type Container } from './media/containers.ts';
import type { OAuth } from './oauth/oauth.ts';
import { commonParts, networkActs, type Showing } from './parts.ts';
import { GROUPS, ownerActs } from './people/cast.ts';
import type { GRAPH_SETTINGS, GraphWorld } from './world.ts';

type ContainerStore = Parameters<typeof containerActs<unknown>>[0];

const SHOWN_PUSHES = 500;

/** What a platform contributes: areas, a public site, actions and lists. */
export type GraphParts<D> = Pick<TwinParts, 'areas' | 'conversations' | 'due'> &
  Readonly<{
    acts: Acts;
    groups?: Readonly<Record<string, string>>;
    oauth: Pick<OAuth, 'remove'>;
    /** The action that goes through the login dialog. */
    consent: Act;
    hidden?: readonly string[];
    containerName?(container: Container<unknown>): string;

    /** The methods for which faults can be set. */
    methods: readonly string[];
    showing: Showing;
    site: Readonly<{
      answer(ctx: Context, path: readonly string[]): Promise<void>;
      /** Undefined on a platform without posts. */
      latest?(count: number, offer?: Offer): readonly Html[];
    }>;
    /** Lists of the control API: a kind of document, or a function. */
    lists: Readonly<Record<string, (keyof D & string) | (() => unknown)>>;
    /** Kinds of documents that a reset keeps in addition. */
    kept?: readonly (keyof D & string)[];
    own?: Partial<TwinParts>;
  }>;

export function graphTwin<D extends GraphDocs & Kinds<D>, S extends Defaults & typeof GRAPH_SETTINGS>(
  { world, about, switches, queue, reset }: GraphTwin<D, S>,
  { showing, site, areas, lists, kept = [], own = {}, ...parts }: GraphParts<D>,
): Twin {
  const { nodes, people, files, settings } = world;
  const listOf = (list: (keyof D & string) | (() => unknown)) =>
    typeof list === 'string' ? () => nodes.list(list) : list;
  const { acts, groups = GROUPS, oauth, consent, hidden, containerName, ...rest } = parts;
  const common = world as unknown as GraphWorld;
  const ofContainers = containerName && containerActs(world as unknown as ContainerStore, containerName);
  return makeTwin({
    ...about,
    ...commonParts(world, queue, showing),
    ...rest,
    acts: makeActs({
      groups,
      ...(ofContainers && { lists: ofContainers.lists }),
      acts: {
        ...acts,
        ...ownerActs(common, oauth),
        ...ofContainers?.acts,
        ...networkActs(world, queue, switches, hidden),
        consent,
      },
    }),
    areas: {
      cdn: fileHost(files),
      www: (ctx: Context, rest: readonly string[]) => site.answer(ctx, rest),
      ...areas,
    },
    cast: showing.cast,
    ...(site.latest !== undefined && { latest: site.latest }),
    lists: {
      people: () => people.all(),
      pushes: () => queue.list(SHOWN_PUSHES).toReversed(),
      settings: () => settings.all(),
      ...Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, listOf(list)])),
    },
    reset: () => reset(...kept),
    ...own,
  });
}
