import { expect, it } from 'vitest';
import { makeWorld } from '../harness/world.ts';

it('tells an assistant that asked for it how many targets of a publish have ended', async () => {
  const world = await makeWorld();
  const accounts = [await world.connect(0), await world.connect(1)];
  const input = { text: 'Hello', account_ids: accounts.map(({ id }) => id), publish_now: true };
  const response = await fetch(`${world.root}/mcp`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${world.key}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 7,
      method: 'tools/call',
      params: { name: 'create_post', arguments: input, _meta: { progressToken: 'p1' } },
    }),
  });
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  const messages = (await response.text())
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice(6)) as Record<string, any>);
  const steps = messages.filter(({ method }) => method === 'notifications/progress');
  expect(steps.map(({ params }) => [params.progressToken, params.progress, params.total])).toEqual([
    ['p1', 1, 2],
    ['p1', 2, 2],
  ]);
  expect(messages.at(-1)).toMatchObject({ id: 7, result: { structuredContent: { status: 'published' } } });
});
