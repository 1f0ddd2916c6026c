import { MINUTE, DAY } from '#kernel/clock.ts';
import { expect, it } from 'vitest';
import { signedRequest } from '#sandbox/graph/push/pushes.ts';
import { makeWorld } from '../../harness/world.ts';

it.each(['facebook', 'instagram', 'threads', 'whatsapp'])('%s: signed requests count for a week', async (slug) => {
  const app = { [`${slug.toUpperCase()}_CLIENT_ID`]: '1', [`${slug.toUpperCase()}_CLIENT_SECRET`]: 'secret' };
  const world = await makeWorld({ env: { SANDBOX: 'off', ...app } });
  const answers = (path: string, age: number, more: object = {}) => {
    const issued_at = Math.floor((world.clock.now() - age) / 1000);
    const signed_request = signedRequest('secret', { user_id: '1', algorithm: 'HMAC-SHA256', issued_at, ...more });
    const body = new URLSearchParams({ signed_request });
    return fetch(`${world.root}/push/${slug}/${path}`, { method: 'POST', body });
  };
  for (const path of ['deauthorize', 'data-deletion']) {
    for (const age of [0, 7 * DAY - MINUTE, -4 * MINUTE])
      expect([age, (await answers(path, age)).status]).toEqual([age, 200]);
    for (const age of [7 * DAY + MINUTE, 30 * DAY, -6 * MINUTE, -DAY])
      expect([age, (await answers(path, age)).status]).toEqual([age, 403]);
    for (const other of ['none', 'HMAC-SHA1', undefined])
      expect([other, (await answers(path, 0, { algorithm: other })).status]).toEqual([other, 403]);
    expect((await answers(path, 0, { issued_at: undefined })).status).toBe(403);
  }
});
