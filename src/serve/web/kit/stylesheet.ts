import { readFileSync } from 'node:fs';
import { makeAsset } from './asset.ts';

const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8');
// Each path is complete, so that the package includes the file.
const tokens = read('./tokens.css');
const CSS = 'text/css; charset=utf-8';
const front = makeAsset('/assets/rostra.css', CSS, tokens + read('./rostra.css'));
const app = makeAsset('/assets/app.css', CSS, tokens + read('./app.css'));
const icons = makeAsset('/assets/icons.svg', 'image/svg+xml', read('./icons.svg'));

export const STYLESHEET = front.address;
/** The stylesheet of pages with navigation. */
export const APP_STYLESHEET = app.address;
export const ICONS = icons.address;

export const styleRoutes = [front.route, app.route, icons.route];
