import { describe, expect } from 'vitest';
import { makeBrowser, says, setUp } from '../../harness/calls/browser.ts';
import { leashedKey } from '../../harness/calls/leash.ts';
import { it } from '../../harness/world.ts';

describe('the page of the audit', () => {
  it('shows what was written down, narrowed by its form, and leads to older rows', async ({ world, account }) => {
    const browser = await setUp(world);
    const key = await leashedKey(world, 'draft');
    const text = '<b>Hello</b>';
    for (let n = 0; n < 51; n += 1) {
      await world.rest('POST /v1/posts', { text: `${text} ${n}`, account_ids: [account.id] }, { key });
    }
    const page = await browser.open('/dashboard/audit');
    expect(page).toMatchObject(says(200, 'create_post by'));
    expect(page.text).toContain('&lt;b&gt;Hello&lt;/b&gt; 50');
    expect(page.words).not.toContain('set_up');
    const older = /href="(\/dashboard\/audit\?[^"]*cursor=[^"]+)"/.exec(page.text)![1]!.replaceAll('&amp;', '&');
    expect((await browser.open(older)).words).toContain('set_up by');
    const narrowed = await browser.open('/dashboard/audit?act=&verdict=&tool=set_up&since=2026-01-15&until=2026-01-15');
    expect(narrowed.words).toContain('allowed, done');
    expect(narrowed.words).not.toContain('create_post');
    expect((await browser.open('/dashboard/audit?until=2026-01-14')).words).toContain('There are no entries.');
  });

  it('says what is wrong with a filter, and is for people alone', async ({ world }) => {
    const browser = await setUp(world);
    const wrong = await browser.open('/dashboard/audit?since=soon&tool=x');
    expect([wrong.status, wrong.words]).toEqual([400, expect.stringContaining('Since: must be')]);
    expect(wrong.text).toContain('value="x"');
    expect((await makeBrowser(world).open('/dashboard/audit')).headers.location).toContain('/sign-in');
  });
});
