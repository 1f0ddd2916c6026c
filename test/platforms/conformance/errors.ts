import { expect } from 'vitest';
import type { ErrorRow, ErrorTable, Failed } from '#platforms/shared/errors.ts';
import type { Instead } from '../../harness/platforms/gate.ts';
import type { Stage } from './stage.ts';
import type { Probe, Scene, Subject } from './subject.ts';

/** An answer of a platform in JSON. */
export const jsonAnswer = (status: number, body: object): Instead => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

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
    const { code, unlisted = false, passing = false } = typeof more === 'object' ? more : {};
    const about = typeof when === 'function' ? String(when) : JSON.stringify(when);
    return { row, about, kind, reason, isRest: unlisted, passing, code, instead: failed && answer(failed) };
  });
  return { rows, ask };
}

/** Samples of the rows that list values; the others need some of their own. */
export function samplesOf<F extends Failed>(rows: readonly ErrorRow<F>[], base: F): readonly F[] {
  return rows.flatMap(([when]) => {
    if (typeof when === 'function') return [];
    const all = Object.entries(when).map(([name, value]) => [value].flat().map((one) => ({ [name]: one as unknown })));
    if (Object.values(when).some((value) => value instanceof RegExp)) return [];
    return all.reduce<F[]>((made, field) => made.flatMap((one) => field.map((more) => ({ ...one, ...more }))), [base]);
  });
}

/** Has the platform answer with each error of each table, and holds what the caller gets to its row. */
export async function meetErrors(stage: Stage, scene: Scene, subject: Subject): Promise<number> {
  const { gate, world } = stage;
  const { slug } = subject.platform;
  const { store } = world.product;
  let met = 0;
  expectAllReached(subject);
  for (const { rows, ask } of subject.probes) {
    for (const { about, kind, reason, isRest, passing, code: own, instead } of rows) {
      if (!instead) continue;
      gate.arm(instead);
      const { status, body } = await ask(scene, stage.text('Error'));
      gate.arm();
      const code = status === 200 ? 'done' : body.error.code;
      // What may pass was tried again, or looked up; what was refused for good was not.
      const mayPass =
        passing || kind === 'unknown' || (reason === 'auth' && subject.platform.connect.refresh !== undefined);
      // A send whose result nobody knows says so, whatever the code.
      const reasoned = own === undefined || kind === 'unknown' ? [`platform.${slug}.${reason}`] : ([] as string[]);
      if (isRest) reasoned.push(`platform.${slug}.invalid_request`);
      const expected = [...reasoned, ...(own === undefined ? [] : [own]), ...(mayPass ? ['done'] : [])];
      if (reason === 'not_found') expected.push('post.not_found', 'resource.not_found');
      expect([about, expected.includes(code) || code]).toEqual([about, true]);
      await store.write(({ db }) => db.updateTable('accounts').set({ status: 'active' }).execute());
      met += 1;
    }
  }
  return met;
}

/** A row may be overruled in one table of a platform, but not in all that have it. */
function expectAllReached({ probes }: Subject): void {
  const rows = probes.flatMap((probe) => probe.rows);
  const reached = new Set(rows.filter(({ instead }) => instead).map(({ row }) => row));
  expect(rows.filter(({ row }) => !reached.has(row)).map(({ about }) => about)).toEqual([]);
}
