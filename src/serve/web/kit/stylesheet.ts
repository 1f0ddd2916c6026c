import { readFileSync } from 'node:fs';
import { makeAsset } from './asset.ts';

const CSS = 'text/css; charset=utf-8';

/** The parts of a stylesheet, in order: of rules with equal specificity, the last one wins. */
const FRONT = ['tokens', 'shared', 'front/page', 'front/forms', 'front/reference'];
const APP = [
  'tokens',
  'shared',
  'app/frame',
  'app/rail',
  'app/parts',
  'app/account-card',
  'app/forms',
  'app/posts',
  'app/composer',
  'app/previews',
  'app/calendar',
  'app/post',
  'app/accounts',
  'app/today',
  'app/media',
  'app/inbox',
  'app/review',
  'app/webhooks',
  'app/analytics',
  'app/floating',
  'app/small-screens',
];

const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8');
const joined = (parts: readonly string[]) => parts.map((part) => read(`./styles/${part}.css`)).join('\n');
const front = makeAsset('/assets/rostra.css', CSS, joined(FRONT));
const app = makeAsset('/assets/app.css', CSS, joined(APP));
const icons = makeAsset('/assets/icons.svg', 'image/svg+xml', read('./icons.svg'));

export const STYLESHEET = front.address;
/** The stylesheet for pages with navigation. */
export const APP_STYLESHEET = app.address;
export const ICONS = icons.address;

export const styleRoutes = [front.route, app.route, icons.route];
