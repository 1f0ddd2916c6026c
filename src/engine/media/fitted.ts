import { fail } from '#kernel/errors.ts';
import { sha256 } from '#kernel/sign.ts';
import type { MediaSource } from '#call/ports.ts';
import { isUrl } from '#platforms/media.ts';
import { boundedMap } from '#kernel/limits/bounded-map.ts';
import { fitsAlready, misfitOf, type Picture, type PictureSpec } from '#kernel/pictures/picture.ts';
import { inspect, kindOf, type ContentFields } from './content/content.ts';
import type { MediaDeps } from './deps.ts';
import { loadReady, noSuchMedia } from './item.ts';
import type { Made } from './pictures/tasks.ts';
import { readFetched } from './sources.ts';
import { callOwner, type FetchHow } from './spool.ts';
import type { Kept } from './storage/files.ts';

/** How many conversion results are remembered, as validation shows the same ones repeatedly. */
const MOST_REMEMBERED = 1000;

/** How long to wait for a file that the platform could fetch by itself. */
const THEIRS_MS = 30_000;

type How = Readonly<{ owner: string; theirs?: boolean | undefined }>;
/** `id` identifies the content; `isStored` means that it never changes. */
type Original = Readonly<{ kept: Kept; fields: ContentFields; id: string; isStored: boolean; name: string }>;

/** Converts pictures to meet a platform's rules: docs/decisions/0031-pictures-that-fit.md. */
export function makeFitted({
  store,
  files,
  spool,
  workshop,
  keepMetadata,
}: Pick<MediaDeps, 'store' | 'files' | 'spool' | 'workshop' | 'keepMetadata'>) {
  const remembered = boundedMap<string, Made>(MOST_REMEMBERED);
  /** Owners and URLs that timed out once: the platform gets the URL itself, without another wait. */
  const slow = boundedMap<string, true>(MOST_REMEMBERED);

  /** Returns undefined if the platform can fetch the URL by itself and it could not be fetched here in time. */
  async function originalOf(workspaceId: string, ref: string, { owner, theirs = false }: How) {
    if (!isUrl(ref)) return storedOne(workspaceId, ref);
    const fetching = fetchedOne(ref, owner, theirs ? { deadlineMs: THEIRS_MS } : {});
    if (!theirs) return fetching;
    return fetching.catch(() => {
      slow.set(owner + ref, true);
      return undefined;
    });
  }

  async function fetchedOne(url: string, owner: string, how: FetchHow): Promise<Original> {
    const kept = await spool.fileOf(owner, url, how);
    return { kept, fields: await readFetched(kept, url), id: url, isStored: false, name: url };
  }

  async function storedOne(workspaceId: string, ref: string): Promise<Original> {
    const row = await loadReady(store.db, workspaceId, ref);
    const kept = (await files.find(row)) ?? noSuchMedia(ref);
    const { content_type, width, height } = row;
    const known = { content_type, width: width ?? undefined, height: height ?? undefined };
    // Pictures that earlier versions stored were not examined for traits.
    const seen = row.traits === null ? await inspect(kept) : undefined;
    const fields = seen !== undefined && 'fields' in seen ? seen.fields : { ...known, traits: row.traits ?? undefined };
    return { kept, fields, id: row.sha256 ?? row.id, isStored: row.sha256 !== null, name: row.filename };
  }

  /** The local path of an original; files in a bucket are copied first. */
  async function pathOf({ kept, id }: Original, owner: string): Promise<string> {
    if (kept.path !== undefined) return kept.path;
    const copy = await spool.copyOf(owner, `original-${sha256(id)}`, kept);
    return copy.path!;
  }

  async function convert(original: Original, spec: PictureSpec, owner: string, trial = false): Promise<Kept> {
    const why = misfitOf(pictureOf(original)!, spec);
    if (why !== undefined) refusePicture(original.name, why);
    const from = await pathOf(original, owner);
    return spool.madeOf(owner, nameOf(original, spec), async (to) => {
      const type = original.fields.content_type;
      const result = await workshop.run({ kind: 'fit', from, type, to, spec, keepMetadata }, { trial });
      if ('refused' in result) refusePicture(original.name, result.refused);
    });
  }

  const nameOf = ({ id }: Original, spec: PictureSpec) => `fitted-${sha256(JSON.stringify([id, spec]))}`;

  async function measured(kept: Kept): Promise<Made> {
    const seen = await inspect(kept);
    if ('refused' in seen) throw new Error(`a converted picture cannot be read: ${seen.refused}`);
    const { content_type, width, height } = seen.fields;
    return { content_type, width: width!, height: height!, size_bytes: kept.size };
  }

  return Object.freeze({
    /** The converted file, made if it is missing; undefined if the original fits. Throws if one of `theirs` is slow. */
    async fileFor(workspaceId: string, ref: string, spec: PictureSpec, how: How): Promise<Kept | undefined> {
      const isSlow = how.theirs === true && slow.get(how.owner + ref) !== undefined;
      const original = isSlow ? undefined : await originalOf(workspaceId, ref, how);
      if (original === undefined) throw new Error('The picture cannot be fetched soon.');
      return fits(original, spec) ? undefined : convert(original, spec, how.owner);
    },

    fit: (async (workspaceId, ref, spec, { target, theirs }) => {
      const owner = target ?? callOwner();
      slow.delete(owner + ref);
      const original = await originalOf(workspaceId, ref, { owner, theirs });
      if (original === undefined || fits(original, spec)) return undefined;
      const key = original.isStored ? nameOf(original, spec) : undefined;
      const known = key === undefined || target !== undefined ? undefined : remembered.get(key);
      if (known) return known;
      try {
        const made = await measured(await convert(original, spec, owner, target === undefined));
        if (key !== undefined) remembered.set(key, made);
        return made;
      } finally {
        if (target === undefined) await spool.drop(owner);
      }
    }) satisfies MediaSource['fit'],
  });
}

export type Fitted = ReturnType<typeof makeFitted>;

function pictureOf({ kept, fields }: Original): Picture | undefined {
  const { content_type, width, height, traits } = fields;
  if (kindOf(content_type) !== 'image' || width === undefined || height === undefined) return undefined;
  return { content_type, width, height, size_bytes: kept.size, ...traits };
}

/** Files that are no pictures or whose size is unknown stay as they are. */
function fits(original: Original, spec: PictureSpec): boolean {
  const picture = pictureOf(original);
  return picture === undefined || fitsAlready(picture, spec);
}

function refusePicture(name: string, why: string): never {
  const shown = isUrl(name) ? 'the picture' : name;
  fail('validation.field_invalid', { message: `media: ${shown} ${why}.`, meta: { field: 'media' } });
}
