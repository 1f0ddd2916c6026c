import { expect } from 'vitest';
import type { World } from '../world.ts';

/** Calls a tool as an assistant does that wants to be told how far it is; answers the steps and the result. */
export async function watch(world: World, name: string, input: object) {
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
      params: { name, arguments: input, _meta: { progressToken: 'p1' } },
    }),
  });
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  const messages = (await response.text())
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice(6)) as Record<string, any>);
  const steps = messages.filter(({ method }) => method === 'notifications/progress');
  return {
    steps: steps.map(({ params }) => [params.progressToken, params.progress, params.total]),
    result: messages.at(-1),
  };
}
