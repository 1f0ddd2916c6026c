import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { makeWorkshop } from '#engine/media/pictures/workshop.ts';
import type { PictureTask } from '#engine/media/pictures/tasks.ts';

const folder = mkdtempSync(join(tmpdir(), 'rostra-workshop-'));
afterAll(() => rmSync(folder, { recursive: true }));

const TASK: PictureTask = { kind: 'thumbnail', from: 'a', type: 'image/png', to: 'b', width: 9 };
const task = (from: string): PictureTask => ({ ...TASK, from });

/** A workshop whose process does `body` when it gets a `task`. */
function workshopOf(body: string, { greeting = `'ready'`, longestMs = 60_000 } = {}) {
  const program = join(folder, `${Math.random()}.mjs`);
  writeFileSync(program, `process.on('message', (task) => { ${body} });\nprocess.send(${greeting});\n`);
  const workshop = makeWorkshop({ warn: () => {} }, { program, longestMs });
  onTestFinished(() => workshop.close());
  return workshop;
}

const ECHO = `process.send({ result: { refused: task.from } })`;

describe('the process for pictures', () => {
  it.for(['SIGSEGV', 'SIGBUS', 'SIGABRT', 'SIGILL'])('refuses the picture that ends it by %s', async (signal) => {
    const { run } = workshopOf(`process.kill(process.pid, '${signal}')`);
    expect(await run(TASK)).toEqual({ refused: 'cannot be read: it is damaged or incomplete' });
  });

  it.for(['SIGKILL', 'SIGTERM', 'SIGINT'])('blames no picture where %s from outside ends it', async (signal) => {
    const { run } = workshopOf(`process.kill(process.pid, '${signal}')`);
    await expect(run(TASK)).rejects.toThrow(signal);
  });

  it('blames nothing on a picture that is gone', async () => {
    const workshop = makeWorkshop({ warn: () => {} });
    onTestFinished(() => workshop.close());
    const missing = { ...TASK, from: join(folder, 'missing.png') };
    await expect(workshop.run(missing)).rejects.toThrow('missing');
  });

  it('is ended when it takes too long', async () => {
    const { run } = workshopOf('for (;;);', { longestMs: 50 });
    expect(await run(TASK)).toEqual({ refused: 'takes too long to convert' });
  });

  it('is another one after a picture that took too much memory', async () => {
    const { run } = workshopOf(
      `process.send({ result: { refused: String(process.pid) }, leaving: true }, () => process.kill(process.pid, 'SIGKILL'))`,
    );
    expect(await run(TASK)).not.toEqual(await run(TASK));
  });

  it('is not started again after the end', async () => {
    const workshop = workshopOf(ECHO);
    await workshop.run(TASK);
    workshop.close();
    await expect(workshop.run(TASK)).rejects.toThrow();
    await expect(workshop.run(TASK)).rejects.toThrow('closing');
  });

  it('says what to install where sharp cannot be loaded', async () => {
    const { run } = workshopOf('', { greeting: `{ unavailable: 'no sharp' }` });
    expect(await run(TASK)).toEqual({ refused: expect.stringContaining('install the package sharp') });
  });

  it('publishes first, and lets few trials wait', async () => {
    const { run } = workshopOf(ECHO);
    const order: string[] = [];
    const ask = (from: string, trial: boolean) => run(task(from), { trial }).then(() => order.push(from));
    const first = ask('first', true);
    const trials = ['a', 'b', 'c', 'd'].map((name) => ask(name, true));
    await expect(ask('e', true)).rejects.toThrow('Too many');
    await Promise.all([first, ...trials, ask('publish', false)]);
    expect(order).toEqual(['first', 'publish', 'a', 'b', 'c', 'd']);
  });
});
