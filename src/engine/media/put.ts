import { endUpload, holdStorage, loadMedia, readStorage, type Came, type MediaRow } from '#db/posts/media.ts';
import { fail } from '#kernel/errors.ts';
import { allowedType, inspect, keepsPromise } from './content/content.ts';
import type { MediaDeps } from './deps.ts';
import { noSuchMedia, overQuota, pendingLimit, roomIn, storageLimit } from './item.ts';
import { pour, tooLarge, type Draft, type Write } from './storage/files.ts';
import { hasCome, NEW_ADDRESS, openUpload } from './upload-address.ts';

/** What a request says about the bytes before they arrive. */
type UploadHeaders = Readonly<{ declared?: number | undefined; named?: string; atMost?: number | undefined }>;

/** Content types that programs send if they do not know what a file is. */
const SAYS_NOTHING: ReadonlySet<string> = new Set([
  '',
  'application/octet-stream',
  'binary/octet-stream',
  'application/x-www-form-urlencoded',
]);

/** Receives the bytes of a pending item by PUT to a signed URL. */
export function makePut(deps: MediaDeps) {
  const { store, files, clock, forget } = deps;

  /** Reserves storage before the first byte arrives, as unverified uploads could otherwise fill the disk. */
  async function holdFor(row: MediaRow, most: number, declared: number | undefined) {
    const storage = (await readStorage(store.db, row.workspace_id)) ?? noSuchMedia(row.id);
    const { plan } = storage;
    const held = declared ?? Math.min(most, roomIn(storage));
    if (held < 0 || roomIn(storage) < Math.max(held, 1)) overQuota(plan);
    await store.write(async ({ db }) => {
      const taken = await holdStorage(db, row, held, { all: storageLimit(plan), pending: pendingLimit(plan) });
      if (taken === 'full') overQuota(plan);
      if (taken === 'gone') uploadedAlready(row.id);
    });
    return { held, plan };
  }

  /** Returns unused storage, and drops bytes that arrived after the item was completed. */
  async function settle(row: MediaRow, held: number, came: Came | undefined): Promise<void> {
    const outcome = await store.write(({ db }) => endUpload(db, row, held, came));
    if (came === undefined || outcome === 'ended') return;
    const now = await loadMedia(store.db, row.id);
    const wanted = now !== undefined && now.status !== 'failed';
    if (now?.status === 'ready' && now.sha256 === came.sha256) return;
    if (!wanted || now.sha256 !== came.sha256) await forget({ id: row.id, sha256: came.sha256 });
    if (wanted) uploadedAlready(row.id);
    noSuchMedia(row.id);
  }

  async function keep({ id, content_type }: MediaRow, draft: Draft): Promise<Came> {
    try {
      if (draft.size === 0) {
        fail('validation.body_invalid', { message: 'The body is empty; send the bytes of the file.' });
      }
      const seen = await inspect(draft);
      if ('refused' in seen) otherType(content_type, seen.refused);
      const found = seen.fields.content_type;
      if (!keepsPromise(content_type, found)) otherType(content_type, `The bytes are ${found}.`);
      if (!(await draft.keep())) uploadedAlready(id);
      return draft;
    } finally {
      await draft.drop();
    }
  }

  return {
    /** Accepts the only PUT of an upload URL; after a wrong type it stays usable. `atMost` limits unknown sizes. */
    async put(
      token: string,
      body: AsyncIterable<Uint8Array>,
      { declared, named = '', atMost = Infinity }: UploadHeaders = {},
    ): Promise<Readonly<{ media_id: string; size_bytes: number }>> {
      const { grant, row } = await openUpload(deps, token);
      const { id, max_bytes, expires_at } = grant;
      if (expires_at <= clock.now()) {
        fail('auth.invalid_secret', { message: 'This upload address has expired.', next: NEW_ADDRESS });
      }
      if (row.status !== 'pending' || (await hasCome(deps, row))) uploadedAlready(id);
      refuseNamed(row.content_type, named);
      if ((declared ?? 0) > max_bytes) tooLarge(max_bytes);
      const { held, plan } = await holdFor(row, Math.min(max_bytes, atMost), declared);

      let came = 0;
      const within =
        (write: Write): Write =>
        (chunk) => {
          came += chunk.byteLength;
          // The limit was that of the plan, not of the URL.
          if (came > held && held < max_bytes) overQuota(plan);
          return write(chunk);
        };
      let arrived: Came | undefined;
      try {
        arrived = await keep(row, await files.receive(id, max_bytes, (write) => pour(body, within(write))));
      } finally {
        await settle(row, held, arrived);
      }
      return { media_id: id, size_bytes: arrived.size };
    },
  };
}

function refuseNamed(wanted: string, named: string): void {
  const bare = named.split(';', 1)[0]!.trim().toLowerCase();
  if (SAYS_NOTHING.has(bare) || keepsPromise(wanted, allowedType(bare) ?? bare)) return;
  otherType(wanted, `The Content-Type is ${bare.slice(0, 127)}.`);
}

function otherType(wanted: string, found: string): never {
  fail('validation.field_invalid', {
    message: `This upload address is for ${wanted}. ${found}`,
    next: 'Send such a file, or ask get_media_upload_url for an address that takes the type of yours.',
    meta: { field: 'media_type' },
  });
}

function uploadedAlready(id: string): never {
  fail('resource.conflict', {
    message: 'A file was already uploaded to this address, and an address takes only one.',
    next: NEW_ADDRESS,
    meta: { resource: 'media', id },
  });
}
