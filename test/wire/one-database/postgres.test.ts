import { describe } from 'vitest';
import { DATABASES } from '../two-servers.ts';
import { workTogether } from './work.ts';

const database = DATABASES[1]!;
describe.skipIf(database.missing !== undefined)(`two servers on ${database.name}`, () => workTogether(database));
