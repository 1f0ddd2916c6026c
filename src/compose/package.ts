import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Card } from '#serve/mcp/documents/card.ts';
import { readSkills } from '#serve/mcp/documents/skills.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const require = createRequire(import.meta.url);

export const { version } = require('../../package.json') as { version: string };
export const card = require('../../server-card.json') as Card;
export const skills = readSkills(join(ROOT, 'skills'));

export const USER_AGENT = `Rostra/${version}`;
