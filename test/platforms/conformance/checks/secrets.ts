import { sql } from 'kysely';
import { expect } from 'vitest';
import { tablesOf } from '#test/harness/stores/images.ts';
import type { Stage } from '../stage.ts';

/** Looks for everything secret that passed the gate: in the log, and in the rows of every table. */
export async function expectNoSecrets({ world, gate }: Stage): Promise<void> {
  expect(gate.secrets.size).toBeGreaterThan(0);
  const { db } = world.product.store;
  const places = new Map([['log', world.log.join('\n')]]);
  for (const name of await tablesOf()) {
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(db);
    places.set(name, JSON.stringify(rows));
  }
  for (const [place, text] of places) {
    expect([place, [...gate.secrets].filter((secret) => text.includes(secret))]).toEqual([place, []]);
  }
}
