import { describe, expect } from 'vitest';
import { it } from '../../harness/world.ts';
import { call, expectInvalid } from '../../harness/calls/operations.ts';

describe('get_constraints', () => {
  it('shows the limits of each platform that publishes posts', async ({ world }) => {
    const { body } = await call(world, 'get_constraints');
    expect(body.data.bluesky).toMatchObject({ text: { max_length: 300 }, scheduling: { supported: true } });
    expect((await call(world, 'get_constraints', { platform: 'bluesky' })).body.data).toEqual({
      bluesky: body.data.bluesky,
    });
    expect((await call(world, 'get_constraints', { platform: 'whatsapp' })).body.data).toEqual({});
  });

  it('refuses platforms nobody knows', async ({ world }) => {
    await expectInvalid(call(world, 'get_constraints', { platform: 'myspace' }), 'platform');
  });
});
