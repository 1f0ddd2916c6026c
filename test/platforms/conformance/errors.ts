import { expect } from 'vitest';
import type { ErrorRow, ErrorTable, Failed } from '../../../src/platforms/shared/errors.ts';
import type { Instead } from '../../harness/platforms/gate.ts';
import type { Stage } from './stage.ts';
import type { Probe, Scene, Subject } from './subject.ts';

/** An error table of a connector, how the platform words an error, and an operation whose next request meets it. */
export function probeOf<F extends Failed>(
  table: ErrorTable<F>,
  {
    samples,
    answer,
    ask,
  }: Readonly<{
    samples: readonly F[];
    answer(failed: F): Instead;
    ask(scene: Scene, text: string): ReturnType<Probe['ask']>;
  }>,
): Probe {
  const rows = table.rows.map((row) => {
    const failed = samples.find((sample) => table.rowOf(sample) === row);
    const [when, kind, reason, more] = row;
    const about = JSON.stringify(when) ?? String(when);
    return { about, kind, reason, more, instead: failed && answer(failed) };
  });
  return { rows, ask };
}

/** Samples of the rows that list values; the others need some of their own. */
export function samplesOf<F extends Failed>(rows: readonly ErrorRow<F>[], base: F): readonly F[] {
  return rows.flatMap(([when]) => {
    if (typeof when === 'function') return [];
    const fields = Object.entries(when).map(([name, value]): [string, unknown] => [name, [value].flat()[0]]);
    return fields.some(([, value]) => value instanceof RegExp) ? [] : [{ ...base, ...Object.fromEntries(fields) }];
  });
}

/** Has the platform answer with each error of each table, and holds what the caller gets to its row. */
export async function meetErrors(stage: Stage, scene: Scene, subject: Subject): Promise<number> {
  const { gate, world } = stage;
  const { slug } = subject.platform;
  const { store } = world.product;
  let met = 0;
  for (const { rows, ask } of subject.probes) {
    expect(rows.filter(({ instead }) => instead === undefined)).toEqual([]);
    for (const { about, kind, reason, more, instead } of rows) {
      gate.arm(instead);
      const { status, body } = await ask(scene, stage.text('Error'));
      gate.arm();
      const code = status === 200 ? 'done' : body.error.code;
      const isExpired = typeof more === 'object' && more.expired === true;
      // What may pass was tried again, or looked up; what was refused for good was not.
      const expected = [`platform.${slug}.${reason}`, ...(kind === 'unknown' || isExpired ? ['done'] : [])];
      if (reason === 'not_found') expected.push('post.not_found');
      expect([about, expected.includes(code) || code]).toEqual([about, true]);
      await store.write(({ db }) => db.updateTable('accounts').set({ status: 'active' }).execute());
      met += 1;
    }
  }
  return met;
}
