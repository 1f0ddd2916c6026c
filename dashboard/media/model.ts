import { computed, signal } from '@preact/signals';
import { makeActing, type Say } from '../lib/acting.ts';
import type { Call } from '../lib/call.ts';
import type { Answer, Input, MediaItem } from '../lib/operations.ts';
import { cursorAfter } from '../lib/paging.ts';
import type { Sending } from '../lib/upload.ts';

/** An upload in progress; `problem` is why it failed. */
export type Upload = Readonly<{ id: number; file: File; share: number; problem?: string; cancel(): void }>;

type MediaDeps = Readonly<{
  call: Call;
  send(file: File, key: string, onShare: (share: number) => void): Sending;
  input: Input<'list_media'>;
  first: Answer<'list_media'>;
  storage: Answer<'get_storage_usage'>;
  newKey(): string;
  say: Say;
}>;

export function makeMedia({ call, send, input, first, newKey, say, ...given }: MediaDeps) {
  const items = signal<readonly MediaItem[]>(first.data);
  const cursor = signal(cursorAfter(first));
  const storage = signal(given.storage);
  const uploads = signal<readonly Upload[]>([]);
  const asked = signal<MediaItem | undefined>(undefined);
  const { isBusy, act } = makeActing({ call, newKey, say });
  let begun = 0;

  const change = (id: number, more: Partial<Upload>) => {
    uploads.value = uploads.value.map((upload) => (upload.id === id ? { ...upload, ...more } : upload));
  };
  const drop = (id: number) => void (uploads.value = uploads.value.filter((upload) => upload.id !== id));

  async function readStorage(): Promise<void> {
    storage.value = await call('get_storage_usage', {});
  }

  async function bring(file: File): Promise<void> {
    const id = ++begun;
    const { arrived, cancel } = send(file, newKey(), (share) => change(id, { share }));
    uploads.value = [...uploads.value, { id, file, share: 0, cancel }];
    try {
      const item = await arrived;
      items.value = [item, ...items.value];
      drop(id);
      say(`${file.name} is there.`);
    } catch (error) {
      change(id, { problem: (error as Error).message });
    }
  }

  async function upload(files: readonly File[]): Promise<void> {
    // One after the other, so that a slow line shows each on its way.
    for (const file of files) await bring(file);
    await readStorage().catch(() => undefined);
  }

  return {
    items: computed(() => items.value),
    hasMore: computed(() => cursor.value !== undefined),
    storage: computed(() => storage.value),
    uploads: computed(() => uploads.value),
    asked: computed(() => asked.value),
    isBusy,

    upload,
    /** Dismisses a failed upload. */
    giveUp: drop,
    async tryAgain({ id, file }: Upload): Promise<void> {
      drop(id);
      await upload([file]);
    },

    async more(): Promise<void> {
      try {
        const page = await call('list_media', { ...input, cursor: cursor.value });
        const known = new Set(items.value.map(({ id }) => id));
        items.value = [...items.value, ...page.data.filter(({ id }) => !known.has(id))];
        cursor.value = cursorAfter(page);
      } catch (error) {
        say((error as Error).message, { isBad: true });
      }
    },

    ask: (item: MediaItem) => void (asked.value = item),
    dismiss: () => void (asked.value = undefined),

    async remove(): Promise<void> {
      const { id, filename } = asked.value!;
      asked.value = undefined;
      const isDone = await act(async (callOnce) => {
        await callOnce('delete_media', { media_id: id });
        return `${filename} is deleted.`;
      });
      if (!isDone) return;
      items.value = items.value.filter((item) => item.id !== id);
      await readStorage().catch(() => undefined);
    },
  };
}

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'];

/** A readable size. */
export function sizeOf(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log(Math.max(1, bytes)) / Math.log(1024)));
  const value = bytes / 1024 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[power]}`;
}
