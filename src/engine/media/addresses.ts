import type { Sealer } from '#kernel/seal.ts';
import { makeClaimSigner } from '#kernel/sign.ts';

/** An upload URL allows one PUT of one item, up to a size, until it expires. */
export type UploadGrant = Readonly<{ id: string; content_type: string; max_bytes: number; expires_at: number }>;
/** What a download URL returns: the whole file, a copy without camera data for platforms, or the thumbnail. */
type DownloadForm = 'whole' | 'cleaned' | 'thumbnail';
/** A download URL allows reading one item until it expires. */
type DownloadGrant = Readonly<{ id: string; expires_at: number; form: DownloadForm }>;

export type Addresses = Readonly<{
  upload(grant: UploadGrant): string;
  openUpload(token: string): UploadGrant | undefined;
  download(grant: DownloadGrant): string;
  openDownload(token: string): DownloadGrant | undefined;
}>;

/** Signs and opens tokens of media URLs: docs/contract/security.md#signed-addresses. */
export function makeAddresses(sealer: Sealer): Addresses {
  const upload = makeClaimSigner(sealer.derive('upload'), 'PUT');
  const download = makeClaimSigner(sealer.derive('media'), 'GET');
  return Object.freeze({
    upload: ({ id, content_type, max_bytes, expires_at }) => upload.sign([id, expires_at, content_type, max_bytes]),
    openUpload(token) {
      const [id, expires_at, content_type, max_bytes] = (upload.open(token) ?? []) as [string, number, string, number];
      return id === undefined ? undefined : { id, expires_at, content_type, max_bytes };
    },
    download: ({ id, expires_at, form }) => download.sign([id, expires_at, ...(form === 'whole' ? [] : [form])]),
    openDownload(token) {
      const [id, expires_at, form = 'whole'] = (download.open(token) ?? []) as [string, number, DownloadForm?];
      return id === undefined ? undefined : { id, expires_at, form };
    },
  } satisfies Addresses);
}
