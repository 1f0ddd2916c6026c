import { readFileSync } from 'node:fs';
import { makeAsset } from '../kit/asset.ts';

/** What the upload page can do with a script besides: files that are dropped on it, and how much has arrived. */
export const uploadScript = makeAsset(
  '/assets/choose-file.js',
  'text/javascript; charset=utf-8',
  readFileSync(new URL('./choose-file.js', import.meta.url), 'utf8'),
);
