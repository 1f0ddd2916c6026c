import { computed, signal } from '@preact/signals';
import type { MediaItem } from '../lib/operations.ts';
import { makeUploads, type Send, type Upload } from '../lib/upload/uploads.ts';
import type { Fit, Media } from './draft.ts';

type Arrived = Pick<MediaItem, 'id' | 'content_type' | 'filename' | 'thumbnail_url'>;

type MediaDeps = Readonly<{
  upload: Send<Arrived>;
  /** Reads an uploaded file by its id. */
  find(id: string): Promise<Arrived>;
  newKey(): string;
  /** The destination whose files are shown; undefined for the common files. */
  place(): Place;
  read(place: Place): readonly Media[];
  write(place: Place, media: readonly Media[]): void;
}>;
type Place = string | undefined;

/** How a file looks: its name, and for a picture the URLs of two sizes. */
export type Look = Readonly<{ name?: string; url?: string; large?: string }>;

/** The files of a post. They upload concurrently, but keep the order in which they were chosen. */
export function makeMedia({ upload, find, newKey, place, ...draft }: MediaDeps) {
  const looks = signal<Readonly<Record<string, Look>>>({});
  const asked = new Set<string>();
  /** The destination of each upload, by its key. */
  const places = new Map<string, Place>();
  /** The order in which files were chosen, by the key of the upload and later by the file's id. */
  const ranks = new Map<string, number>();
  const read = () => draft.read(place());
  const write = (media: readonly Media[]) => draft.write(place(), media);

  const keepLook = ({ id, filename: name, thumbnail_url: url }: Arrived) => {
    looks.value = { ...looks.value, [id]: url === null ? { name } : { name, url, large: `${url}?width=960` } };
  };

  const { uploads, isSending, add, again, drop } = makeUploads<Arrived>({
    send: upload,
    newKey() {
      const key = newKey();
      places.set(key, place());
      ranks.set(key, ranks.size);
      return key;
    },
    arrived(item, { key }) {
      keepLook(item);
      const at = places.get(key);
      const media: Media = { source: item.id, source_type: 'media_id', type: typeOf(item.content_type), alt: '' };
      const rank = ranks.get(key)!;
      ranks.set(item.id, rank);
      const others = draft.read(at);
      const later = others.findIndex(({ source }) => (ranks.get(source) ?? -1) > rank);
      draft.write(at, others.toSpliced(later === -1 ? others.length : later, 0, media));
    },
  });

  return {
    sending: uploads,
    isSending,
    /** The uploads for the destination that is shown. */
    sendingHere: computed(() => uploads.value.filter(({ key }) => places.get(key) === place())),

    /** The name and URLs of a file. Unknown files are read once. */
    lookOf({ source, source_type }: Pick<Media, 'source' | 'source_type'>): Look {
      if (source_type === 'url') return { name: source.split('/').at(-1)!, url: source, large: source };
      const look = looks.value[source];
      if (look !== undefined) return look;
      if (source_type === 'media_id' && !asked.has(source)) {
        asked.add(source);
        void find(source).then(keepLook, () => undefined);
      }
      return {};
    },

    /** Uploads files. A file that is already being uploaded is not sent again. */
    add(files: readonly File[]): void {
      for (const file of files) {
        const isKnown = uploads.value.some(({ file: { name, size } }) => name === file.name && size === file.size);
        if (!isKnown) void add(file);
      }
    },
    retry: (key: string) => void again(key),
    cancel({ key, cancel }: Upload): void {
      drop(key);
      cancel();
    },

    describe: (at: number, alt: string) => write(read().with(at, { ...read()[at]!, alt })),
    /** Sets how a picture of a destination, or of all, gets another shape where its own is refused. */
    reshape(id: Place, at: number, fit: Fit): void {
      const media = draft.read(id);
      const { alt, ...ref } = media[at]!;
      draft.write(id, media.with(at, { ...ref, fit, alt }));
    },
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
