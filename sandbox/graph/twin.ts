/** Puts a Graph twin together, of what its platform adds to what all of them are made of. */
import type { Context } from 'koa';
import { makeActs } from '../kit/acts.ts';
import type { Act, Acts } from '../kit/acts.ts';
import type { Kinds } from '../kit/docs.ts';
import { fileHost } from '../kit/public.ts';
import type { Defaults } from '../kit/settings.ts';
import { makeTwin } from '../kit/twin.ts';
import type { TwinParts } from '../kit/twin.ts';
import type { Offer, Twin } from '../twin.ts';
import type { Html } from '../html.ts';
import type { GraphDocs } from './docs.ts';
import type { GraphTwin } from './index.ts';
import { containerActs } from './media/containers.ts';
import type { Container } from './media/containers.ts';
import type { OAuth } from './oauth/oauth.ts';
import { commonParts, networkActs } from './parts.ts';
import type { Showing } from './parts.ts';
import { GROUPS, ownerActs } from './people/cast.ts';
import type { GRAPH_SETTINGS, GraphWorld } from './world.ts';

type ContainerStore = Parameters<typeof containerActs<unknown>>[0];

const SHOWN_PUSHES = 500;

/** What a platform adds: areas of its own, its public site and scene, and what the control door shows. */
export type GraphParts<D> = Pick<TwinParts, 'areas' | 'conversations' | 'due'> &
  Readonly<{
    /** What its people do; what they do on every Graph twin is added. */
    acts: Acts;
    /** The headings of acts, where they are otherwise on this platform. */
    groups?: Readonly<Record<string, string>>;
    oauth: Pick<OAuth, 'remove'>;
    /** The act that goes through the log-in dialog. */
    consent: Act;
    /** Switches that mean nothing here. */
    hidden?: readonly string[];
    /** How a container is called, where the platform has them. */
    containerName?(container: Container<unknown>): string;

    /** Methods a fault can be aimed at. */
    methods: readonly string[];
    showing: Showing;
    site: Readonly<{
      answer(ctx: Context, path: readonly string[]): Promise<void>;
      /** Absent where nobody posts. */
      latest?(count: number, offer?: Offer): readonly Html[];
    }>;
    /** Lists of the control door: the documents of a kind, or what else there is. */
    lists: Readonly<Record<string, (keyof D & string) | (() => unknown)>>;
    /** Kinds of documents of its own that a reset leaves. */
    kept?: readonly (keyof D & string)[];
    /** What of all this is otherwise on this platform. */
    own?: Partial<TwinParts>;
  }>;

/** Puts a Graph twin together. */
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
