import { describe, expect, it } from 'vitest';
import { RefusedError } from '#dashboard/lib/call.ts';
import { cureOf, makeMigration, reasonOf } from '#dashboard/migration/model.ts';
import { answering, anEvent } from '../answers.ts';

const aMigration = (more: object = {}) =>
  ({
    started: false,
    authorisation: { text: 'I may.', version: 'v1' },
    assessment: null,
    assessment_error: null,
    cut_over: 0,
    ...more,
  }) as any;
const assessed = aMigration({ started: true, assessment: { servable_accounts: 2 } });

function open(first: any, answers: Parameters<typeof answering>[0] = {}) {
  const said: string[] = [];
  const waiting: (() => void)[] = [];
  const { call, calls } = answering(answers);
  const model = makeMigration({
    call,
    provider: 'zernio',
    first,
    newKey: () => 'pressed',
    later: (run) => void waiting.push(run),
    say: (text) => void said.push(text),
  });
  return { model, calls, said, settle: () => waiting.splice(0).at(-1)?.() };
}

describe('a migration', () => {
  it('starts with a key and the version of the text that was accepted', async () => {
    const { model, calls } = open(aMigration(), { start_migration: () => assessed });
    const done = () => model.steps.value.map(({ isDone }) => isDone);
    expect(done()).toEqual([false, false, false, false]);
    expect(await model.start('sk_1')).toBe(true);
    expect(calls[0]).toEqual([
      'start_migration',
      { provider: 'zernio', api_key: 'sk_1', authorisation_version: 'v1' },
      'pressed',
    ]);
    expect(done()).toEqual([true, true, false, false]);
  });

  it('says at the field what is wrong with a key', async () => {
    const { model, said } = open(aMigration(), {
      start_migration() {
        const meta = { field: 'api_key' };
        throw new RefusedError(400, { code: 'validation.field_invalid', message: 'No key.', request_id: 'r', meta });
      },
    });
    expect(await model.start('two words')).toBe(false);
    expect([model.problem.value, said]).toEqual(['No key.', []]);
  });

  it('is looked at again, and says why the accounts could not be read', async () => {
    const failed = aMigration({ started: true, assessment_error: 'migration.key_invalid' });
    const { model, calls, said } = open(assessed, { get_migration: () => failed });
    await model.look();
    expect([calls[0]![1], said]).toEqual([{ provider: 'zernio', refresh: true }, []]);
    expect(cureOf(model.migration.value.assessment_error!)).toMatch(/^The key is not accepted/);
    expect(reasonOf('ads')).toContain('ads');
  });

  it('goes on as accounts are connected', async () => {
    const { model, settle } = open(assessed, { get_migration: () => ({ ...assessed, cut_over: 1 }) });
    model.heard(anEvent({ category: 'post' }));
    expect(settle()).toBeUndefined();
    model.heard(anEvent({ category: 'account', action: 'connected' }));
    settle();
    await expect.poll(() => model.migration.value.cut_over).toBe(1);
  });

  it('is stopped', async () => {
    const { model, said } = open(assessed, { stop_migration: () => ({}), get_migration: () => aMigration() });
    await model.stop();
    expect([model.migration.value.started, said[0]]).toEqual([false, expect.stringMatching(/^Stopped/)]);
  });
});
