import { HOUR } from '#kernel/clock.ts';
import fc from 'fast-check';
import { expect } from 'vitest';
import { ApiError } from '#kernel/errors.ts';
import type { Stores } from '../harness/stores/stores.ts';
import { lost, refused, throttled, unsent } from '../harness/platforms/publishing.ts';
import { makeWorld, type World } from '../harness/worlds/publishing.ts';

type State = 'draft' | 'scheduled' | 'publishing' | 'published' | 'failed' | 'removed';
type Move = 'edit' | 'schedule' | 'cancel' | 'publish' | 'retry' | 'unpublish' | 'delete' | 'due' | 'wait';
type Weather = 'fine' | 'refused' | 'held' | 'lost' | 'unsent';

/** What is expected of a post with one target: its state, what was told, and what it has cost. */
type Model = { state: State; events: string[]; credits: number; held: number };

const VERDICTS = { fine: [], refused: [refused], held: [throttled(60)], lost: [lost], unsent: [unsent] } as const;

/** Where a publish ends in some weather: a lost answer is repeated at once. */
function ending(model: Model, weather: Weather): void {
  const waits = weather === 'held' || weather === 'unsent';
  model.state = waits ? 'publishing' : weather === 'refused' ? 'failed' : 'published';
  if (!waits) model.events.push(`post.${model.state}`);
}

/** Applies a move to the model; the code of the refusal where it is not allowed. */
function expected(model: Model, move: Move, weather: Weather): string | undefined {
  const { state } = model;
  const invalid = 'post.state_invalid';
  const goes: Record<Move, readonly State[]> = {
    edit: ['draft', 'scheduled', 'failed'],
    schedule: ['draft', 'scheduled'],
    cancel: ['draft', 'scheduled'],
    publish: ['draft', 'scheduled'],
    retry: ['failed'],
    unpublish: ['published'],
    delete: ['draft', 'scheduled', 'publishing', 'published', 'failed'],
    due: ['draft', 'scheduled', 'publishing', 'published', 'failed', 'removed'],
    wait: ['draft', 'scheduled', 'publishing', 'published', 'failed', 'removed'],
  };
  if (!goes[move].includes(state)) {
    if (state === 'removed') return 'post.not_found';
    return move === 'retry' && state !== 'published' ? 'post.no_retryable_deliveries' : invalid;
  }
  if (move === 'edit') model.events.push('post.updated');
  if (move === 'schedule') {
    if (state === 'draft') model.credits += 1;
    model.state = 'scheduled';
    model.events.push('post.updated');
  }
  if (move === 'cancel' && state === 'scheduled') {
    model.credits -= 1;
    model.state = 'draft';
    model.events.push('post.updated');
  }
  if (move === 'publish') {
    if (state === 'draft') model.credits += 1;
    ending(model, weather);
  }
  if (move === 'due' && state === 'scheduled') ending(model, weather);
  if (move === 'wait' && state === 'publishing') ending(model, 'fine');
  if (move === 'retry') {
    model.credits += 1;
    model.events.push('post.retried');
    ending(model, weather);
  }
  if (move === 'unpublish') {
    model.state = 'removed';
    model.events.push('post.unpublished');
  }
  if (move === 'delete') {
    // What only waited was never sent: the credit of this round comes back.
    if (state === 'scheduled' || (state === 'publishing' && model.held > 0)) model.credits -= 1;
    model.state = 'removed';
    model.events.push('post.deleted');
  }
  return undefined;
}

async function really(world: World, id: string, move: Move, n: number): Promise<void> {
  const { clock } = world;
  const change = (changes: object) => world.edit(id, { ...changes });
  if (move === 'edit') await change({ content: { text: `Edit ${n}` } });
  if (move === 'schedule') await change({ scheduledAt: clock.now() + HOUR + n });
  if (move === 'cancel') await change({ scheduledAt: null });
  if (move === 'publish') {
    await world.publish(id).catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.code !== 'post.publish_failed') throw error;
    });
  }
  if (move === 'retry') await world.retry(id);
  if (move === 'unpublish') await world.unpublish(id);
  if (move === 'delete') await world.remove(id);
  if (move === 'due') clock.move(HOUR + 10_000);
  if (move === 'wait') clock.move(60_000);
  await world.settle();
}

const MOVES: readonly Move[] = ['edit', 'schedule', 'cancel', 'publish', 'retry', 'unpublish', 'delete', 'due', 'wait'];
const steps = fc.array(
  fc.record({
    move: fc.oneof(
      { weight: 2, arbitrary: fc.constantFrom(...MOVES) },
      { weight: 3, arbitrary: fc.constantFrom<Move>('schedule', 'due', 'publish', 'retry') },
    ),
    weather: fc.constantFrom<Weather>('fine', 'refused', 'held', 'lost', 'unsent'),
  }),
  { minLength: 1, maxLength: 12 },
);

/**
 * For any order of moves and any weather a post is where the table says, has emitted its events, and has cost what it
 * may.
 */
export async function anyMoves(stores: Stores, numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const world = await makeWorld(stores);
      const account = await world.account('bluesky');
      const id = await world.make([account]);
      const model: Model = { state: 'draft', events: [], credits: 0, held: 0 };
      for (const [n, { move, weather }] of sequence.entries()) {
        // A wait ends in sunshine: its verdict was used up when it began. An hour is longer than any wait.
        if (move === 'due' && model.state === 'publishing') {
          expected(model, 'wait', 'fine');
          await really(world, id, 'due', n);
        } else {
          const publishes = ['publish', 'retry'].includes(move) || (move === 'due' && model.state === 'scheduled');
          const before = model.state;
          const code = expected(model, move, weather);
          if (publishes && code === undefined) {
            world.net.script(account, 'write', ...VERDICTS[weather]);
            model.held = weather === 'held' || weather === 'unsent' ? 1 : 0;
          }
          const moved = really(world, id, move, n);
          if (code === undefined) await moved;
          else await expect(moved, `${before}: ${move}`).rejects.toMatchObject({ code });
        }
        expect([move, await world.status(id)]).toEqual([move, model.state]);
        expect(await world.eventNames()).toEqual(model.events);
        expect(await world.used()).toBe(model.credits);
        const shown = model.state === 'published' ? 1 : 0;
        expect(world.net.texts()).toHaveLength(shown);
      }
    }),
    { numRuns },
  );
}
