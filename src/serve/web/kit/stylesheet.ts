import { readFileSync } from 'node:fs';
import { makeAsset } from './asset.ts';

const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8');
// Each names its file in full, so that the package finds what it has to ship.
const tokens = read('./tokens.css');
const CSS = 'text/css; charset=utf-8';
const front = makeAsset('/assets/rostra.css', CSS, tokens + read('./rostra.css'));
const app = makeAsset('/assets/app.css', CSS, tokens + read('./app.css'));
const icons = makeAsset('/assets/icons.svg', 'image/svg+xml', read('./icons.svg'));

/** The address of the stylesheet of pages that stand alone. */
export const STYLESHEET = front.address;
/** The address of the stylesheet of pages beside the rail. */
export const APP_STYLESHEET = app.address;
/** The address of the icons; each is a symbol in it. */
export const ICONS = icons.address;

/** Serves the stylesheets and the icons. */
export const styleRoutes = [front.route, app.route, icons.route];
