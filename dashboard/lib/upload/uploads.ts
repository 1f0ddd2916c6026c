import { computed, signal } from '@preact/signals';
import { isFinal } from '../call.ts';

/** Starts to send a file. `onShare` gets the share that has been sent, from 0 to 1. */
export type Send<Item> = (
  file: File,
  key: string,
  onShare: (share: number) => void,
) => Readonly<{ arrived: Promise<Item>; cancel(): void }>;

/** A file that is being uploaded; `problem` is why the upload failed. */
export type Upload = Readonly<{
  /** The key of its row in the list. */
  key: string;
  /** The Idempotency-Key. It stays the same until the request is settled, so that the file is stored only once. */
  sentWith: string;
  file: File;
  share: number;
  problem?: string | undefined;
  cancel(): void;
}>;

type UploadsDeps<Item> = Readonly<{
  send: Send<Item>;
  newKey(): string;
  /** Called with each file after it has been stored. */
  arrived(item: Item, upload: Upload): void;
}>;

/** Files that are being uploaded. */
export function makeUploads<Item>({ send, newKey, arrived }: UploadsDeps<Item>) {
  const uploads = signal<readonly Upload[]>([]);

  const has = (key: string) => uploads.value.some((one) => one.key === key);
  const drop = (key: string) => void (uploads.value = uploads.value.filter((one) => one.key !== key));
  const change = (key: string, part: Partial<Upload>) => {
    uploads.value = uploads.value.map((one) => (one.key === key ? { ...one, ...part } : one));
  };

  async function again(key: string): Promise<void> {
    const upload = uploads.value.find((one) => one.key === key);
    if (upload === undefined) return;
    change(key, { share: 0, problem: undefined });
    const sending = send(upload.file, upload.sentWith, (share) => change(key, { share }));
    change(key, { cancel: sending.cancel });
    try {
      const item = await sending.arrived;
      // The upload was cancelled just before it finished.
      if (!has(key)) return;
      drop(key);
      arrived(item, upload);
    } catch (error) {
      change(key, { problem: (error as Error).message, ...(isFinal(error) && { sentWith: newKey() }) });
    }
  }

  /** Lists a file that is sent later, by `again` with the returned key. */
  function queue(file: File): string {
    const key = newKey();
    uploads.value = [...uploads.value, { key, sentWith: key, file, share: 0, cancel: () => drop(key) }];
    return key;
  }

  return {
    uploads: computed(() => uploads.value),
    /** Whether a file is being sent, or waits for others. */
    isSending: () => uploads.peek().some(({ problem }) => problem === undefined),
    queue,
    /** Sends a file, also one that failed. */
    again,
    drop,
    add: (file: File): Promise<void> => again(queue(file)),
  };
}
