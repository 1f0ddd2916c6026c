import { findMedia, insertMedia, loadMedia, readStorage, settleMedia, takeStorage } from '../../../db/media.ts';
import type { MediaRow } from '../../../db/media.ts';
import type { Workspace } from '../../call/caller.ts';
import { wireTime } from '../../kernel/clock.ts';
import { fail } from '../../kernel/errors.ts';
import { ALLOWED_TYPES, allowedType, inspect, keepsPromise, type Facts, type Inspected } from './content.ts';
import { digest, tooLarge, type Write } from './files.ts';
import { noSuchMedia, overQuota, storageLimit, type MediaItem } from './item.ts';
import type { Room } from './media.ts';
import { cleanName, nameInUrl } from './names.ts';
import { decodeBase64, download } from './sources.ts';

type Owner = Pick<Workspace, 'id' | 'plan'>;

/** Where the bytes of a new item come from: exactly one of `file`, `url` and `base64`. */
export type UploadInput = Readonly<{
  file?: AsyncIterable<Uint8Array> | undefined;
  url?: string | undefined;
  base64?: string | undefined;
  filename?: string | undefined;
}>;

export type UploadAsk = Readonly<{ media_type: string; filename: string; size_bytes?: number | undefined }>;
export type UploadAddress = Readonly<{ media_id: string; upload_url: string; expires_at: string }>;

const UPLOAD_MS = 15 * 60_000;

/** How bytes come in: at once, or in two steps through a signed address. */
export function makeUploads(room: Room) {
  const { store, files, clock, newId, outbound, addresses, maxBytes, rootUrl, present } = room;

  async function receive(owner: Owner, name: string | undefined, fill: (write: Write) => Promise<void>) {
    await refuseFull(owner, 1);
    const now = clock.now();
    const id = newId('med', now);
    const draft = await files.receive(id, maxBytes, fill);
    try {
      const facts = factsOf(await inspect(draft), 'file');
      const row: MediaRow = {
        ...columnsOf(facts),
        id,
        workspace_id: owner.id,
        status: 'ready',
        filename: cleanName(name, facts.content_type),
        size_bytes: draft.size,
        sha256: draft.sha256,
        created_at: now,
      };
      await draft.keep();
      // A crash from here on leaves bytes without an item, which the sweep removes.
      const stored = await store.write(async ({ db }) => {
        if (!(await takeStorage(db, owner.id, row.size_bytes, storageLimit(owner.plan)))) return false;
        await insertMedia(db, row);
        return true;
      });
      if (!stored) {
        await files.remove(id);
        overQuota(owner.plan);
      }
      return present(row);
    } finally {
      await draft.drop();
    }
  }

  async function refuseFull({ id, plan }: Owner, bytes: number): Promise<void> {
    const max = storageLimit(plan);
    if (max < 0) return;
    const used = (await readStorage(store.db, id))?.storage_bytes ?? 0;
    if (used + bytes > max) overQuota(plan);
  }

  /** Turns a pending item whose bytes have come into a ready one; a ready one is answered as it is. */
  async function verify(owner: Owner, id: string): Promise<MediaItem> {
    const row = (await findMedia(store.db, { workspace: owner.id }, id)) ?? noSuchMedia(id);
    if (row.status === 'ready') return present(row);
    if (row.status === 'failed')
      unusable('The bytes of this item were refused; upload them as a new item.', 'media_id');
    const looked = await files.inspect(id, async (bytes) => ({
      size_bytes: bytes.size,
      sha256: await digest(bytes),
      seen: promised(row.content_type, await inspect(bytes)),
    }));
    if (!looked) fail('media.not_ready', { meta: { id } });
    const { seen, size_bytes, sha256 } = looked;
    if ('refused' in seen) {
      const failed = await store.write(({ db }) => settleMedia(db, id, { status: 'failed' }));
      if (failed) await files.remove(id);
      unusable(seen.refused, 'media_id');
    }
    const ready = { ...columnsOf(seen.facts), status: 'ready', size_bytes, sha256 } as const;
    const moved = await store.write(async ({ db }) => {
      if (!(await settleMedia(db, id, ready))) return false;
      if (!(await takeStorage(db, owner.id, size_bytes, storageLimit(owner.plan)))) overQuota(owner.plan);
      return true;
    });
    // Somebody else verified or removed it meanwhile: answer by what it is now.
    return moved ? present({ ...row, ...ready }) : verify(owner, id);
  }

  return {
    /** Stores a file that is sent along, a URL's, or a base64 text's; the item is ready at once. */
    async upload(owner: Owner, { file, url, base64, filename }: UploadInput): Promise<MediaItem> {
      const given = [file, url, base64].filter((source) => source !== undefined);
      if (given.length === 0) {
        fail('validation.field_required', { message: 'Send a file, a url or a base64 text.', meta: { field: 'file' } });
      }
      if (given.length > 1) {
        fail('validation.field_invalid', { message: 'Send one of file, url and base64.', meta: { field: 'file' } });
      }
      if (file) return receive(owner, filename, (write) => pour(file, write));
      if (base64 !== undefined) {
        const bytes = decodeBase64(base64);
        return receive(owner, filename, (write) => write(bytes));
      }
      return receive(owner, filename ?? nameInUrl(url!), (write) =>
        download(outbound, { url: url!, field: 'url', maxBytes }, write),
      );
    },

    /** Makes a pending item and the address its bytes are to be PUT to. */
    async uploadUrl(owner: Owner, ask: UploadAsk): Promise<UploadAddress> {
      const content_type = allowedType(ask.media_type);
      if (content_type === undefined) {
        fail('validation.field_invalid', {
          message: `media_type: must be one of ${ALLOWED_TYPES.join(', ')}.`,
          meta: { field: 'media_type' },
        });
      }
      const size_bytes = ask.size_bytes ?? 0;
      if (size_bytes > maxBytes) tooLarge(maxBytes);
      await refuseFull(owner, Math.max(size_bytes, 1));
      const now = clock.now();
      const id = newId('med', now);
      const row: MediaRow = {
        ...columnsOf({ content_type }),
        id,
        workspace_id: owner.id,
        status: 'pending',
        filename: cleanName(ask.filename, content_type),
        size_bytes,
        sha256: null,
        created_at: now,
      };
      await store.write(({ db }) => insertMedia(db, row));
      const expires_at = now + UPLOAD_MS;
      const token = addresses.upload({ id, content_type, max_bytes: ask.size_bytes ?? maxBytes, expires_at });
      return { media_id: id, upload_url: `${rootUrl}/upload/${token}`, expires_at: wireTime(expires_at) };
    },

    /** Takes the one PUT of an upload address. `declared` is the Content-Length, where there is one. */
    async put(
      token: string,
      body: AsyncIterable<Uint8Array>,
      declared?: number,
    ): Promise<Readonly<{ media_id: string; size_bytes: number }>> {
      const grant = addresses.openUpload(token);
      if (!grant || grant.expires_at <= clock.now()) {
        fail('auth.invalid_secret', { message: 'This upload address has expired, or was not made here.' });
      }
      const { id, max_bytes } = grant;
      const row = (await loadMedia(store.db, id)) ?? noSuchMedia(id);
      if (row.status !== 'pending' || (await files.size(id)) !== undefined) uploadedAlready(id);
      if ((declared ?? 0) > max_bytes) tooLarge(max_bytes);
      const { plan } = (await readStorage(store.db, row.workspace_id)) ?? noSuchMedia(id);
      const owner = { id: row.workspace_id, plan };
      await refuseFull(owner, Math.max(declared ?? 0, 1));
      const draft = await files.receive(id, max_bytes, (write) => pour(body, write));
      try {
        if (draft.size === 0)
          fail('validation.body_invalid', { message: 'The body is empty; send the bytes of the file.' });
        await refuseFull(owner, draft.size);
        if (!(await draft.keep())) uploadedAlready(id);
        return { media_id: id, size_bytes: draft.size };
      } finally {
        await draft.drop();
      }
    },

    verify,
  };
}

async function pour(body: AsyncIterable<Uint8Array>, write: Write): Promise<void> {
  for await (const chunk of body) await write(chunk);
}

function columnsOf({ content_type, width, height, duration_ms }: Facts) {
  return { content_type, width: width ?? null, height: height ?? null, duration_ms: duration_ms ?? null };
}

function promised(type: string, seen: Inspected): Inspected {
  if ('refused' in seen || keepsPromise(type, seen.facts.content_type)) return seen;
  return { refused: `The bytes are ${seen.facts.content_type}, but ${type} was announced.` };
}

function factsOf(seen: Inspected, field: string): Facts {
  return 'refused' in seen ? unusable(seen.refused, field) : seen.facts;
}

function unusable(message: string, field: string): never {
  fail('validation.field_invalid', { message, meta: { field } });
}

function uploadedAlready(id: string): never {
  fail('resource.conflict', {
    message: 'Bytes were uploaded to this address already; an address takes one upload.',
    meta: { resource: 'media', id },
  });
}
