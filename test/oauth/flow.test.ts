import { expect } from 'vitest';
import { describeServer } from '../harness/worlds/oauth.ts';

describeServer('the whole flow', ({ it }) => {
  it('goes from registration to a call, a refresh and the next call', async ({ world, client, userId }) => {
    const { code, verifier, url } = await world.codeFor(client, userId, { state: 'x y' });
    expect(url.search).toBe(`?code=${code}&state=x%20y`);
    const { status, body } = await world.exchange(client, { code, verifier });
    expect([status, body]).toEqual([200, expect.objectContaining({ token_type: 'Bearer' })]);
    const called = await world.whoIs(body.access_token);
    expect([called.status, called.body]).toEqual([200, expect.objectContaining({ kind: 'oauth', user: userId })]);
    const again = await world.refresh(client, body.refresh_token);
    expect(again.status).toBe(200);
    expect((await world.whoIs(again.body.access_token)).status).toBe(200);
  });
});
