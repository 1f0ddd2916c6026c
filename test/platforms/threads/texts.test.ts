import { expect, it } from 'vitest';
import { THREADS_TEXTS } from '../../harness/threads-texts.ts';
import { makeWorld } from '../../harness/world.ts';

it('validate_post takes the texts that Threads takes', async () => {
  const world = await makeWorld();
  const taken = await Promise.all(
    THREADS_TEXTS.map(async ([what, text]) => {
      const { body } = await world.rest('POST /v1/posts/validate', { text, platforms: ['threads'] });
      return [what, body.valid];
    }),
  );
  expect(taken).toEqual(THREADS_TEXTS.map(([what, , fits]) => [what, fits]));
});
