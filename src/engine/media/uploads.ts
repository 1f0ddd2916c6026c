import {
  findMedia,
  giveStorage,
  holdMedia,
  insertMedia,
  readStorage,
  settleMedia,
  takeStorage,
  type MediaRow,
} from '#db/posts/media.ts';
import { authorityOver, type Workspace } from '#kernel/authority.ts';
import { isoTime, MINUTE } from '#kernel/clock.ts';
import { fail } from '#kernel/errors.ts';
import { LARGEST_FILE_BYTES } from '#kernel/limits/sizes.ts';
import {
  ALLOWED_TYPES,
  allowedType,
  inspect,
  keepsPromise,
  kindOf,
  type ContentFields,
  type Inspected,
} from './content/content.ts';
import type { MediaDeps } from './deps.ts';
import { noSuchMedia, overQuota, roomIn, storageLimit, type MediaItem } from './item.ts';
import { cleanName, nameInUrl } from './names.ts';
import { decodeBase64, download, refuseLocal } from './sources.ts';
import { digest, pour, tooLarge, type Write } from './storage/files.ts';

type Owner = Pick<Workspace, 'id' | 'plan'>;

/** Exactly one of `file`, `url` and `base64` is set. */
export type UploadInput = Readonly<{
  file?: AsyncIterable<Uint8Array> | undefined;
  url?: string | undefined;
  base64?: string | undefined;
  filename?: string | undefined;
}>;

export type UploadRequest = Readonly<{ media_type: string; filename: string; size_bytes?: number | undefined }>;
/** Where to send a pending item's bytes: by PUT, or from a browser. */
export type UploadAddress = Readonly<{
  media_id: string;
  upload_url: string;
  upload_page: string;
  expires_at: string;
}>;

const UPLOAD_MS = 15 * MINUTE;
const NEW_ITEM = 'Ask get_media_upload_url for a new address, and upload the right bytes there.';
const DAMAGED: Inspected = Object.freeze({ refused: 'The stored bytes are not the ones that were sent.' });

/** Stores bytes as a ready item; refuses them if the storage is not sufficient. */
function makeReceive({ store, files, clock, newId, maxBytes, present, forget }: MediaDeps) {
  return async function receive(
    owner: Owner,
    name: string | undefined,
    fill: (write: Write) => Promise<void>,
    most = maxBytes,
  ): Promise<MediaItem> {
    if (storageLimit(owner.plan) >= 0) await refuseFull(store, owner, 1);
    const now = clock.now();
    const id = newId('med', now);
    const draft = await files.receive(id, most, fill);
    try {
      const seen = await inspect(draft);
      if ('refused' in seen) unusable(seen.refused, 'file');
      const { fields } = seen;
      const row: MediaRow = {
        ...columnsOf(fields),
        id,
        workspace_id: owner.id,
        status: 'ready',
        filename: cleanName(name, fields.content_type),
        size_bytes: draft.size,
        held_bytes: 0,
        sha256: draft.sha256,
        created_at: now,
      };
      await draft.keep();
      // If the process crashes after this, the sweep removes the bytes, which have no item yet.
      const item = present(row);
      const stored = await store.write(async ({ db, key }) => {
        if (!(await takeStorage(db, owner.id, { bytes: row.size_bytes }, storageLimit(owner.plan)))) return false;
        await insertMedia(db, row);
        await key?.record(item);
        return true;
      });
      if (!stored) {
        await forget(row);
        overQuota(owner.plan);
      }
      return item;
    } finally {
      await draft.drop();
    }
  };
}

/** Turns a pending item whose bytes have arrived into a ready one; a ready item is returned unchanged. */
function makeVerify({ store, files, present, forget }: MediaDeps) {
  return async function verify(owner: Owner, id: string): Promise<MediaItem> {
    const row = (await findMedia(store.db, authorityOver(owner.id), id)) ?? noSuchMedia(id);
    if (row.status === 'ready') return present(row);
    if (row.status === 'failed') unusable('The bytes of this item were refused.', 'media_id', NEW_ITEM);
    const looked = await files.inspect(row, async (bytes) => {
      const sha256 = await digest(bytes);
      const whole = row.sha256 === null || row.sha256 === sha256;
      const seen = whole ? promised(row.content_type, await inspect(bytes)) : DAMAGED;
      return { size_bytes: bytes.size, sha256, seen };
    });
    if (!looked) fail('media.not_ready', { meta: { id } });
    const { seen, size_bytes, sha256 } = looked;
    if ('refused' in seen) {
      const failed = await store.write(async ({ db, dialect }) => {
        const { held_bytes: held = 0 } = (await holdMedia(db, dialect, authorityOver(owner.id), id)) ?? {};
        if (!(await settleMedia(db, id, { status: 'failed', held_bytes: 0 }))) return false;
        await giveStorage(db, owner.id, { held });
        return true;
      });
      if (failed) await forget(row);
      unusable(seen.refused, 'media_id', NEW_ITEM);
    }
    const ready = { ...columnsOf(seen.fields), status: 'ready', size_bytes, held_bytes: 0, sha256 } as const;
    const item = present({ ...row, ...ready });
    const moved = await store.write(async ({ db, dialect, key }) => {
      const { held_bytes: held = 0 } = (await holdMedia(db, dialect, authorityOver(owner.id), id)) ?? {};
      if (!(await settleMedia(db, id, ready))) return false;
      const bytes = size_bytes;
      if (!(await takeStorage(db, owner.id, { bytes, held }, storageLimit(owner.plan)))) overQuota(owner.plan);
      await key?.record(item);
      return true;
    });
    // If another request has verified or removed it since, returns its current state.
    return moved ? item : verify(owner, id);
  };
}

export function makeUploads(deps: MediaDeps) {
  const { store, clock, newId, outbound, addresses, maxBytes, rootUrl } = deps;
  const receive = makeReceive(deps);

  return {
    /** Stores a file, a URL's content or base64 as a ready item. */
    async upload(owner: Owner, { file, url, base64, filename }: UploadInput): Promise<MediaItem> {
      const given = [file, url, base64].filter((source) => source !== undefined);
      if (given.length === 0) {
        fail('validation.field_required', { message: 'Send a file, a url or a base64 text.', meta: { field: 'file' } });
      }
      if (given.length > 1) {
        fail('validation.field_invalid', { message: 'Send one of file, url and base64.', meta: { field: 'file' } });
      }
      if (file) {
        const most = Math.min(LARGEST_FILE_BYTES, maxBytes);
        return receive(owner, filename, (write) => pour(file, write), most);
      }
      if (base64 !== undefined) {
        const bytes = decodeBase64(base64);
        return receive(owner, filename, (write) => write(bytes));
      }
      refuseLocal(url!, 'url');
      return receive(owner, filename ?? nameInUrl(url!), (write) =>
        download(outbound, { url: url!, field: 'url', maxBytes }, write),
      );
    },

    /** Creates a pending item and the URL to send its bytes to. */
    async uploadUrl(owner: Owner, request: UploadRequest): Promise<UploadAddress> {
      const content_type = allowedType(request.media_type);
      if (content_type === undefined) {
        fail('validation.field_invalid', {
          message: `media_type: must be one of ${ALLOWED_TYPES.join(', ')}.`,
          meta: { field: 'media_type' },
        });
      }
      const size_bytes = request.size_bytes ?? 0;
      if (size_bytes > maxBytes) tooLarge(maxBytes);
      await refuseFull(store, owner, Math.max(size_bytes, 1));
      const now = clock.now();
      const id = newId('med', now);
      const row: MediaRow = {
        ...columnsOf({ content_type }),
        id,
        workspace_id: owner.id,
        status: 'pending',
        filename: cleanName(request.filename, content_type),
        size_bytes,
        held_bytes: 0,
        sha256: null,
        created_at: now,
      };
      await store.write(({ db }) => insertMedia(db, row));
      const expires_at = now + UPLOAD_MS;
      const token = addresses.upload({ id, content_type, max_bytes: request.size_bytes ?? maxBytes, expires_at });
      const upload_url = `${rootUrl}/upload/${token}`;
      // Both use the same URL: browsers GET it, programs PUT to it.
      return { media_id: id, upload_url, upload_page: upload_url, expires_at: isoTime(expires_at) };
    },

    verify: makeVerify(deps),
  };
}

async function refuseFull(store: MediaDeps['store'], owner: Owner, bytes: number): Promise<void> {
  const storage = (await readStorage(store.db, owner.id)) ?? { storage_bytes: 0, pending_bytes: 0 };
  if (roomIn({ ...storage, plan: owner.plan }) < bytes) overQuota(owner.plan);
}

function columnsOf({ content_type, width, height, duration_ms, traits }: ContentFields) {
  const picture = kindOf(content_type) === 'image' && width !== undefined ? (traits ?? {}) : null;
  return {
    content_type,
    width: width ?? null,
    height: height ?? null,
    duration_ms: duration_ms ?? null,
    traits: picture,
  };
}

function promised(type: string, seen: Inspected): Inspected {
  if ('refused' in seen || keepsPromise(type, seen.fields.content_type)) return seen;
  return { refused: `The bytes are ${seen.fields.content_type}, but ${type} was announced.` };
}

function unusable(message: string, field: string, next?: string): never {
  fail('validation.field_invalid', { message, next, meta: { field } });
}
