/** Instagram and Threads create posts from containers, which are processed and then published, or expire. */
import { DAY, type Clock } from '#kernel/clock.ts';
import { PageError } from '../../forms.ts';
import { maybe, must, newest, type Acts, type Choice, type Values } from '../../kit/acts.ts';
import type { Doc, DocStore } from '../../kit/docs.ts';
import type { Files } from '../../kit/files.ts';
import type { Settings } from '../../kit/settings.ts';
import type { Store } from '../../store.ts';
import { newId } from '../ids.ts';
import type { Uploads } from './rupload.ts';

export const CONTAINER_SETTINGS = Object.freeze({
  /** How long processing a video or a set takes, and after how many status reads it ends at the earliest. */
  container_processing_ms: 0,
  container_processing_polls: 1,
  /** How long a container can be published, in ms. */
  container_life_ms: DAY,
  /** The error that every new container ends with; empty for none. */
  container_failure: '',
  /** How many of the next containers finish, but cannot be found when they are published. */
  containers_lost: 0,
  /** How many of the next pictures fail to download although they exist. */
  fetches_failing: 0,
});

export type ContainerStatus = 'IN_PROGRESS' | 'FINISHED' | 'PUBLISHED' | 'ERROR' | 'EXPIRED';

export type Container<T = unknown> = Doc &
  Readonly<{
    page_id: string;
    draft: T;
    children: readonly string[];
    /** Can only be used as part of another container. */
    is_child: boolean;
    /** The uploaded file; texts and sets have none. */
    blob?: string;
    /** The size the caller announced, in bytes. */
    file_size?: number;
    received: number;
    /** Whether the whole file has arrived. */
    uploaded: boolean;
    ready_from: number;
    polls_left: number;
    failure?: string;
    expired?: boolean;
    /** Finished, but publishing reports it as missing. */
    lost?: boolean;
    /** The post made from it, and when. */
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
  /** Creates a container. Processing starts at once, or when the upload is complete. */
  open(draft: Opening<T>): Container<T>;
  status(container: Container<T>): ContainerStatus;
  /** Returns the status and counts the read, because processing can end after a number of reads. */
  look(id: string): ContainerStatus;
  publishable(container: Container<T>): boolean;
  published(id: string, media_id: string): void;
  /** How many containers an account created and published in the last 24 hours, not counting parts of sets. */
  quota(page: string): Readonly<{ made: number; published: number }>;
  /** Lets the upload host fill containers; `failureOf` returns the error for a file type, if any. */
  uploads(path: string, right: Uploads['right'], failureOf: (mime: string) => string | undefined): Uploads;
}>;

/** Processing ends after this time even if nobody reads the status. */
const UNWATCHED_MS = 30_000;

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
        // This read still returns `IN_PROGRESS`, but the next one may not.
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
