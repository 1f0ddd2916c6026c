/** Puts a Graph twin together, of what its platform adds to what all of them are made of. */
import type { Context } from 'koa';
import type { Kinds } from '../kit/docs.ts';
import { fileHost } from '../kit/public.ts';
import type { Defaults } from '../kit/settings.ts';
import { makeTwin } from '../kit/twin.ts';
import type { TwinParts } from '../kit/twin.ts';
import type { Offer, Twin, TwinAbout } from '../twin.ts';
import type { Html } from '../html.ts';
import type { GraphDocs } from './docs.ts';
import type { GraphTwin } from './index.ts';
import { commonParts } from './parts.ts';
import type { Showing } from './parts.ts';
import type { GRAPH_SETTINGS } from './world.ts';

const SHOWN_PUSHES = 500;

/** What a platform adds: areas of its own, its public site and scene, and what the control door shows. */
export type GraphParts<D> = Pick<TwinParts, 'areas' | 'acts' | 'cast' | 'conversations' | 'due'> &
  Readonly<{
    about: TwinAbout;
    /** Methods a fault can be aimed at. */
    methods: readonly string[];
    showing: Showing;
    site: Readonly<{
      answer(ctx: Context, path: readonly string[]): Promise<void>;
      latest(count: number, offer?: Offer): readonly Html[];
    }>;
    /** Lists of the control door: the documents of a kind, or what else there is. */
    lists: Readonly<Record<string, (keyof D & string) | (() => unknown)>>;
    /** Kinds of documents that a reset takes away. */
    done: readonly (keyof D & string)[];
    /** What of all this is otherwise on this platform. */
    own?: Partial<TwinParts>;
  }>;

/** Puts a Graph twin of posts together. */
export function graphTwin<D extends GraphDocs & Kinds<D>, S extends Defaults & typeof GRAPH_SETTINGS>(
  { world, queue, reset }: GraphTwin<D, S>,
  { about, showing, site, areas, lists, done, own = {}, ...parts }: GraphParts<D>,
): Twin {
  const { nodes, people, files, settings } = world;
  const listOf = (list: (keyof D & string) | (() => unknown)) =>
    typeof list === 'string' ? () => nodes.list(list) : list;
  return makeTwin({
    ...about,
    ...commonParts(world, queue, showing),
    ...parts,
    areas: {
      cdn: fileHost(files),
      www: (ctx: Context, rest: readonly string[]) => site.answer(ctx, rest),
      ...areas,
    },
    latest: site.latest,
    lists: {
      people: () => people.all(),
      pushes: () => queue.list(SHOWN_PUSHES).toReversed(),
      settings: () => settings.all(),
      ...Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, listOf(list)])),
    },
    reset: () => reset(done),
    ...own,
  });
}
