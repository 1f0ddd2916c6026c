import { isIP } from 'node:net';
import { MEDIA_S3 } from './names.ts';
import { parsed, wrong, type Values } from './reader.ts';
import { BUCKET, flag, REGION, url } from './values.ts';

/** A bucket with its keys; `url` is the prefix of its objects. */
export type MediaBucket =
  | Readonly<{ url: string; region: string; accessKeyId: string; secretAccessKey: string }>
  | undefined;

/** Requires all settings or none. The bucket is in the path, which all services support, or in the host name. */
export function mediaBucket({ allOrNone, required }: Values): MediaBucket {
  const given = allOrNone(MEDIA_S3, ['MEDIA_S3_PATH_STYLE']);
  if (given === undefined) return undefined;
  const [endpoint, name, zone, accessKeyId, secretAccessKey] = given as [string, string, string, string, string];
  const root = new URL(parsed('MEDIA_S3_ENDPOINT', endpoint, url));
  if (root.search || root.hash || root.username) wrong('MEDIA_S3_ENDPOINT', 'must have no query, fragment or user');
  const bucket = parsed('MEDIA_S3_BUCKET', name, BUCKET);
  const region = parsed('MEDIA_S3_REGION', zone, REGION);
  if (required('MEDIA_S3_PATH_STYLE', flag, 'on')) root.pathname = `${root.pathname.replace(/\/$/, '')}/${bucket}`;
  else if (isIP(root.hostname.replace(/^\[|\]$/g, '')) === 0) root.hostname = `${bucket}.${root.hostname}`;
  else wrong('MEDIA_S3_PATH_STYLE', 'must be on where MEDIA_S3_ENDPOINT is an IP address');
  return Object.freeze({ url: root.href.replace(/\/$/, ''), region, accessKeyId, secretAccessKey });
}
