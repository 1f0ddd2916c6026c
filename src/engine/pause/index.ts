import { findOwner } from '#db/access/users.ts';
import { failActions } from '#db/leash/actions.ts';
import { endFollowUps } from '#db/posts/target-queue.ts';
import { databaseInUse } from '#db/store/processes.ts';
import { isSameLocation, isStillThere, type StoreLocation } from '#db/store/location.ts';
import { PAUSED, readSetting, writeSetting } from '#db/store/settings.ts';
import { isFileInUse } from '#db/store/sqlite/process-lock.ts';
import type { Store } from '#db/store/store.ts';
import { every, type Clock } from '#kernel/clock.ts';
import { fail } from '#kernel/errors.ts';
import type { Log } from '#kernel/log.ts';
import { claim, comeHome, homeOf, leaveHome, lookHome, settle, unclaim, type Strayed } from './home.ts';

/** How often a paused server checks whether somebody has taken over. */
const LOOK_MS = 1000;

export type Paused = Readonly<{ why: string; ending: string; byHand: boolean; strayed?: Strayed | undefined }>;

/** Whether a takeover publishes posts that were due or running, which the original server may have published. */
export type TakeOver = Readonly<{ publishDue: boolean }>;

export type PauseDeps = Readonly<{
  store: Store;
  clock: Clock;
  log: Log;
  /** The setting PAUSED: always paused, never, or (undefined) if the store is not at home. */
  setting: 'on' | 'off' | undefined;
  /** The name of this installation. */
  installation: string | undefined;
}>;

const BY_HAND: Paused = Object.freeze({
  why: 'It was started with PAUSED=on or --paused.',
  ending: 'Start it without them to end the pause.',
  byHand: true,
});
const BEGINNING: Paused = Object.freeze({
  why: 'It was taken over, and its own work has not begun yet.',
  ending: 'It starts on its own. If it does not, the log says what fails.',
  byHand: true,
});
const ENDING =
  'If the server it comes from goes on, leave it so. Otherwise end it with `rostra take-over`, or in the dashboard under Take over.';

/** Decides whether the server may do anything visible to others; with a copied store, only after a takeover. */
export async function openPause({ store, clock, log, setting, installation }: PauseDeps) {
  const here = await locationOf(store, installation);
  let begin = async () => {};
  // Only the server stores where the store is; another process may see it under another path.
  let isServer = false;
  let isEnding = false;
  let stop = () => {};
  let paused = await look();
  if (paused !== undefined)
    log.warn({ why: paused.why, from: paused.strayed?.from, to: paused.strayed?.to }, `paused. ${paused.ending}`);

  async function look(): Promise<Paused | undefined> {
    if (setting === 'on') return BY_HAND;
    if (here === undefined) return undefined;
    if (setting === 'off') {
      if (isServer) await settle(store, here);
      return undefined;
    }
    const strayed = await (isServer ? comeHome(store, here) : lookHome(store.db, here));
    return strayed && { why: strayed.why, ending: ENDING, byHand: false, strayed };
  }

  async function mark({ why }: Strayed): Promise<void> {
    await store.write((tx) => writeSetting(tx.db, PAUSED, JSON.stringify({ why, since: clock.now() })));
  }

  /** Starts the server's work once somebody has taken over; retries if that fails. */
  async function lookAgain(): Promise<void> {
    if (isEnding || paused === undefined) return;
    isEnding = true;
    try {
      if (paused !== BEGINNING) paused = (await look()) ?? BEGINNING;
      if (paused !== BEGINNING) return;
      await begin();
      stop();
      paused = undefined;
      log.info({}, 'taken over: the pause has ended');
    } catch (error) {
      log.warn({ error }, 'ending the pause failed, and is tried again');
    } finally {
      isEnding = false;
    }
  }

  /** Checks repeatedly for a takeover until there is one. */
  function watch(): void {
    stop();
    if (paused !== undefined) stop = every(clock, LOOK_MS, () => void lookAgain());
  }

  return Object.freeze({
    state: () => paused,
    /** Throws while paused; called before anything reaches a platform, a webhook receiver or a provider. */
    refuse(): void {
      if (paused !== undefined && paused !== BEGINNING) fail('system.paused');
    },
    /** Starts the server's own work now, or when the pause ends. */
    async whenOver(work: () => Promise<void>): Promise<void> {
      isServer = true;
      begin = work;
      paused = await look();
      if (paused === undefined) return work();
      if (paused.strayed) await mark(paused.strayed);
      watch();
    },
    watch,
    isOwner: async (userId: string) => (await findOwner(store.db))?.id === userId,
    lookAgain,
    stop: () => stop(),
  });
}

export type Pause = Awaited<ReturnType<typeof openPause>>;

type TakeOverDeps = Readonly<{
  store: Store;
  clock: Clock;
  installation: string | undefined;
  giveUpDue: () => Promise<number>;
}>;

/** Why a takeover may be a mistake: no server has noticed that the store moved, so one may still be using it. */
export async function doubtsTakeOver(store: Store, installation: string | undefined): Promise<string | undefined> {
  const here = await locationOf(store, installation);
  const strayed = here && (await lookHome(store.db, here));
  if (strayed === undefined || strayed.fromBackup || (await readSetting(store.db, PAUSED)) !== undefined)
    return undefined;
  return `${strayed.why} It was last used at ${strayed.from}, and is ${strayed.to} for this command.`;
}

/** The file or database that the store was copied from, if a server on this machine or cluster is using it. */
export async function originalAtWork(store: Store, installation: string | undefined): Promise<string | undefined> {
  const here = await locationOf(store, installation);
  const home = await homeOf(store.db);
  if (here === undefined || home === undefined || isSameLocation(home, here)) return undefined;
  if (home.path === undefined) {
    const { cluster, database } = home;
    if (cluster === undefined || cluster !== here.cluster || database === here.database) return undefined;
    const name = await databaseInUse(store.db, database!);
    return name && `the database ${name}`;
  }
  // The same store under another name, which its own paused server is using.
  if (home.path === here.path) return undefined;
  return isStillThere(home) && isFileInUse(home.path) ? home.path : undefined;
}

/** Ends the pause of the store's servers; returns how many targets it failed, undefined if nothing is paused. */
export async function takeOver(deps: TakeOverDeps, { publishDue }: TakeOver): Promise<number | undefined> {
  const { store, clock, installation, giveUpDue } = deps;
  const claimed = await claim(store, await locationOf(store, installation), clock.now());
  if (claimed === undefined) return undefined;
  try {
    const givenUp = publishDue ? 0 : await giveUpDue();
    await store.write(async (tx) => {
      if (!publishDue) {
        await endFollowUps(tx.db);
        await failActions(tx.db, clock.now(), 'system.paused');
      }
      await leaveHome(tx.db);
    });
    return givenUp;
  } catch (error) {
    await unclaim(store, claimed).catch(() => {});
    throw error;
  }
}

export async function locationOf(
  store: Pick<Store, 'location'>,
  name: string | undefined,
): Promise<StoreLocation | undefined> {
  const location = await store.location();
  return location && { ...location, ...(name !== undefined && { name }) };
}
