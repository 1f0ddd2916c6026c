import { describe, it } from 'vitest';
import { endlessAnswer, endlessRequest } from '../../engine/migrations/bodies.ts';
import { startedWorld } from '../../engine/migrations/world.ts';

const MOST = 100 * 1024 * 1024;

describe('what is passed on in a migration', () => {
  it('is at most 100 MiB of an answer', async () => endlessAnswer(await startedWorld(), MOST));

  it('is at most 100 MiB of a request', async () => endlessRequest(await startedWorld(), MOST));
});
