import { readFileSync } from 'node:fs';
import { makeAsset } from '../kit/asset.ts';

/** Adds drag and drop and a progress display to the upload page. */
export const uploadScript = makeAsset(
  '/assets/choose-file.js',
  'text/javascript; charset=utf-8',
  readFileSync(new URL('./choose-file.js', import.meta.url), 'utf8'),
);
