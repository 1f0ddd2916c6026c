import { HOUR } from '#kernel/clock.ts';
import { expect, test } from 'vitest';
import { PlatformError } from '#platforms/errors.ts';
import { review } from '../../harness/platforms/inbound.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import { makeInboxWorld } from '../../harness/worlds/inbound.ts';

const named = (platform_id: string, edited?: true) =>
  ({ kind: 'review_named', platform_id, ...(edited && { edited }) }) as const;

describeStores('a review that a push only names', (stores) => {
  /** What the platform shows, by id; what is not there is not there yet. */
  const it = test.extend('played', async () => {
    const shown = new Map<string, string>();
    const world = await makeInboxWorld(stores, {
      google: {
        complete(event) {
          if (event.kind !== 'review_named') return event;
          const { platform_id, edited } = event;
          const text = shown.get(platform_id);
          if (text === undefined) throw new PlatformError('refused', 'not_found', 'Unknown.');
          const at = world.clock.now();
          const found = review(platform_id, { text, created_at: at, updated_at: at });
          return { kind: 'review', review: found, ...(edited && { edited }) };
        },
      },
    });
    return { world, shown, account: await world.account('google') };
  });

  it('is read, stored and reported once, however often it is named', async ({ played: { world, shown, account } }) => {
    shown.set('r1', 'Good');
    for (let time = 0; time < 2; time += 1) await world.pushed(account, [named('r1')]);
    expect((await world.rows('reviews')).map(({ text }) => text)).toEqual(['Good']);
    expect((await world.events()).map(({ event }) => event)).toEqual(['review.received']);
  });

  it('waits until the platform knows it', async ({ played: { world, shown, account } }) => {
    await world.pushed(account, [named('r1')]);
    expect([await world.rows('reviews'), (await world.rows('pushes')).length]).toEqual([[], 1]);
    shown.set('r1', 'Good');
    await world.pass(HOUR);
    expect([(await world.rows('reviews')).length, await world.rows('pushes')]).toEqual([1, []]);
    expect((await world.events()).map(({ event }) => event)).toEqual(['review.received']);
  });

  it('is given up when it never turns up', async ({ played: { world, account } }) => {
    await world.push(account, [named('gone')]);
    for (let time = 0; time < 30; time += 1) await world.pass(3 * HOUR);
    expect([await world.rows('reviews'), await world.rows('pushes')]).toEqual([[], []]);
  });

  it('is renewed without an event when it was edited', async ({ played: { world, shown, account } }) => {
    shown.set('r1', 'Good');
    await world.pushed(account, [named('r1')]);
    world.clock.move(1000);
    shown.set('r1', 'Better');
    shown.set('old', 'From before');
    await world.pushed(account, [named('r1', true), named('old', true)]);
    const texts = (await world.rows('reviews')).map(({ text }) => text as string);
    expect(texts.toSorted()).toEqual(['Better', 'From before']);
    expect((await world.events()).map(({ event }) => event)).toEqual(['review.received']);
  });
});
