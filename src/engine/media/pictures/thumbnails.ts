import type { MediaRow } from '#db/posts/media.ts';
import { ApiError, fail } from '#kernel/errors.ts';
import { boundedMap } from '#kernel/limits/bounded-map.ts';
import type { MediaDeps } from '../deps.ts';
import { noSuchMedia } from '../item.ts';
import { callOwner } from '../spool.ts';
import { WIDTHS, type Kept } from '../storage/files.ts';
import { makeFairLine } from './fair-line.ts';

type Width = (typeof WIDTHS)[number];

/** The most waiting tasks of one workspace, which is more than a page shows. */
const MOST_WAITING = 64;
const MOST_WAITING_IN_ALL = 1024;
const MOST_REMEMBERED = 1000;
const RETRY_SECONDS = 5;
/** How long a refusal counts; a busy machine may have caused it. */
const REFUSED_MS = 600_000;

/** Makes thumbnails of stored pictures on first use and stores them next to the files. */
export function makeThumbnails({
  files,
  spool,
  workshop,
  clock,
  warn,
}: Pick<MediaDeps, 'files' | 'spool' | 'workshop' | 'clock' | 'warn'>) {
  const running = new Map<string, Promise<Kept>>();
  /** Why there is no thumbnail, until the next attempt. */
  const refused = boundedMap<string, Readonly<{ why: string; until: number }>>(MOST_REMEMBERED);
  const enter = makeFairLine({ each: MOST_WAITING, all: MOST_WAITING_IN_ALL });

  async function make(row: MediaRow, width: Width): Promise<Kept> {
    const original = (await files.find(row)) ?? noSuchMedia(row.id);
    const owner = callOwner();
    try {
      const { path: from } = original.path === undefined ? await spool.copyOf(owner, 'original', original) : original;
      const made = await spool.madeOf(owner, 'thumbnail', async (to) => {
        const result = await workshop.run({ kind: 'thumbnail', from: from!, type: row.content_type, to, width });
        if (!('refused' in result)) return;
        refused.set(keyOf(row, width), { why: result.refused, until: clock.now() + REFUSED_MS });
        refuse(row, result.refused);
      });
      await files.keepDerived(row, nameOf(width), await made.read(0, made.size));
    } catch (error) {
      if (error instanceof ApiError) throw error;
      // The machine failed, not the picture.
      warn({ error, media_id: row.id }, 'a thumbnail could not be made');
      busy('The thumbnail could not be made', error);
    } finally {
      await spool.drop(owner);
    }
    return (await files.findDerived(row, nameOf(width))) ?? noSuchMedia(row.id);
  }

  /** Concurrent requests for the same thumbnail share one task. */
  function makeOnce(row: MediaRow, width: Width): Promise<Kept> {
    const key = keyOf(row, width);
    const known = running.get(key);
    if (known !== undefined) return known;
    const entered = enter(row.workspace_id, () => make(row, width));
    if (entered === undefined) busy('Too many thumbnails are being made');
    const making = entered.finally(() => running.delete(key));
    running.set(key, making);
    return making;
  }

  return Object.freeze({
    /** The thumbnail of a ready picture; refuses one that cannot be decoded. */
    async of(row: MediaRow, wanted: number | undefined): Promise<Kept> {
      const width = widthOf(wanted);
      const kept = await files.findDerived(row, nameOf(width));
      if (kept) return kept;
      const known = refused.get(keyOf(row, width));
      return known === undefined || known.until <= clock.now() ? makeOnce(row, width) : refuse(row, known.why);
    },
  });
}

const nameOf = (width: Width) => `${width}.webp` as const;
const keyOf = ({ id, sha256 }: MediaRow, width: Width) => `${id} ${sha256} ${width}`;

function widthOf(wanted: number | undefined): Width {
  const width = WIDTHS.find((one) => one === (wanted ?? WIDTHS[0]));
  if (width !== undefined) return width;
  fail('validation.field_invalid', {
    message: `width: must be one of ${WIDTHS.join(', ')}.`,
    meta: { field: 'width' },
  });
}

function refuse({ id, filename }: MediaRow, why: string): never {
  fail('media.not_found', {
    message: `There is no thumbnail of ${filename}, which ${why}.`,
    meta: { resource: 'media', id },
  });
}

function busy(message: string, cause?: unknown): never {
  fail('http.503', { message: `${message}; try again in a moment.`, retryAfter: RETRY_SECONDS, cause });
}
