import { createRequire } from 'node:module';
import type { Card } from '#serve/mcp/card.ts';

const require = createRequire(import.meta.url);

export const { version } = require('../../package.json') as { version: string };
export const card = require('../../server-card.json') as Card;

/** The User-Agent of every outbound request. */
export const USER_AGENT = `Rostra/${version}`;
