import { expect, it } from 'vitest';
import { checkStep } from '../../harness/calls/next-step.ts';
import { makeWorld } from '../../harness/world.ts';
import { standInOf } from '../../journeys/platforms/stand-in.ts';

const OLIVIA = 'olivia.sandbox.test';
const UNENROLLED = { status: 403, title: 'Client Forbidden', type: 'client-forbidden', reason: 'client-not-enrolled' };

/** Logs in on X with the app of a customer; `where` it comes back, and what the exchange of another code answers. */
async function logIn({ secret, isEnrolled = true }: { secret?: string; isEnrolled?: boolean }) {
  const world = await makeWorld();
  const x = standInOf(world, 'twitter', '/i/oauth2/authorize');
  const [app] = await x.look('apps');
  const pair = { client_id: app.id, client_secret: secret ?? app.client_secret };
  await world.rest('PUT /v1/platforms/twitter/credentials', pair);
  if (!isEnrolled) await x.act('order', { method: 'GET /2/users/me', when: 'before', ...UNENROLLED });
  const told = await x.connect(OLIVIA).then(
    () => undefined,
    (error: Error) => new URLSearchParams(error.message),
  );
  return { world, told, accounts: (await world.rest('GET /v1/accounts')).body.count };
}

it('says in the redirect, and to who exchanges a code, that the platform does not take the app', async () => {
  const { world, told, accounts } = await logIn({ secret: 'not-the-secret' });
  expect([told?.get('error'), accounts]).toEqual(['byok.credentials_invalid', 0]);
  const { state } = (await world.rest('POST /v1/accounts/connect', { platform: 'twitter' })).body;
  const { status, body } = await world.rest('POST /v1/oauth/exchange', { code: 'any', state });
  expect([status, body.error.code]).toEqual([401, 'byok.credentials_invalid']);
  expect(body.error.message).toContain('set_twitter_credentials');
  checkStep(body.error.message);
});

it('says that the plan of the app does not let it in', async () => {
  const { told, accounts } = await logIn({ isEnrolled: false });
  expect([told?.get('error'), accounts]).toEqual(['byok.credentials_forbidden', 0]);
});
