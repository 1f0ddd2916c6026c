import { expect, test } from 'vitest';
import { probeRoutes } from '#serve/http/probes.ts';
import type { RequestContext } from '#kernel/route.ts';

const context = () => ({ get: () => '', set: () => undefined, fresh: false }) as unknown as RequestContext;

test('the OpenAPI document is made again after a failure, and once when it worked', async () => {
  let calls = 0;
  const openApi = async () => {
    calls += 1;
    if (calls === 1) throw new Error('no memory');
    return { openapi: '3.1.0' };
  };
  const routes = probeRoutes({ openApi, health: async () => [], serveMetrics: () => undefined });
  const { GET } = routes.find(({ path }) => path === '/openapi.json')!;
  await expect(GET!(context(), {})).rejects.toThrow('no memory');
  const answers = [context(), context()];
  for (const ctx of answers) await GET!(ctx, {});
  expect([calls, answers.map(({ status }) => status)]).toEqual([2, [200, 200]]);
});
