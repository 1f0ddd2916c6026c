import { computed, signal } from '@preact/signals';
import { ABILITIES } from '#kernel/people/abilities.ts';
import { makeActing, type Say } from '../lib/acting.ts';
import { isGone, type Call } from '../lib/call.ts';
import type { AbleAccount, Answer, Export, LogEvent } from '../lib/operations.ts';
import { cursorAfter, without } from '../lib/paging.ts';

type ExportsDeps = Readonly<{
  call: Call;
  first: Answer<'list_exports'>;
  newKey(): string;
  clock(): number;
  later(run: () => void): void;
  /** Runs after `ms` milliseconds, and replaces an earlier callback that has not run yet. */
  soon(run: () => void, ms: number): void;
  say: Say;
}>;

/** How often to check an export that is running. */
const RUNNING_MS = 3000;
/** URLs of files are valid for 15 minutes, so they are renewed sooner. */
const FILES_MS = 10 * 60_000;

export function makeExports({ call, first, newKey, clock, later, soon, say }: ExportsDeps) {
  const exports = signal<readonly Export[]>(first.data);
  const cursor = signal(cursorAfter(first));
  const isStale = signal(false);
  const { isBusy, act } = makeActing({ call, newKey, say });

  function watch(): void {
    const isRunning = exports.value.some(({ status }) => status === 'pending' || status === 'processing');
    if (exports.value.length > 0) soon(() => void refresh(), isRunning ? RUNNING_MS : FILES_MS);
  }

  /** Exports that are deleted. A list that was requested before may still contain them. */
  const gone = new Set<string>();
  function drop(id: string): void {
    gone.add(id);
    exports.value = exports.value.filter((one) => one.id !== id);
  }

  async function refresh(): Promise<void> {
    try {
      const listed = await call('list_exports', {});
      const data = listed.data.filter(({ id }) => !gone.has(id));
      const read = new Set(data.map(({ id }) => id));
      exports.value = [...data, ...exports.value.filter(({ id }) => !read.has(id))];
      isStale.value = false;
    } catch {
      isStale.value = true;
    }
    watch();
  }

  return {
    isBusy,
    exports: computed(() => exports.value),
    hasMore: computed(() => cursor.value !== undefined),
    /** Whether the last check failed, so that the progress may be out of date. */
    isStale: computed(() => isStale.value),
    /** An export in its current state; undefined if it is no longer there. */
    find: (id: string): Export | undefined => exports.value.find((one) => one.id === id),
    stateOf: (one: Export) => stateOf(one, clock()),
    watch,
    refresh,

    async more(): Promise<void> {
      await act(async () => {
        const page = await call('list_exports', { cursor: cursor.value });
        exports.value = [...exports.value, ...without(page.data, exports.value)];
        cursor.value = cursorAfter(page);
        return undefined;
      });
    },

    async make(account_id: string, wanted: Readonly<{ transcripts: boolean; vision: boolean }>): Promise<void> {
      await act(async (callOnce) => {
        const made = await callOnce('create_export', {
          account_id,
          include_transcript: wanted.transcripts,
          include_vision: wanted.vision,
        });
        exports.value = [made, ...exports.value.filter(({ id }) => id !== made.id)];
        watch();
        return 'The export has begun.';
      });
    },

    async remove({ id }: Export): Promise<void> {
      await act(async (callOnce) => {
        try {
          await callOnce('delete_export', { export_id: id });
        } catch (error) {
          // Somebody else has already deleted it, which is the desired result.
          if (!isGone(error)) throw error;
        }
        drop(id);
        return 'The export is deleted.';
      });
    },

    heard({ category, action, resource_id }: LogEvent): void {
      if (category !== 'account' || !action.startsWith('export_')) return;
      if (action === 'export_deleted' && resource_id !== null) drop(resource_id);
      else later(() => void refresh());
    },
  };
}

/** The state of an export, as the page shows it. */
function stateOf({ status, expires_at }: Export, now: number): 'waiting' | 'running' | 'ready' | 'expired' | 'failed' {
  if (status === 'pending') return 'waiting';
  if (status === 'processing') return 'running';
  if (status === 'failed') return 'failed';
  return expires_at !== null && Date.parse(expires_at) <= now ? 'expired' : 'ready';
}

/** Whether an account's posts can be read from its platform. */
export const canExport = ({ capabilities }: AbleAccount): boolean => capabilities.includes(ABILITIES.exports);
