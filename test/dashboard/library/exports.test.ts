import { describe, expect, it } from 'vitest';
import { canExport, makeExports } from '#dashboard/exports/model.ts';
import { answering, anEvent, aRefusal } from '../answers.ts';

const anExport = (id: string, more: object = {}) =>
  ({ id, account_id: 'a', status: 'completed', expires_at: null, warnings: [], ...more }) as any;
const pageOf = (data: readonly any[], next = '') =>
  ({ data, exports: data, pagination: { has_more: next !== '', next_cursor: next } }) as any;

function open(first: readonly any[], answers: Parameters<typeof answering>[0] = {}, next = '') {
  const said: string[] = [];
  const waiting: (() => void)[] = [];
  const waits: number[] = [];
  const { call, calls } = answering(answers);
  const model = makeExports({
    call,
    first: pageOf(first, next),
    newKey: () => 'pressed',
    clock: () => Date.parse('2026-01-10T00:00:00Z'),
    later: (run) => void waiting.push(run),
    soon(run, ms) {
      waits.push(ms);
      waiting.push(run);
    },
    say: (text) => void said.push(text),
  });
  const ids = () => model.exports.value.map(({ id }) => id);
  return { model, calls, said, waits, ids, settle: () => waiting.splice(0).at(-1)?.() };
}

describe('exports', () => {
  it('are waiting, running, ready, expired or failed', () => {
    const { model } = open([]);
    const states = [
      anExport('a', { status: 'pending' }),
      anExport('b', { status: 'processing' }),
      anExport('c', { expires_at: '2026-01-11T00:00:00Z' }),
      anExport('d', { expires_at: '2026-01-09T00:00:00Z' }),
      anExport('e', { status: 'failed' }),
    ].map((one) => model.stateOf(one));
    expect(states).toEqual(['waiting', 'running', 'ready', 'expired', 'failed']);
  });

  it('are made, and followed until they are ready; then their files are kept fresh', async () => {
    const { model, ids, said, calls, waits, settle } = open([anExport('a')], {
      create_export: () => anExport('b', { status: 'pending' }),
      list_exports: () => pageOf([anExport('b'), anExport('a')]),
    });
    await model.make('acc', { transcripts: true, vision: false });
    expect([ids(), said]).toEqual([['b', 'a'], ['The export has begun.']]);
    expect(calls[0]).toEqual([
      'create_export',
      { account_id: 'acc', include_transcript: true, include_vision: false },
      'pressed',
    ]);
    settle();
    await expect.poll(() => waits).toEqual([3000, 600_000]);
    expect(model.exports.value.map(({ status }) => status)).toEqual(['completed', 'completed']);
  });

  it('say that the list is old where it could not be read', async () => {
    let fails = true;
    const { model, settle } = open([anExport('a')], {
      list_exports() {
        if (fails) throw aRefusal('Busy.', 503);
        return pageOf([anExport('a')]);
      },
    });
    model.heard(anEvent({ category: 'account', action: 'export_completed' }));
    settle();
    await expect.poll(() => model.isStale.value).toBe(true);
    fails = false;
    settle();
    await expect.poll(() => model.isStale.value).toBe(false);
  });

  it('are deleted, and leave the list when others delete them', async () => {
    const { model, ids, said, calls } = open([anExport('c'), anExport('b'), anExport('a')], {
      delete_export({ export_id }) {
        if (export_id === 'a') throw aRefusal('Gone.', 404);
        return { success: true, ok: true, id: export_id };
      },
    });
    await model.remove(model.exports.value[0]!);
    await model.remove(model.exports.value[1]!);
    expect([ids(), said]).toEqual([['b'], ['The export is deleted.', 'The export is deleted.']]);
    expect(calls[0]).toEqual(['delete_export', { export_id: 'c' }, 'pressed']);
    model.heard(anEvent({ category: 'account', action: 'export_deleted', resource_id: 'b' }));
    expect(ids()).toEqual([]);
  });

  it('that are deleted stay away, also where a list arrives that was read before', async () => {
    const early = Promise.withResolvers<any>();
    const { model, ids } = open([anExport('a', { status: 'processing' })], {
      list_exports: () => early.promise,
      delete_export: () => ({}),
    });
    const reading = model.refresh();
    await model.remove(model.exports.value[0]!);
    early.resolve(pageOf([anExport('a', { status: 'processing' })]));
    await reading;
    expect(ids()).toEqual([]);
  });

  it('are listed page by page', async () => {
    const { model, ids } = open(
      [anExport('b')],
      { list_exports: () => pageOf([anExport('b'), anExport('a')]) },
      'next',
    );
    await model.more();
    expect([ids(), model.hasMore.value]).toEqual([['b', 'a'], false]);
  });

  it('are possible where the platform lists posts', () => {
    expect([canExport({ capabilities: ['sync of posts'] } as any), canExport({ capabilities: [] } as any)]).toEqual([
      true,
      false,
    ]);
  });
});
