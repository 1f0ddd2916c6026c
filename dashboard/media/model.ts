import { computed, signal } from '@preact/signals';
import { makeActing, type Say } from '../lib/acting.ts';
import { RefusedError, type Call } from '../lib/call.ts';
import type { Answer, Input, MediaItem } from '../lib/operations.ts';
import { cursorAfter, without } from '../lib/paging.ts';
import { makeUploads, type Send, type Upload } from '../lib/upload/uploads.ts';

type MediaDeps = Readonly<{
  call: Call;
  send: Send<MediaItem>;
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
  const { isBusy, act } = makeActing({ call, newKey, say });
  const { uploads, isSending, queue, again, drop } = makeUploads<MediaItem>({
    send,
    newKey,
    arrived(item, { file: { name } }) {
      items.value = [item, ...items.value];
      say(`${name} is there.`);
    },
  });

  async function readStorage(): Promise<void> {
    storage.value = await call('get_storage_usage', {});
  }

  return {
    items: computed(() => items.value),
    hasMore: computed(() => cursor.value !== undefined),
    storage: computed(() => storage.value),
    uploads,
    isSending,
    isBusy,

    async upload(files: readonly File[]): Promise<void> {
      const keys = files.map(queue);
      // Uploads one file at a time, so that each shows progress on a slow connection.
      for (const key of keys) await again(key);
      await readStorage().catch(() => undefined);
    },
    /** Dismisses an upload that failed. */
    giveUp: drop,
    async tryAgain({ key }: Upload): Promise<void> {
      await again(key);
      await readStorage().catch(() => undefined);
    },

    async more(): Promise<void> {
      try {
        const page = await call('list_media', { ...input, cursor: cursor.value });
        items.value = [...items.value, ...without(page.data, items.value)];
        cursor.value = cursorAfter(page);
      } catch (error) {
        say((error as Error).message, { isBad: true });
      }
    },

    async remove({ id, filename }: MediaItem): Promise<void> {
      let isUsed = false;
      const isDone = await act(async (callOnce) => {
        try {
          await callOnce('delete_media', { media_id: id });
          return `${filename} is deleted.`;
        } catch (error) {
          if (!(error instanceof RefusedError) || error.code !== 'media.in_use') throw error;
          isUsed = true;
          const href = `/dashboard/posts?media=${encodeURIComponent(id)}`;
          say(`${filename} stays: a post uses it.`, { isBad: true, link: { href, title: 'See where' } });
          return undefined;
        }
      });
      if (!isDone || isUsed) return;
      items.value = items.value.filter((item) => item.id !== id);
      await readStorage().catch(() => undefined);
    },
  };
}
