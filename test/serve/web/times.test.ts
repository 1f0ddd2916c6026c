import { expect } from 'vitest';
import { setUp, type Shown } from '../../harness/calls/browser.ts';
import { leashedKey } from '../../harness/calls/leash.ts';
import { call, newBrand } from '../../harness/calls/operations.ts';
import { it } from '../../harness/world.ts';

const TIMEZONE = '/dashboard/timezone';
const POSTING_TIMES = '/dashboard/posting-times';

it('the dashboard shows and sets the timezone of the workspace', async ({ world }) => {
  const browser = await setUp(world);
  const page = await browser.open(TIMEZONE);
  expect((await browser.open('/dashboard/settings')).text).toContain(`href="${TIMEZONE}"`);
  expect(page.text).toMatch(/name="timezone"[^>]* value="UTC"/);
  const refused = await browser.submit(page, { timezone: 'Middle/Earth' }, TIMEZONE);
  expect([refused.status, refused.words]).toEqual([400, expect.stringMatching(/Timezone: .*IANA/)]);
  expect(refused.text).toMatch(/value="Middle\/Earth"[^>]*aria-invalid="true"/);
  await browser.submit(refused, { timezone: ' Europe/Berlin ' }, TIMEZONE);
  expect((await world.rest('GET /v1/users/me')).body.timezone).toBe('Europe/Berlin');
  expect((await browser.open(TIMEZONE)).text).toMatch(/name="timezone"[^>]* value="Europe\/Berlin"/);
});

it('pages show times in the timezone of the workspace, and name it', async ({ world, account }) => {
  const browser = await setUp(world);
  await call(world, 'patch_me', { timezone: 'Asia/Tokyo' });
  const key = await leashedKey(world, 'ask');
  const post = { text: 'Bread', account_ids: [account.id], publish_now: true };
  const { id } = (await world.rest('POST /v1/posts', post, { key })).body;
  for (const [path, before] of [
    ['/dashboard/settings', 'signed in'],
    ['/dashboard/keys', 'made'],
    ['/dashboard/assistants', 'connected'],
    ['/dashboard/audit', 'acts.post|refused|has to ask|allowed'],
    ['/review', 'asked'],
    [`/review/${id}`, 'Asked'],
  ])
    expect((await browser.open(path!)).words).toMatch(
      new RegExp(`(${before}).* Thu,? 15 Jan 2026, 18:00 \\(Asia/Tokyo\\)`),
    );
  const usage = (await browser.open('/dashboard/usage')).words;
  expect(usage).toMatch(/from .* \(Asia\/Tokyo\) to .* \(Asia\/Tokyo\)/);
});

const ticked = ({ text }: Shown) =>
  [...text.matchAll(/<input [^>]*name="at" value="([^"]*)"[^>]* checked/g)].map(([, value]) => value);

it('the dashboard shows, adds and removes posting times, and those of a brand', async ({ world }) => {
  const browser = await setUp(world);
  expect((await browser.open('/dashboard/settings')).text).toContain(`href="${POSTING_TIMES}"`);
  const empty = await browser.open(POSTING_TIMES);
  expect(empty.words).toContain('There are no posting times yet.');
  expect(empty.text).not.toContain('Times of');

  const daysMissing = await browser.submit(empty, { time: '09:00' }, POSTING_TIMES);
  expect([daysMissing.status, daysMissing.words]).toEqual([
    400,
    expect.stringContaining('Choose at least one day for the new time.'),
  ]);
  expect(daysMissing.text).toMatch(/name="time" type="time" value="09:00"[^>]*aria-invalid="true"/);
  const timeMissing = await browser.submit(empty, { day: ['mon'] }, POSTING_TIMES);
  expect([timeMissing.status, timeMissing.words]).toEqual([
    400,
    expect.stringContaining('Enter a time for the chosen days.'),
  ]);
  const wrong = await browser.submit(empty, { time: 'nine', day: ['mon'] }, POSTING_TIMES);
  expect([wrong.status, wrong.words]).toEqual([400, expect.stringContaining('from 00:00 to 23:59')]);
  expect(wrong.words).not.toContain('times.0');
  expect(wrong.text).toMatch(/name="time" type="time" value="nine"[^>]*aria-invalid="true"[^>]* autofocus/);

  const added = await browser.follow(await browser.submit(empty, { time: '9:00', day: ['thu', 'mon'] }, POSTING_TIMES));
  expect(ticked(added)).toEqual(['mon 09:00', 'thu 09:00']);
  const more = { at: ['thu 09:00'], time: '08:30', day: ['fri'] };
  expect(ticked(await browser.follow(await browser.submit(added, more, POSTING_TIMES)))).toEqual([
    'fri 08:30',
    'thu 09:00',
  ]);
  const times = [
    { day: 'thu', time: '09:00' },
    { day: 'fri', time: '08:30' },
  ];
  expect((await call(world, 'get_posting_times')).body.times).toEqual(times);

  const brand_id = await newBrand(world, 'Second');
  const inherited = await browser.open(`${POSTING_TIMES}?brand=${brand_id}`);
  expect(inherited.words).toContain('This brand uses the times of the workspace.');
  const own = await browser.submit(inherited, { time: '07:00', day: ['sun'] }, POSTING_TIMES);
  expect(own.headers.location).toBe(`${POSTING_TIMES}?brand=${brand_id}`);
  expect(ticked(await browser.follow(own))).toEqual(['sun 07:00']);
  expect((await call(world, 'get_posting_times')).body.times).toEqual(times);
  await browser.submit(await browser.follow(own), {}, POSTING_TIMES);
  expect((await call(world, 'get_posting_times', { brand_id })).body).toMatchObject({ inherited: true, times });
  expect((await browser.open(`${POSTING_TIMES}?brand=brd_none`)).status).toBe(404);
});

it('saving posting times keeps what somebody else changed meanwhile', async ({ world }) => {
  const browser = await setUp(world);
  const mon = { day: 'mon', time: '09:00' };
  const tue = { day: 'tue', time: '10:00' };
  const fri = { day: 'fri', time: '09:00' };
  await call(world, 'set_posting_times', { times: [mon] });
  const page = await browser.open(POSTING_TIMES);
  await call(world, 'set_posting_times', { times: [mon, tue] });
  const refused = await browser.submit(page, { at: ['fri 09:00'], time: '08:00' }, POSTING_TIMES);
  expect(ticked(refused)).toEqual(['fri 09:00', 'tue 10:00']);
  await browser.submit(refused, { at: ticked(refused) as string[] }, POSTING_TIMES);
  expect((await call(world, 'get_posting_times')).body.times).toEqual([tue, fri]);
});
