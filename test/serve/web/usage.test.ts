import { describe, expect } from 'vitest';
import { setUp } from '../../harness/calls/browser.ts';
import { it } from '../../harness/world.ts';

describe('usage and keys', () => {
  it('say what is used, and where there is no limit', async ({ world }) => {
    const browser = await setUp(world);
    const { words, text } = await browser.open('/dashboard/usage');
    expect(words).toContain('without a limit');
    expect(words).not.toContain(' -1');
    expect((await browser.open('/dashboard')).text).toContain('href="/dashboard/usage"');
    expect(text).not.toContain('/dashboard/billing');
  });

  it('give a key another secret, shown once, and say what it may do', async ({ world }) => {
    const browser = await setUp(world);
    const page = await browser.open('/dashboard/keys');
    expect(page.words).toContain('Everything');
    const asked = await browser.submit(page, {}, '/dashboard/keys/rotate');
    const made = await browser.follow(await browser.submit(asked, { confirmed: 'yes' }, '/dashboard/keys/rotate'));
    const [, secret] = /<code>(rostra_key_\w+)<\/code>/.exec(made.text)!;
    expect((await world.rest('GET /v1/brands', undefined, { key: secret! })).status).toBe(200);
    expect((await browser.open('/dashboard/keys')).text).not.toContain(secret);
  });
});
