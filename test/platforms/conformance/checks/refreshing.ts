import { MINUTE } from '#kernel/clock.ts';
import { expect } from 'vitest';
import type { Json } from '#test/harness/world.ts';
import { NEVER } from '#db/schema/database.ts';
import { lastRequest, upset } from './faults.ts';
import type { Stage } from '../stage.ts';
import type { Door, Refresh, Subject } from '../subject.ts';

/** Twice: a lost answer is asked for once more at once. */
const BOTH = 2;

/** The requests that have renewed sessions on a simulator, by the person. */
export async function renewals(
  { control }: Pick<Door, 'control'>,
  { network, method, after }: Readonly<{ network: string; method: string; after: number }>,
): Promise<Readonly<Record<string, number>>> {
  const entries = (await control(`requests?method=${encodeURIComponent(method)}`)) as readonly Json[];
  const ours = entries.filter((one) => one.network === network && one.id > after);
  return Object.fromEntries(
    Object.entries(Object.groupBy(ours, ({ person }) => String(person))).map(([person, all]) => [person, all!.length]),
  );
}

/** Loses the answers of the next refresh of everybody whose session was renewed after an entry of the journal. */
export async function loseRenewals(door: Door, asked: Parameters<typeof renewals>[1]): Promise<void> {
  const { network, method } = asked;
  const people = Object.keys(await renewals(door, asked));
  for (const person of people) await upset(door, { network, person, method }, 'lost', BOTH);
}

/** How an account has ended after the answers of a refresh were lost. */
export const statusAfterLoss = ({ isSingleUse }: Refresh): string => (isSingleUse ? 'reconnect_required' : 'active');

/** The status of an account. */
export async function statusOf({ rest }: Pick<Door, 'rest'>, account: string): Promise<string> {
  const { data } = (await rest('GET /v1/accounts')).body;
  return (data as readonly Json[]).find(({ id }) => id === account).status;
}

/** Lets the session of an account be renewed, then loses the answer: it goes on or has to be connected again. */
export async function renewSession(stage: Stage, subject: Subject): Promise<void> {
  const { world } = stage;
  const { account } = await subject.connect(stage, 0);
  await stage.hear();
  const { db } = world.product.store;
  const row = await db.selectFrom('accounts').select('refresh_at').where('id', '=', account).executeTakeFirstOrThrow();
  // Who issues sessions that end says in the subject how they are renewed.
  expect(row.refresh_at < NEVER).toBe(subject.refresh !== undefined);
  if (subject.refresh === undefined) return;

  const { method, dueMs } = subject.refresh;
  const network = subject.platform.slug;
  const asked = async (after: number) => Object.values(await renewals(stage, { network, method, after }));
  const before = await lastRequest(stage);
  await world.pass(dueMs + MINUTE);
  expect([await asked(before), await statusOf(stage, account)]).toEqual([[1], 'active']);

  await loseRenewals(stage, { network, method, after: before });
  const lost = await lastRequest(stage);
  await world.pass(dueMs + MINUTE);
  for (let minutes = 0; minutes < 10; minutes += 1) await world.pass(MINUTE);
  const [tries] = await asked(lost);
  expect([tries! <= BOTH + 1, await statusOf(stage, account)]).toEqual([true, statusAfterLoss(subject.refresh)]);
  if (!subject.refresh.isSingleUse) return;
  await world.pass(dueMs + MINUTE);
  expect(await asked(lost)).toEqual([tries]);
}
