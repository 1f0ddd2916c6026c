import { expect } from 'vitest';
import { it, type World } from '../harness/world.ts';
import { makeStage } from '../harness/worlds/social.ts';

/** Calls a tool as an assistant does that wants to be told how far it is; answers the steps and the result. */
async function watch(world: World, name: string, input: object) {
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

it('reports to an assistant that asked for it how many targets of a publish have ended', async ({ world }) => {
  const accounts = [await world.connect(0), await world.connect(1)];
  const input = { text: 'Hello', account_ids: accounts.map(({ id }) => id), publish_now: true };
  const { steps, result } = await watch(world, 'create_post', input);
  expect(steps).toEqual([
    ['p1', 1, 2],
    ['p1', 2, 2],
  ]);
  expect(result).toMatchObject({ id: 7, result: { structuredContent: { status: 'published' } } });
});

it('reports how many messages of several attachments are sent', async () => {
  const { world, connect, converse } = await makeStage();
  const conversation_id = await converse(await connect('twitter'));
  const attachments = ['a', 'b'].map((name) => ({ source: `https://pictures.example.org/${name}.png` }));
  const { steps, result } = await watch(world, 'send_dm', { conversation_id, text: 'Look', attachments });
  expect(steps).toEqual([
    ['p1', 1, 3],
    ['p1', 2, 3],
    ['p1', 3, 3],
  ]);
  expect(result!['result'].structuredContent.message_ids).toHaveLength(3);
});
