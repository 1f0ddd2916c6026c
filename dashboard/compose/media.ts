import { computed, signal } from '@preact/signals';
import type { MediaItem } from '../lib/operations.ts';
import type { Media } from './draft.ts';

/** A file being uploaded, or one that failed. */
export type Sending = Readonly<{
  key: string;
  name: string;
  /** From 0 to 1. */
  share: number;
  problem?: string | undefined;
}>;

type Arrived = Pick<MediaItem, 'id' | 'content_type' | 'filename' | 'url'>;
type Upload = Readonly<{ arrived: Promise<Arrived>; cancel(): void }>;

type MediaDeps = Readonly<{
  upload(file: File, key: string, onShare: (share: number) => void): Upload;
  /** Reads an uploaded file by its id. */
  find(id: string): Promise<Arrived>;
  newKey(): string;
  read(): readonly Media[];
  write(media: readonly Media[]): void;
}>;

/** What people see of a file. */
export type Look = Readonly<{ name?: string; url?: string }>;

type Job = { readonly file: File; readonly key: string; cancel(): void };

/** The files of a post, uploaded concurrently and added as they arrive. */
export function makeMedia({ upload, find, newKey, read, write }: MediaDeps) {
  const looks = signal<Readonly<Record<string, Look>>>({});
  const sending = signal<readonly Sending[]>([]);
  const asked = new Set<string>();
  const jobs = new Map<string, Job>();

  const change = (key: string, part: Partial<Sending>) => {
    sending.value = sending.value.map((one) => (one.key === key ? { ...one, ...part } : one));
  };
  const end = (key: string) => {
    jobs.delete(key);
    sending.value = sending.value.filter((one) => one.key !== key);
  };

  const keepLook = ({ id, filename, url }: Arrived) => {
    looks.value = { ...looks.value, [id]: { name: filename, url } };
  };

  async function send(job: Job): Promise<void> {
    const { file, key } = job;
    change(key, { share: 0, problem: undefined });
    const { arrived, cancel } = upload(file, key, (share) => change(key, { share }));
    job.cancel = cancel;
    try {
      const item = await arrived;
      // Cancelled at the last moment.
      if (!jobs.has(key)) return;
      end(key);
      keepLook(item);
      write([...read(), { source: item.id, source_type: 'media_id', type: typeOf(item.content_type), alt: '' }]);
    } catch (error) {
      change(key, { problem: (error as Error).message });
    }
  }

  return {
    sending: computed(() => sending.value),

    /** The name of a file, and where to see it; read once if it is not known yet. */
    lookOf({ source, source_type }: Pick<Media, 'source' | 'source_type'>): Look {
      if (source_type === 'url') return { name: source.split('/').at(-1)!, url: source };
      const look = looks.value[source];
      if (look !== undefined) return look;
      if (source_type === 'media_id' && !asked.has(source)) {
        asked.add(source);
        void find(source).then(keepLook, () => undefined);
      }
      return {};
    },

    /** Uploads files; one chosen again meanwhile is sent once. */
    add(files: readonly File[]): void {
      for (const file of files) {
        const isKnown = [...jobs.values()].some(
          ({ file: other }) => other.name === file.name && other.size === file.size,
        );
        if (isKnown) continue;
        const job = { file, key: newKey(), cancel: () => {} };
        jobs.set(job.key, job);
        sending.value = [...sending.value, { key: job.key, name: file.name, share: 0 }];
        void send(job);
      }
    },
    /** Sends a file again with the same key, so that it is stored once. */
    retry(key: string): void {
      const job = jobs.get(key);
      if (job !== undefined) void send(job);
    },
    cancel(key: string): void {
      const job = jobs.get(key);
      end(key);
      job?.cancel();
    },

    describe: (at: number, alt: string) => write(read().with(at, { ...read()[at]!, alt })),
    remove(at: number): void {
      write(read().toSpliced(at, 1));
    },
    /** Moves an item by one position; returns the new position. */
    move(at: number, by: 1 | -1): number {
      const to = at + by;
      const media = read();
      if (media[to] === undefined) return at;
      write(media.with(at, media[to]).with(to, media[at]!));
      return to;
    },
  };
}

function typeOf(contentType: string): Media['type'] {
  const [kind] = contentType.split('/');
  return kind === 'image' || kind === 'video' || kind === 'audio' ? kind : 'file';
}
