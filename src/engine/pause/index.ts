import { findOwner } from '#db/access/users.ts';
import { failActions } from '#db/leash/actions.ts';
import { endFollowUps } from '#db/posts/target-queue.ts';
import type { StoreLocation } from '#db/store/location.ts';
import { PAUSED, writeSetting } from '#db/store/settings.ts';
import type { Store } from '#db/store/store.ts';
import { every, type Clock } from '#kernel/clock.ts';
import { fail } from '#kernel/errors.ts';
import type { Log } from '#kernel/log.ts';
import { isAway, leaveHome, lookHome, settle, type Strayed } from './home.ts';

/** How often a paused server looks whether somebody has taken over. */
const LOOK_MS = 1000;

/** Why a server does nothing by itself, and how that ends. */
export type Paused = Readonly<{ why: string; ending: string; byHand: boolean; strayed?: Strayed | undefined }>;

/** What a takeover does with posts that were due or under way: the server that this is a copy of may have published them. */
export type TakeOver = Readonly<{ publishDue: boolean }>;

export type PauseDeps = Readonly<{
  store: Store;
  clock: Clock;
  log: Log;
  /** PAUSED: by hand, never, or where the store is not at home. */
  setting: 'on' | 'off' | undefined;
  /** The name of this installation. */
  installation: string | undefined;
}>;

const BY_HAND: Paused = Object.freeze({
  why: 'It was started so (PAUSED=on or --paused).',
  ending: 'It ends with a start without that.',
  byHand: true,
});
const ENDING =
  'If the server it comes from goes on, leave it so. Otherwise end it with `rostra take-over`, or in the dashboard under Take over.';

/** Whether the server may do anything that others notice; a copy of a store may not until somebody takes over. */
export async function openPause({ store, clock, log, setting, installation }: PauseDeps) {
  const here = await locationOf(store, installation);
  let begin: (() => Promise<void>) | undefined;
  let isEnding = false;
  let stop = () => {};
  let paused = await look();
  if (paused?.strayed) await mark(paused.strayed);
  if (paused !== undefined)
    log.warn({ why: paused.why, from: paused.strayed?.from, to: paused.strayed?.to }, `paused. ${paused.ending}`);

  async function look(): Promise<Paused | undefined> {
    if (setting === 'on') return BY_HAND;
    if (here === undefined) return undefined;
    if (setting === 'off') {
      await settle(store, here);
      return undefined;
    }
    const strayed = await lookHome(store, here);
    return strayed && { why: strayed.why, ending: ENDING, byHand: false, strayed };
  }

  async function mark({ why }: Strayed): Promise<void> {
    await store.write((tx) => writeSetting(tx.db, PAUSED, JSON.stringify({ why, since: clock.now() })));
  }

  /** Begins once somebody has taken over; a failed look is repeated. */
  async function lookAgain(): Promise<void> {
    if (isEnding || paused === undefined) return;
    isEnding = true;
    try {
      paused = await look();
      if (paused !== undefined) return;
      stop();
      log.info({}, 'taken over: the pause has ended');
      await begin?.();
    } catch (error) {
      log.warn({ error }, 'looking for a takeover failed');
    } finally {
      isEnding = false;
    }
  }

  return Object.freeze({
    state: () => paused,
    /** Refuses what reaches a platform, a receiver or a provider. */
    refuse(): void {
      if (paused !== undefined) fail('system.paused');
    },
    /** Begins the server's own work, now or when the pause ends. */
    async whenOver(work: () => Promise<void>): Promise<void> {
      if (paused === undefined) return work();
      begin = work;
      stop = every(clock, LOOK_MS, () => void lookAgain());
    },
    isOwner: async (userId: string) => (await findOwner(store.db))?.id === userId,
    lookAgain,
    stop: () => stop(),
  });
}

export type Pause = Awaited<ReturnType<typeof openPause>>;

type TakeOverDeps = Readonly<{ store: Store; clock: Clock; giveUpDue: () => Promise<number> }>;

/** Ends the pause of a store's servers; answers how many targets were given up, undefined where nothing is paused. */
export async function takeOver({ store, clock, giveUpDue }: TakeOverDeps, { publishDue }: TakeOver) {
  if (!(await isAway(store.db))) return undefined;
  const givenUp = publishDue ? 0 : await giveUpDue();
  await store.write(async (tx) => {
    if (!publishDue) {
      await endFollowUps(tx.db);
      await failActions(tx.db, clock.now(), 'system.paused');
    }
    await leaveHome(tx.db);
  });
  return givenUp;
}

async function locationOf(store: Store, name: string | undefined): Promise<StoreLocation | undefined> {
  const location = await store.location();
  return location && { ...location, ...(name !== undefined && { name }) };
}
