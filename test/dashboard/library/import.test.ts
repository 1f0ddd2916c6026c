import { describe, expect, it } from 'vitest';
import { makeImport, type SendImport } from '#dashboard/import/model.ts';
import { aRefusal } from '../answers.ts';

const aReport = (created: number, errors: readonly object[] = []) =>
  ({ created, failed: errors.length, total_rows: created + errors.length, errors }) as any;
const aFile = (text = 'text\nBread\n', name = 'posts.csv') => new File([text], name);

function open(answer: (file: File, how: Parameters<SendImport>[1]) => unknown) {
  let keys = 0;
  const sent: (readonly [name: string, isCheck: boolean, key: string])[] = [];
  const model = makeImport({
    newKey: () => `key ${++keys}`,
    zone: 'Europe/Amsterdam',
    async send(file, how) {
      sent.push([file.name, how.isCheck, how.key]);
      return (await answer(file, how)) as any;
    },
  });
  return { model, sent, step: () => model.step.value.name };
}

describe('an import', () => {
  it('is checked first, with its progress, and creates posts when the person says so', async () => {
    const shares: unknown[] = [];
    const { model, sent, step } = open((_, { isCheck, onShare }) => {
      onShare(0.5);
      shares.push(model.step.value);
      return aReport(isCheck ? 2 : 1);
    });
    await model.check(aFile());
    expect([step(), sent.map(([, isCheck]) => isCheck)]).toEqual(['checked', [true]]);
    await model.run();
    expect([step(), sent.map(([, isCheck]) => isCheck)]).toEqual(['imported', [true, false]]);
    expect(shares).toMatchObject([
      { name: 'checking', share: 0.5 },
      { name: 'importing', share: 0.5 },
    ]);
    await model.run();
    expect(sent).toHaveLength(2);
  });

  it('imports what was checked, also if the file changed meanwhile', async () => {
    const texts: string[] = [];
    const { model } = open(async (file) => {
      texts.push(await file.text());
      return aReport(1);
    });
    const onDisk = { name: 'posts.csv', size: 4, arrayBuffer: async () => new TextEncoder().encode('text').buffer };
    await model.check(onDisk as never);
    onDisk.arrayBuffer = () => Promise.reject(new Error('changed'));
    await model.run();
    expect(texts).toEqual(['text', 'text']);
  });

  it('keeps its key until it is settled, so that nothing is created twice', async () => {
    const answers = [
      () => aReport(2),
      () => Promise.reject(new Error('The connection was lost.')),
      () => Promise.reject(aRefusal('The plan is used up.', 402)),
      () => aReport(2),
    ];
    const { model, sent, step } = open(() => answers.shift()!());
    await model.check(aFile());
    await model.run();
    expect([step(), model.problem.value]).toEqual(['checked', expect.stringContaining('creates nothing twice')]);
    await model.run();
    expect([step(), model.problem.value]).toEqual(['checked', 'The plan is used up.']);
    await model.run();
    const [, lost, again, fresh] = sent.map(([, , key]) => key);
    expect([again === lost, fresh === lost, step(), model.problem.value]).toEqual([true, false, 'imported', undefined]);
  });

  it('of another file has another key, and takes the place of one that is being checked', async () => {
    const first = Promise.withResolvers<object>();
    const { model, sent } = open(({ name }) => (name === 'a.csv' ? first.promise : aReport(1)));
    const checking = model.check(aFile('text\nA\n', 'a.csv'));
    await model.check(aFile('text\nB\n', 'b.csv'));
    first.resolve(aReport(7));
    await checking;
    expect(model.step.value).toMatchObject({ name: 'checked', file: { name: 'b.csv' }, report: { created: 1 } });
    await model.run();
    await model.check(aFile());
    await model.run();
    expect(new Set(sent.map(([, , key]) => key)).size).toBe(sent.length);
  });

  it('says why a file cannot be checked, and takes none while it runs', async () => {
    const running = Promise.withResolvers<object>();
    const answers = [() => Promise.reject(aRefusal('Unknown column: texts.')), () => aReport(1), () => running.promise];
    const { model, sent, step } = open(() => answers.shift()!());
    await model.check(aFile());
    expect([step(), model.problem.value]).toEqual(['choosing', 'Unknown column: texts.']);
    await model.check({ name: 'huge.csv', size: 11 * 1024 * 1024 } as File);
    expect([step(), model.problem.value]).toEqual(['choosing', expect.stringContaining('huge.csv is larger than')]);
    await model.check(aFile());
    const run = model.run();
    await model.check(aFile());
    expect([step(), sent.length]).toEqual(['importing', 3]);
    running.resolve(aReport(1));
    await run;
    expect(step()).toBe('imported');
  });

  it('shows the first refused rows, in words for people, and all of them on request', async () => {
    const message = 'The same content went to x @a (skip_duplicate_check allows it). Look at that post with get_post.';
    const errors = Array.from({ length: 60 }, (_, at) => ({ row: at + 2, code: 'resource.conflict', message }));
    const { model } = open(() => aReport(0, errors));
    await model.check(aFile());
    expect([model.errors.value.shown.length, model.errors.value.more]).toEqual([50, 10]);
    expect(model.errors.value.shown[0]).toMatchObject({ row: 2, message: 'The same content went to x @a.' });
    model.showAll();
    expect([model.errors.value.shown.length, model.errors.value.more]).toEqual([60, 0]);
  });
});
