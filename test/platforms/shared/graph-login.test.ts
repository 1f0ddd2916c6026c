import { DAY } from '#kernel/clock.ts';
import { describe, expect, it } from 'vitest';
import { graphErrors } from '#platforms/graph/errors.ts';
import { longTokens } from '#platforms/graph/login.ts';
import { NOW, ok, type Script, scripted } from '../../harness/platforms/script.ts';
import { refusal } from '../../harness/platforms/facebook-samples.ts';

const ISSUED = { access_token: 'LONG', token_type: 'bearer', expires_in: 5_183_944 };
const client = { clientId: 'id', clientSecret: 's' };

const { errorOf } = graphErrors([]);
const tokens = longTokens({ slug: 'threads', title: 'Threads', prefix: 'th' }, errorOf);
const network = (script: Script) =>
  scripted(script, {
    hosts: { graph: 'https://graph.test' },
    nameOf: ({ method, url }) => `${method} ${new URL(url).pathname}`,
  });

describe('a long-lived token', () => {
  it('is exchanged for a brief one, by the grant of the platform', async () => {
    const { bare, asked } = network({ 'GET /access_token': ok(ISSUED) });
    const issued = await tokens.exchange(bare, 'BRIEF', client);
    expect(issued).toEqual({ token: 'LONG', issued_at: NOW, expiresAt: NOW + ISSUED.expires_in * 1000 });
    expect(asked[0]!.query).toEqual({ grant_type: 'th_exchange_token', client_secret: 's', access_token: 'BRIEF' });
  });

  it('names the setting that is wrong when the secret is', async () => {
    const { bare } = network({
      'GET /access_token': refusal(1, undefined, { message: 'Error validating client secret.' }),
    });
    await expect(tokens.exchange(bare, 'BRIEF', client)).rejects.toThrow(/THREADS_CLIENT_SECRET/);
  });

  it('is renewed once it is a day old', async () => {
    const { bare, asked } = network({ 'GET /refresh_access_token': ok(ISSUED) });
    const renewed = await tokens.renew(bare, { token: 'OLD', issued_at: NOW - DAY });
    expect(renewed).toMatchObject({ token: 'LONG', issued_at: NOW });
    expect(asked[0]!.query).toEqual({ grant_type: 'th_refresh_token', access_token: 'OLD' });
  });

  it('cannot be renewed before, and Graph is not asked', async () => {
    const { bare, asked } = network({});
    const young = tokens.renew(bare, { token: 'OLD', issued_at: NOW - DAY + 1 });
    await expect(young).rejects.toMatchObject({ kind: 'refused', reason: 'auth' });
    expect(asked).toEqual([]);
  });
});
