import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Store } from '#db/store/store.ts';
import type { Keys } from '#oauth/keys.ts';
import { makeTokens } from '#oauth/tokens.ts';
import { fakeClock } from '../harness/clock.ts';

const ROW = Object.freeze({
  id: 'usr_1',
  name: 'Anna',
  email: 'anna@example.org',
  workspace_id: 'ws_1',
  role: 'owner',
  plan: 'free',
  blocked_at: null,
  workspace_created_at: 0,
});

type Read = () => Promise<typeof ROW | undefined>;

/** Tokens over a store whose answers and whose version the test decides on. */
function openTokens() {
  const place: { read: Read; version: number } = { read: async () => ROW, version: 1 };
  const store = { changed: () => place.version, prepared: () => () => place.read() } as unknown as Store;
  const pair = generateKeyPairSync('ed25519');
  const keys = { signer: async () => ({ kid: 'key', ...pair }), find: async () => pair } as unknown as Keys;
  return { place, tokens: makeTokens({ store, clock: fakeClock(), rootUrl: 'http://localhost', keys }) };
}

type World = ReturnType<typeof openTokens>;

describe('a user who was read before being deleted is not remembered after', () => {
  it.each([
    ['this process', ({ tokens }: World) => tokens.forget()],
    ['another process', ({ place }: World) => void (place.version += 1)],
  ])('by %s', async (_, change) => {
    const world = openTokens();
    const { place, tokens } = world;
    const { token } = await tokens.signDashboardToken('usr_1');
    const begun = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<typeof ROW>();
    place.read = () => {
      begun.resolve();
      return answer.promise;
    };
    const late = tokens.verifyToken(token);
    await begun.promise;

    place.read = async () => undefined;
    change(world);
    await expect(tokens.verifyToken(token)).rejects.toMatchObject({ code: 'auth.not_provisioned' });
    answer.resolve(ROW);
    expect(await late).toMatchObject({ userId: 'usr_1' });
    await expect(tokens.verifyToken(token)).rejects.toMatchObject({ code: 'auth.not_provisioned' });
  });

  it('and one who is still there is, until the next change', async () => {
    const { place, tokens } = openTokens();
    const { token } = await tokens.signDashboardToken('usr_1');
    await tokens.verifyToken(token);
    place.read = () => Promise.reject(new Error('asked again'));
    expect(await tokens.verifyToken(token)).toMatchObject({ userId: 'usr_1' });
    place.version += 1;
    await expect(tokens.verifyToken(token)).rejects.toThrow('asked again');
  });
});
