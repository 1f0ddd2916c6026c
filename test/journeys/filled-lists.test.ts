import { MINUTE } from '#kernel/clock.ts';
import { expect, it } from 'vitest';
import { aComment, aMention, aReview } from '../harness/platforms/social.ts';
import { LARGEST } from '../eval/cost.ts';
import { aMessage, makeStage } from '../harness/worlds/social.ts';

const BRIEF = 8_000;
const LONG = 'Is the "sourdough" still there, and when do you open? 🥖 '.repeat(6);

it('lists of a full inbox fit what hosts of assistants take, with nothing null or empty', async () => {
  const { world, net, connect, tell } = await makeStage();
  const [twitter, google] = [await connect('twitter', 'one'), await connect('google', 'two')];
  const numbers = Array.from({ length: 60 }, (_, n) => n);
  const at = (n: number) => world.clock.now() - (n + 1) * MINUTE;
  const comments = numbers.map((n) => aComment('post-1', { text: LONG, created_at: at(n) }));
  net.comments.set('post-1', comments);
  const reviews = numbers.map((n) => aReview(at(n), { text: LONG }));
  net.reviews.set('two', reviews);
  await tell(twitter, [
    ...comments.map((comment) => ({ kind: 'comment', comment }) as const),
    ...numbers.map((n) => ({ kind: 'mention', mention: aMention({ text: LONG, created_at: at(n) }) }) as const),
    ...numbers.map((n) => {
      const conversation = { platform_id: `t${n}`, participant: { id: `fan-${n}`, name: 'Fan' } };
      return { kind: 'message', conversation, message: aMessage(`m${n}`, at(n), { text: LONG }) } as const;
    }),
  ]);
  await tell(
    google,
    reviews.map((review) => ({ kind: 'review', review }) as const),
  );
  const asked: readonly (readonly [name: string, input: object, items: number, most: number])[] = [
    ['list_conversations', {}, 25, BRIEF],
    ['list_post_comments', { post_id: 'post-1', account_id: twitter.id }, 25, BRIEF],
    ['list_unanswered', {}, 25, 20_000],
    ['get_mentions', { account_id: twitter.id }, 20, LARGEST],
    ['get_reviews', {}, 50, LARGEST],
  ];
  for (const [name, input, items, most] of asked) {
    const { isError, body } = await world.mcp(name, input);
    const text = JSON.stringify(body);
    expect([name, isError, body.data.length]).toEqual([name, false, items]);
    expect([name, text.length <= most, text.match(/:null|:\[\]|:\{\}/g)]).toEqual([name, true, null]);
  }
});
