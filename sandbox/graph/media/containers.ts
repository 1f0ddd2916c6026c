/**
 * Containers: what a post is made of before it is published, on Instagram and on Threads.
 *
 * A platform adds `container: Container<Draft>` to its documents, the kind to its nodes, and `CONTAINER_SETTINGS` to its
 * settings; `Draft` is what the container will become, in the platform's own words. Its methods then
 * - read and check the parameters, fetch the file with `world.fetching`, and `open` the container; what may only be found
 *   wrong later (a film that cannot be fetched or read) is the `failure` of the container, in the words that `failure`
 *   has on the platform;
 * - answer a read of the container with `look`, which counts the reads that still find it at work;
 * - publish in one transaction: `publishable` (or the platform's refusal), the new post, `published` with its id.
 * `quota` counts what was made of an account within a day, for the platform's limits, and `uploads` is what the upload
 * host fills. `containerActs` let the console end a container in any state.
 */
import type { Clock } from '#kernel/clock.ts';
import { PageError } from '../../forms.ts';
import { maybe, must, newest } from '../../kit/acts.ts';
import type { Acts, Choice, Values } from '../../kit/acts.ts';
import type { Doc, DocStore } from '../../kit/docs.ts';
import type { Files } from '../../kit/files.ts';
import type { Settings } from '../../kit/settings.ts';
import type { Store } from '../../store.ts';
import { newId } from '../ids.ts';
import type { Uploads } from './rupload.ts';

const DAY = 86_400_000;

/** The switches of a platform with containers. */
export const CONTAINER_SETTINGS = Object.freeze({
  /** A film or a set of several is at work for so long, and for so many reads of its status. */
  container_processing_ms: 0,
  container_processing_polls: 1,
  /** Containers that nobody publishes are gone after so long. */
  container_life_ms: DAY,
  /** What every new container fails with, in the platform's words; empty is nothing. */
  container_failure: '',
  /** So many of the next containers cannot be found by those who publish them, although they are finished. */
  containers_lost: 0,
  /** So many of the next pictures cannot be fetched, although they are there. */
  fetches_failing: 0,
});

export type ContainerStatus = 'IN_PROGRESS' | 'FINISHED' | 'PUBLISHED' | 'ERROR' | 'EXPIRED';

export type Container<T = unknown> = Doc &
  Readonly<{
    page_id: string;
    draft: T;
    /** Containers that are part of it, in their order. */
    children: readonly string[];
    /** It can only be part of another one. */
    is_child: boolean;
    /** Its file; absent for texts and for sets. */
    blob?: string;
    /** The size in bytes as announced to the upload host. */
    file_size?: number;
    received: number;
    /** Its file is here; false until the upload host has all of it. */
    uploaded: boolean;
    ready_from: number;
    polls_left: number;
    failure?: string;
    expired?: boolean;
    /** It is finished, and whoever publishes it is told that there is no such container. */
    lost?: boolean;
    /** What was made of it, and when. */
    media_id?: string;
    published_at?: number;
  }>;

type Opening<T> = Pick<Container<T>, 'page_id' | 'draft'> &
  Partial<Pick<Container<T>, 'children' | 'is_child' | 'blob' | 'failure' | 'uploaded'>> &
  Readonly<{ /** It takes its time, as films do. */ slow: boolean }>;

type ContainerWorld<T> = Readonly<{
  store: Store;
  clock: Clock;
  nodes: DocStore<{ container: Container<T> }>;
  settings: Settings<typeof CONTAINER_SETTINGS>;
  files: Files;
}>;

export type Containers<T> = Readonly<{
  /** Makes a container; processing starts at once, unless its file is still to be uploaded. */
  open(draft: Opening<T>): Container<T>;
  status(container: Container<T>): ContainerStatus;
  /** Counts one read of the status and answers what it found. */
  look(id: string): ContainerStatus;
  /** Whether it can be published now. */
  publishable(container: Container<T>): boolean;
  published(id: string, media_id: string): void;
  /** How many of an account were made, and published, within the last day; parts of others are not counted. */
  quota(page: string): Readonly<{ made: number; published: number }>;
  /** The containers whose file comes through the upload host; `failureOf` is what one of a type fails with. */
  uploads(path: string, right: Uploads['right'], failureOf: (mime: string) => string | undefined): Uploads;
}>;

/** Processing ends by itself, too, when nobody asks about it. */
const UNWATCHED_MS = 30_000;

/** The life of containers: at work, finished or failed, published or expired. */
export function makeContainers<T>({ store, clock, nodes, settings, files }: ContainerWorld<T>): Containers<T> {
  const isAtWork = ({ uploaded, ready_from, polls_left }: Container<T>) => {
    const now = clock.now();
    return !uploaded || ready_from > now || (polls_left > 0 && ready_from + UNWATCHED_MS > now);
  };

  function status(container: Container<T>): ContainerStatus {
    const { at, media_id, failure, expired } = container;
    if (media_id !== undefined) return 'PUBLISHED';
    if (expired === true || at + settings.get('container_life_ms') <= clock.now()) return 'EXPIRED';
    if (isAtWork(container)) return 'IN_PROGRESS';
    return failure === undefined ? 'FINISHED' : 'ERROR';
  }

  function stored(id: string): Container<T> {
    const container = nodes.get('container', id);
    if (container === undefined) throw new Error(`There is no container ${id}.`);
    return container;
  }

  return Object.freeze({
    status,
    open({ slow, ...draft }: Opening<T>) {
      const now = clock.now();
      const failure = draft.failure ?? (settings.get('container_failure') || undefined);
      const lost = draft.is_child === true ? 0 : settings.get('containers_lost');
      if (lost > 0) settings.set({ containers_lost: lost - 1 });
      return nodes.put('container', {
        children: [],
        is_child: false,
        uploaded: true,
        received: 0,
        ready_from: now + (slow ? settings.get('container_processing_ms') : 0),
        polls_left: slow ? settings.get('container_processing_polls') : 0,
        ...draft,
        ...(failure !== undefined && { failure }),
        ...(lost > 0 && { lost: true }),
        id: newId(),
        at: now,
      });
    },
    look: (id: string) =>
      store.write(() => {
        const container = stored(id);
        const found = status(container);
        const { uploaded, polls_left } = container;
        // This read still finds it at work; the next one may not.
        if (found === 'IN_PROGRESS' && uploaded && polls_left > 0)
          nodes.change('container', id, { polls_left: polls_left - 1 });
        return found;
      }),
    publishable: (container: Container<T>) =>
      status(container) === 'FINISHED' && !container.is_child && container.lost !== true,
    published: (id: string, media_id: string) =>
      void nodes.change('container', id, { media_id, published_at: clock.now() }),
    quota(page: string) {
      const since = clock.now() - DAY;
      const all = nodes.list('container', { page }).filter(({ is_child }) => !is_child);
      return {
        made: all.filter(({ at }) => at > since).length,
        published: all.filter(({ published_at = 0 }) => published_at > since).length,
      };
    },
    uploads: (path: string, right: Uploads['right'], failureOf: (mime: string) => string | undefined): Uploads => ({
      path,
      right,
      find(id: string) {
        const container = nodes.get('container', id);
        const blob = container?.blob;
        return container === undefined || blob === undefined ? undefined : { ...container, blob };
      },
      change: (id, patch) => void nodes.change('container', id, patch),
      async uploaded(id: string) {
        const { size, mime } = await files.finish(stored(id).blob ?? '');
        const failure = stored(id).failure ?? failureOf(mime);
        return store.write(() => {
          const ready_from = clock.now() + settings.get('container_processing_ms');
          const patch = { uploaded: true, received: size, file_size: size, ready_from };
          return nodes.change('container', id, { ...patch, ...(failure !== undefined && { failure }) });
        });
      },
    }),
  });
}

const ENDS = Object.freeze(['FINISHED', 'ERROR', 'EXPIRED']);

/** The act that ends a container, and the list it is chosen from. */
export function containerActs<T>(
  { store, nodes }: Pick<ContainerWorld<T>, 'store' | 'nodes'>,
  labelOf: (container: Container<T>) => string,
): Readonly<{ acts: Acts; lists: Readonly<Record<'container', () => readonly Choice[]>> }> {
  const acts: Acts = {
    end_container: {
      group: 'twin',
      title: 'End the work on a container',
      fields: {
        container: { label: 'Container', kind: 'container' },
        as: { label: 'It is then', kind: 'choice', choices: ENDS },
        failure: maybe('What it failed with'),
      },
      run: (values: Values) =>
        store.write(() => {
          const id = must(values, 'container');
          if (nodes.get('container', id) === undefined) throw new PageError(404, 'There is no such container.');
          const as = must(values, 'as');
          return nodes.change('container', id, {
            polls_left: 0,
            ready_from: 0,
            expired: as === 'EXPIRED',
            failure: as === 'ERROR' ? (values['failure'] ?? 'UNKNOWN') : undefined,
          });
        }),
    },
  };
  const open = () => newest(nodes.list('container').filter(({ media_id }) => media_id === undefined));
  return { acts, lists: { container: () => open().map((one) => ({ value: one.id, label: labelOf(one) })) } };
}
