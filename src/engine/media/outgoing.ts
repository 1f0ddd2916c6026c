import type { MediaRef } from '#db/schema/database.ts';
import { findMediaAmong, type MediaRow } from '#db/posts/media.ts';
import type { MediaSource, OpenPublished } from '#call/ports.ts';
import { authorityOver } from '#kernel/authority.ts';
import { fail, orRefusal } from '#kernel/errors.ts';
import type { PictureShape } from '#kernel/pictures/picture.ts';
import { makeWeightedBudget } from '#kernel/limits/weighted-budget.ts';
import { isUrl, shapeOf, type OpenedMedia, type OutgoingMedia } from '#platforms/media.ts';
import { withoutCameraData } from './clean/clean.ts';
import { kindByName, kindOf } from './content/content.ts';
import type { MediaDeps } from './deps.ts';
import { loadReady, noSuchMedia, readyRow } from './item.ts';
import type { Fitted } from './fitted.ts';
import { cleanName, nameInUrl } from './names.ts';
import { readFetched, refuseLocal } from './sources.ts';
import { callOwner, type FetchHow } from './spool.ts';
import { tooLarge, type Kept } from './storage/files.ts';

/** The most media bytes in memory while publishing, as many posts with videos may be due at the same time. */
const MOST_BYTES = 209_715_200;

/** Larger items are read in parts, or streamed. */
const MOST_AT_ONCE = 33_554_432;

/** Provides connectors with media: properties before a post is accepted, content when it is published. */
export function makeSource(
  { store, files, outbound, maxBytes, spool, cleanStored, keepMetadata }: MediaDeps,
  { fileFor }: Pick<Fitted, 'fileFor'>,
): Omit<MediaSource, 'unreachable' | 'link' | 'fit'> & Readonly<{ openPublished: OpenPublished }> {
  const opened = makeOpened();
  const describer = makeDescriber({ store, outbound });

  return Object.freeze({
    maxBytes,

    async describe(workspaceId, refs, fieldOf = () => 'media') {
      const describe = await describer(workspaceId, refs);
      return refs.map((ref, index) => describe(ref, fieldOf(index)));
    },

    async lookUp(workspaceId, refs) {
      const describe = await describer(workspaceId, refs);
      return refs.map((ref) => orRefusal(() => describe(ref, 'media')));
    },

    async open(workspaceId, ref, { until, target, spec }) {
      if (spec !== undefined && target !== undefined) {
        const kept = await fileFor(workspaceId, ref, spec, { owner: target });
        if (kept) return openConverted(kept, ref, until);
      }
      if (!isUrl(ref)) {
        const row = await loadReady(store.db, workspaceId, ref);
        const { id, content_type, width, height, duration_ms, filename } = row;
        const kept = (await files.find(row)) ?? noSuchMedia(id);
        const fields = {
          width: width ?? undefined,
          height: height ?? undefined,
          duration_ms: duration_ms ?? undefined,
        };
        return opened(await cleanStored(kept, row), { content_type, filename, ...fields }, until);
      }
      const owner = target ?? callOwner();
      if (target === undefined) forgetAfter(until, owner);
      return fetched(owner, ref, until);
    },

    async openPublished({ url, network, maxBytes: most, deadlineMs, until }: Parameters<OpenPublished>[0]) {
      const owner = callOwner();
      forgetAfter(until, owner);
      return fetched(owner, url, until, { given: network === 'real', most, deadlineMs });
    },

    forget: spool.drop,
  });

  function forgetAfter(until: Promise<unknown>, owner: string): void {
    const end = () => void spool.drop(owner);
    until.then(end, end);
  }

  /** Opens a converted picture, which contains no camera data any more. */
  async function openConverted(kept: Kept, ref: string, until: Promise<unknown>): Promise<OpenedMedia> {
    const fields = await readFetched(kept, ref);
    return opened(kept, { ...fields, filename: cleanName(undefined, fields.content_type) }, until);
  }

  async function fetched(owner: string, url: string, until: Promise<unknown>, how?: FetchHow): Promise<OpenedMedia> {
    const kept = await spool.fileOf(owner, url, how);
    const fields = await readFetched(kept, url);
    const cleaned = keepMetadata ? kept : await withoutCameraData(kept, fields.content_type);
    return opened(cleaned, { ...fields, filename: nameInUrl(url) || undefined }, until);
  }
}

/** Describes items; all stored ones are looked up in one query. */
function makeDescriber({ store, outbound }: Pick<MediaDeps, 'store' | 'outbound'>) {
  return async function describer(workspaceId: string, refs: readonly MediaRef[]) {
    const ids = refs.filter((ref) => ref.source_type === 'media_id').map((ref) => ref.source);
    const rows = await findMediaAmong(store.db, authorityOver(workspaceId), [...new Set(ids)]);
    const byId = new Map(rows.map((row) => [row.id, row]));
    return (ref: MediaRef, field: string): OutgoingMedia => {
      if (ref.source_type === 'url') return describeUrl(ref, field, outbound.refusesHost);
      if (ref.source_type === 'platform_attachment_id') return describeAttachment(ref, field);
      return describeStored(readyRow(ref.source, byId.get(ref.source)), shapeOf(ref));
    };
  };
}

function describeStored(row: MediaRow, shape: PictureShape | undefined): OutgoingMedia {
  return {
    ref: row.id,
    kind: kindOf(row.content_type),
    content_type: row.content_type,
    size_bytes: row.size_bytes,
    width: row.width ?? undefined,
    height: row.height ?? undefined,
    duration_ms: row.duration_ms ?? undefined,
    filename: row.filename,
    traits: row.traits ?? undefined,
    shape,
  };
}

/** Opens files without camera data, and limits how many bytes are in memory at the same time. */
function makeOpened() {
  const memory = makeWeightedBudget(MOST_BYTES);
  return function opened(
    kept: Kept,
    fields: Pick<OpenedMedia, 'content_type' | 'width' | 'height' | 'duration_ms' | 'filename'>,
    until: Promise<unknown>,
  ): OpenedMedia {
    const { size } = kept;
    const read: OpenedMedia['read'] = async (from, length) => {
      await memory.enter(Math.min(length, size), until);
      return kept.read(from, length);
    };
    return Object.freeze({
      ...fields,
      size,
      read,
      bytes: async () => (size > MOST_AT_ONCE ? tooLarge(MOST_AT_ONCE) : read(0, size)),
      stream: (from = 0, to = size - 1) => kept.stream(from, to),
    });
  };
}

/** Accepts a URL without opening it; only URLs that can never be fetched are refused here. */
function describeUrl(ref: MediaRef, field: string, refusesHost: (url: URL) => boolean): OutgoingMedia {
  const { source, type } = ref;
  refuseLocal(source, field);
  if (!URL.canParse(source) || refusesHost(new URL(source))) {
    fail('validation.field_invalid', {
      message: `${field}: a url source must be a public http or https address.`,
      meta: { field },
    });
  }
  const filename = nameInUrl(source);
  return {
    ref: source,
    shape: shapeOf(ref),
    kind: type ?? kindByName(filename ?? '') ?? 'image',
    filename: filename || undefined,
  };
}

function describeAttachment({ source, type }: MediaRef, field: string): OutgoingMedia {
  if (type === undefined) {
    fail('validation.field_required', {
      message: `${field}: type is required with a platform_attachment_id.`,
      meta: { field: `${field}.type` },
    });
  }
  return { ref: source, kind: type };
}
