import { loadMedia, type MediaRow } from '#db/posts/media.ts';
import { fail } from '#kernel/errors.ts';
import type { UploadGrant } from './addresses.ts';
import { ALLOWED_TYPES, extensionOf, keepsPromise } from './content/content.ts';
import type { MediaDeps } from './deps.ts';
import { noSuchMedia } from './item.ts';

export type Upload = Readonly<{
  state: 'open' | 'done' | 'refused' | 'expired';
  filename: string;
  /** Accepted types with their usual extensions. */
  takes: readonly Readonly<{ type: string; extension: string }>[];
  max_bytes: number;
  expires_at: number;
}>;

export const NEW_ADDRESS = 'Ask get_media_upload_url for a new one.';

/** What an upload URL allows, and the item it belongs to. */
export async function openUpload(
  { store, addresses }: Pick<MediaDeps, 'store' | 'addresses'>,
  token: string,
): Promise<Readonly<{ grant: UploadGrant; row: MediaRow }>> {
  const grant = addresses.openUpload(token);
  if (!grant) {
    fail('auth.invalid_secret', { message: 'This upload address is not from this server.', next: NEW_ADDRESS });
  }
  return { grant, row: (await loadMedia(store.db, grant.id)) ?? noSuchMedia(grant.id) };
}

/** Whether the bytes of a pending item have arrived. */
export async function hasCome({ files }: Pick<MediaDeps, 'files'>, row: MediaRow): Promise<boolean> {
  return row.sha256 !== null || (await files.find(row)) !== undefined;
}

/** Makes the content of the page at an upload URL. */
export function makeUploadAt(deps: MediaDeps) {
  async function stateOf(row: MediaRow, { expires_at }: UploadGrant): Promise<Upload['state']> {
    if (row.status === 'failed') return 'refused';
    if (row.status === 'ready' || (await hasCome(deps, row))) return 'done';
    return deps.clock.now() >= expires_at ? 'expired' : 'open';
  }

  return {
    async uploadAt(token: string): Promise<Upload> {
      const { grant, row } = await openUpload(deps, token);
      const types = ALLOWED_TYPES.filter((type) => keepsPromise(row.content_type, type));
      return {
        state: await stateOf(row, grant),
        filename: row.filename,
        takes: types.map((type) => ({ type, extension: extensionOf(type) })),
        max_bytes: grant.max_bytes,
        expires_at: grant.expires_at,
      };
    },
  };
}
