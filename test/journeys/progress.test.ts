import { expect } from 'vitest';
import { it } from '../harness/world.ts';
import { watch } from '../harness/calls/progress.ts';
import { makeStage } from '../harness/worlds/social.ts';

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
