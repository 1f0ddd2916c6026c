import { readFileSync } from 'node:fs';
import { makeAsset } from './asset.ts';

const asset = makeAsset(
  '/assets/rostra.css',
  'text/css; charset=utf-8',
  readFileSync(new URL('./rostra.css', import.meta.url), 'utf8'),
);

/** The address of the one stylesheet. */
export const STYLESHEET = asset.address;

/** Serves the stylesheet. */
export const stylesheetRoute = asset.route;
