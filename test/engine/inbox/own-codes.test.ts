import { describe, expect, it } from 'vitest';
import { PlatformError } from '#platforms/errors.ts';
import { call } from '../../harness/calls/operations.ts';
import { fakePlatform } from '../../harness/platforms/fake.ts';
import { makeSocial, socialPlatforms } from '../../harness/platforms/social.ts';
import { makeStage } from '../../harness/worlds/social.ts';
import { makeWorld } from '../../harness/world.ts';

const blocked = new PlatformError('refused', 'blocked', 'Blocked by this person.', { code: 'telegram.cannot_message' });

/** A refused message of a platform that can send texts. */
async function refusedBy(slug: 'telegram' | 'zalo') {
  const net = makeSocial();
  const stage = await makeStage({}, [{ ...socialPlatforms(net).get('zalo')!, slug, codes: [] }]);
  const account = await stage.connect(slug);
  const conversation_id = await stage.converse(account);
  net.script('ours', 'messages.send', { error: blocked });
  return call(stage.world, 'send_dm', { conversation_id, text: 'Hi' });
}

describe('a failure with a code of its own', () => {
  it('is answered with that code and its status', async () => {
    expect(await refusedBy('telegram')).toMatchObject({ status: 403, code: 'telegram.cannot_message' });
  });

  it('is answered with its reason where the code is another platform its own', async () => {
    expect(await refusedBy('zalo')).toMatchObject({ status: 403, code: 'platform.zalo.blocked' });
  });
});

it('stops the start when a connector declares a code of another platform', async () => {
  const zalo = fakePlatform('zalo', { codes: ['telegram.cannot_message'] });
  await expect(makeWorld({ surroundings: { platforms: new Map([['zalo', zalo]]) } })).rejects.toThrow(
    'zalo declares telegram.cannot_message, which is not an error code of its own',
  );
});
