import { createHmac } from 'node:crypto';
import type { Sealer } from '../../kernel/seal.ts';
import { safeEqual } from '../../kernel/sign.ts';

/** What an upload address allows: one PUT of one item, up to a size, until it expires. */
export type UploadGrant = Readonly<{ id: string; content_type: string; max_bytes: number; expires_at: number }>;
/** What a download address allows: reading one item until it expires. */
export type DownloadGrant = Readonly<{ id: string; expires_at: number }>;

export type Addresses = Readonly<{
  upload(grant: UploadGrant): string;
  openUpload(token: string): UploadGrant | undefined;
  download(grant: DownloadGrant): string;
  openDownload(token: string): DownloadGrant | undefined;
}>;

/** Tokens of self-authorising media addresses: signed, each kind under a key of its own (rulings 5.12). */
export function makeAddresses(sealer: Sealer): Addresses {
  const upload = signer(sealer.derive('upload'), 'PUT');
  const download = signer(sealer.derive('media'), 'GET');
  return Object.freeze({
    upload: ({ id, content_type, max_bytes, expires_at }) => upload.sign([id, expires_at, content_type, max_bytes]),
    openUpload(token) {
      const [id, expires_at, content_type, max_bytes] = (upload.open(token) ?? []) as [string, number, string, number];
      return id === undefined ? undefined : { id, expires_at, content_type, max_bytes };
    },
    download: ({ id, expires_at }) => download.sign([id, expires_at]),
    openDownload(token) {
      const [id, expires_at] = (download.open(token) ?? []) as [string, number];
      return id === undefined ? undefined : { id, expires_at };
    },
  } satisfies Addresses);
}

type Claims = readonly (string | number)[];

function signer(key: Buffer, method: string) {
  const mac = (claims: string) => createHmac('sha256', key).update(`${method}\n${claims}`).digest('base64url');
  return {
    sign(claims: Claims): string {
      const packed = Buffer.from(JSON.stringify(claims)).toString('base64url');
      return `${packed}.${mac(packed)}`;
    },
    /** The claims of a token that was signed here; nothing of it is read before its signature matches. */
    open(token: string): Claims | undefined {
      const [packed = '', signature = ''] = token.split('.');
      if (!safeEqual(signature, mac(packed))) return undefined;
      return JSON.parse(Buffer.from(packed, 'base64url').toString('utf8')) as Claims;
    },
  };
}
