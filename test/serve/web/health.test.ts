import { describe, expect, it } from 'vitest';
import { makeBrowser, sessionOf, setUp } from '../../harness/calls/browser.ts';
import { makeWorld } from '../../harness/world.ts';

const PATH = '/dashboard/health';

describe('the health of a server', () => {
  it('is checked when its owner asks, once for all who ask meanwhile, and shows the worst first', async () => {
    const finished: (() => void)[] = [];
    const doctor = async () => {
      await new Promise<void>((resolve) => void finished.push(resolve));
      return [
        { check: 'key', verdict: 'ok', found: 'it opens <everything>' },
        { check: 'disk', verdict: 'failure', found: '1 % free', todo: 'make room' },
      ] as const;
    };
    const world = await makeWorld({ surroundings: { doctor } });
    const browser = await setUp(world);
    const page = await browser.open(PATH);
    expect(page.words).toContain('It works.');
    expect(page.words).not.toContain('make room');
    const asked = [browser.submit(page, {}, PATH), browser.submit(page, {}, PATH)];
    await expect.poll(() => finished.length).toBe(1);
    finished[0]!();
    for (const { status, words, text } of await Promise.all(asked)) {
      expect([status, words]).toEqual([200, expect.stringContaining('To do: make room')]);
      expect(text.indexOf('1 % free')).toBeLessThan(text.indexOf('it opens &lt;everything&gt;'));
    }
    expect((await browser.open(PATH)).words).toContain('1 to look at');
  });

  it('is shown to nobody else', async () => {
    let runs = 0;
    const world = await makeWorld({ surroundings: { doctor: async () => ((runs += 1), []) } });
    await setUp(world);
    expect((await makeBrowser(world).open(PATH)).status).toBe(302);
    const { userId } = (await world.product.modules.users.create('bob@example.org', 'Bob'))!;
    const other = await sessionOf(world, userId);
    expect((await other.open(PATH)).words).toContain('Only the owner of this server');
    expect(runs).toBe(0);
  });
});
