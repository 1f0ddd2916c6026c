import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeCalendar, stepFrom } from '#dashboard/calendar/model.ts';
import { RefusedError } from '#dashboard/lib/call.ts';
import { sameDay, weekOf, weeksOf } from '#dashboard/calendar/days.ts';
import { addDays } from '#dashboard/lib/days.ts';
import { instantOf, wallTimeOf } from '#dashboard/lib/time.ts';
import { aPost, aRefusal, answering, anEvent } from './answers.ts';

const ZONE = 'Europe/Amsterdam';
const NOW = Date.parse('2030-03-20T10:00:00Z');
const listOf = (data: readonly unknown[]) => ({ data, pagination: { has_more: false } });
const scheduled = (id: string, at: string, more = {}) =>
  aPost({ id, status: 'scheduled', scheduled_at: at, updated_at: '1', ...more });

async function open(
  posts: readonly ReturnType<typeof aPost>[],
  answers: Parameters<typeof answering>[0] = {},
  mayMove = true,
) {
  const said: string[] = [];
  const undos: (() => void)[] = [];
  const later: (() => void)[] = [];
  const known = new Map(posts.map((post) => [post.id, post]));
  const { call, calls } = answering({
    list_posts: ({ status }) => ({
      data: status === undefined ? posts.filter((post) => post.status !== 'draft') : posts,
      pagination: { has_more: false },
    }),
    get_post({ post_id }) {
      const stored = answers['list_posts']?.({}) as { data: typeof posts } | undefined;
      const found = (stored?.data ?? posts).find(({ id }) => id === post_id);
      if (found === undefined) throw aRefusal(`There is no post ${post_id}.`, 404);
      return found;
    },
    update_post({ post_id, scheduled_at }) {
      const status = scheduled_at === null ? 'draft' : 'scheduled';
      return { ...known.get(post_id)!, status, scheduled_at, updated_at: '2' };
    },
    ...answers,
  });
  const calendar = makeCalendar({
    call,
    zone: ZONE,
    mayMove,
    view: 'month',
    on: '2030-03-20',
    now: () => NOW,
    later: (run) => void later.push(run),
    say(text, { undo } = {}) {
      said.push(text);
      if (undo !== undefined) undos.push(undo);
    },
  });
  calendar.goTo('2030-03-20');
  await expect.poll(() => calendar.isLoading.value).toBe(false);
  const updates = () => calls.filter(([name]) => name === 'update_post').map(([, input]) => input);
  return { calendar, said, undos, later, calls, updates };
}

describe('the calendar', () => {
  it('shows each post on the day that clocks show, several at one minute too', async () => {
    const at = '2030-03-21T23:30:00Z';
    const { calendar } = await open([scheduled('b', at), scheduled('a', at), aPost({ id: 'd' })]);
    expect(calendar.entriesOf('2030-03-22').map(({ post, wall }) => [post.id, wall.time])).toEqual([
      ['a', '00:30'],
      ['b', '00:30'],
    ]);
    expect(calendar.drafts.value.map(({ id }) => id)).toEqual(['d']);
    calendar.filter({ status: 'failed' });
    expect(calendar.days.value.size).toBe(0);
    // Drafts have no state to choose.
    expect([calendar.drafts.value.length, calendar.isFiltered.value]).toEqual([1, true]);
  });

  it('moves a post by the keys, which keeps its time over the change of clocks, and back', async () => {
    const { calendar, said, undos, updates } = await open([scheduled('a', '2030-03-30T08:00:00Z')]);
    calendar.goTo('2030-03-30', 'a');
    calendar.pickUp('a', '2030-03-30', 'keys');
    calendar.carryOver('2030-03-31');
    calendar.putDown('2030-03-31');
    await expect.poll(() => said.length).toBe(1);
    expect(updates()).toEqual([{ post_id: 'a', scheduled_at: '2030-03-31T07:00:00.000Z', if_updated_at: '1' }]);
    expect(said[0]).toMatch(/^Moved to Sunday,? 31 March, 09:00\.$/);
    expect(calendar.cursor.value).toEqual({ day: '2030-03-31', post: 'a' });
    undos[0]!();
    await expect.poll(() => said.at(-1)).toBe('Moved back.');
    expect(updates()[1]).toMatchObject({ scheduled_at: '2030-03-30T08:00:00.000Z', if_updated_at: '2' });
  });

  it('moves nothing for people whose role does not allow it, without a word about the post', async () => {
    const { calendar, said, updates } = await open([scheduled('a', '2030-03-30T08:00:00Z')], {}, false);
    expect(calendar.isMovable(calendar.posts.value.get('a')!)).toBe(false);
    expect(calendar.pickUp('a', '2030-03-30', 'keys')).toBe(false);
    calendar.putDown('2030-03-31');
    expect([calendar.carried.value, calendar.refusal.value, said, updates()]).toEqual([undefined, undefined, [], []]);
  });

  it('moves nothing into the past, nothing that is out, and back what is refused, saying why beside it', async () => {
    const { calendar, updates } = await open(
      [
        scheduled('a', '2030-03-25T08:00:00Z'),
        aPost({ id: 'p', status: 'published', published_at: '2030-03-19T08:00:00Z' }),
      ],
      {
        update_post() {
          throw new RefusedError(409, { code: 'resource.conflict', message: 'It was changed.', request_id: 'r' });
        },
      },
    );
    expect(calendar.pickUp('p', '2030-03-19', 'keys')).toBe(false);
    expect(calendar.refusal.value).toMatchObject({ id: 'p' });
    calendar.pickUp('a', '2030-03-25', 'pointer');
    calendar.putDown('2030-03-19');
    expect([calendar.refusal.value?.text, updates().length]).toEqual(['Not moved: that day is past.', 0]);
    calendar.pickUp('a', '2030-03-25', 'pointer');
    calendar.putDown('2030-03-26');
    await expect.poll(() => calendar.refusal.value?.text).toBe('Not moved: It was changed.');
    expect(calendar.entriesOf('2030-03-25').map(({ post }) => post.id)).toEqual(['a']);
  });

  it('keeps what others made of a post while its dialog was open, where the move is refused', async () => {
    let stored = scheduled('a', '2030-03-25T08:00:00Z');
    const { calendar, later } = await open([], {
      list_posts: () => listOf([stored]),
      update_post() {
        throw new RefusedError(409, { code: 'resource.conflict', message: 'It was changed.', request_id: 'r' });
      },
    });
    const { post } = calendar.entriesOf('2030-03-25')[0]!;
    stored = scheduled('a', '2030-03-27T08:00:00Z', { updated_at: '2' });
    calendar.heard(anEvent({ resource_id: 'a' }));
    later.at(-1)!();
    await expect.poll(() => calendar.entriesOf('2030-03-27').length).toBe(1);
    await calendar.move(post, { day: '2030-03-26', time: '09:00' });
    expect([calendar.entriesOf('2030-03-27').length, calendar.cursor.value.day]).toEqual([1, '2030-03-27']);
  });

  it('shows where a post is after a move without an answer, and no longer one that was deleted', async () => {
    let stored = [scheduled('a', '2030-03-25T08:00:00Z')];
    let error: Error = new Error('No answer came.');
    const { calendar, later, said } = await open([], {
      list_posts: ({ status }) => listOf(status === undefined ? stored : []),
      update_post() {
        throw error;
      },
    });
    stored = [scheduled('a', '2030-03-26T08:00:00Z', { updated_at: '2' })];
    await calendar.move(calendar.posts.value.get('a')!, { day: '2030-03-26', time: '09:00' });
    expect(said.at(-1)).toMatch(/^No answer came: look where it is now/);
    later.at(-1)!();
    await expect.poll(() => calendar.entriesOf('2030-03-26').length).toBe(1);
    [stored, error] = [[], aRefusal('There is no post a.', 404)];
    await calendar.move(calendar.posts.value.get('a')!, { day: '2030-03-27', time: '09:00' });
    expect(said.at(-1)).toBe('Not moved: it was deleted elsewhere.');
    later.at(-1)!();
    await expect.poll(() => calendar.posts.value.size).toBe(0);
  });

  it('shows the later of two answers about a post, whichever comes first', async () => {
    const answer = Promise.withResolvers<ReturnType<typeof aPost>>();
    let stored = scheduled('a', '2030-03-25T08:00:00Z');
    const { calendar, later, said } = await open([], {
      list_posts: () => listOf([stored]),
      update_post: () => answer.promise,
    });
    void calendar.move(stored, { day: '2030-03-26', time: '09:00' });
    stored = scheduled('a', '2030-03-27T08:00:00Z', { updated_at: '3' });
    calendar.heard(anEvent({ resource_id: 'a' }));
    later.at(-1)!();
    await expect.poll(() => calendar.entriesOf('2030-03-27').length).toBe(1);
    answer.resolve(scheduled('a', '2030-03-26T08:00:00Z', { updated_at: '2' }));
    await expect.poll(() => said.length).toBe(1);
    expect(calendar.entriesOf('2030-03-27').length).toBe(1);
  });

  it('asks for the time of a draft, and of one that is over today; both can be taken back', async () => {
    const { calendar, undos, said } = await open([aPost({ id: 'd' }), scheduled('a', '2030-03-25T08:00:00Z')]);
    calendar.pickUp('a', '2030-03-25', 'pointer');
    calendar.putDown('2030-03-20');
    expect(calendar.asked.value).toMatchObject({ day: '2030-03-20', time: '09:00' });
    calendar.pickUp('d', '', 'pointer');
    calendar.putDown('2030-03-22');
    expect(calendar.asked.value).toMatchObject({ post: { id: 'd' }, day: '2030-03-22' });
    await calendar.move(calendar.asked.value!.post, { day: '2030-03-22', time: '18:00' });
    expect(calendar.drafts.value).toEqual([]);
    undos[0]!();
    await expect.poll(() => said.at(-1)).toBe('Moved back.');
    expect(calendar.drafts.value.map(({ id }) => id)).toEqual(['d']);
  });

  it('reads each month once, and what is shown again after changes, however many', async () => {
    const ids = Array.from({ length: 40 }, (_, at) => `post ${at}`);
    let stored = ids.map((id) => scheduled(id, '2030-03-25T08:00:00Z'));
    const { calendar, calls, later } = await open([], {
      list_posts: ({ status }) => listOf(status === undefined ? stored : []),
    });
    calendar.goTo('2030-03-28');
    calendar.turn(1);
    expect(calendar.cursor.value.day).toBe('2030-04-28');
    await expect.poll(() => calendar.isLoading.value).toBe(false);
    expect(calls).toHaveLength(3);
    // All were moved, and one was deleted.
    stored = ids.slice(1).map((id) => scheduled(id, '2030-04-03T08:00:00Z'));
    for (const id of ids) calendar.heard(anEvent({ resource_id: id }));
    later.at(-1)!();
    await expect.poll(() => calendar.entriesOf('2030-04-03').length).toBe(39);
    expect(calendar.entriesOf('2030-03-25')).toEqual([]);
    expect(calls).toHaveLength(5);
    // The other month is read again when it is shown.
    calendar.turn(-1);
    expect(calls).toHaveLength(6);
  });

  it('reads a changed post alone, and a page of the drafts of the chosen brand', async () => {
    const stored = [scheduled('a', '2030-03-25T08:00:00Z'), scheduled('b', '2030-03-25T09:00:00Z')];
    const { calendar, calls, later } = await open(stored, {
      list_posts: ({ status }) => ({
        data: status === undefined ? stored : [],
        pagination: { has_more: status !== undefined },
      }),
    });
    expect(calendar.hasMoreDrafts.value).toBe(true);
    stored[0] = scheduled('a', '2030-03-26T08:00:00Z', { updated_at: '2' });
    calls.length = 0;
    calendar.heard(anEvent({ resource_id: 'a' }));
    later.at(-1)!();
    await expect.poll(() => calendar.entriesOf('2030-03-26').length).toBe(1);
    expect(calls).toEqual([['get_post', { post_id: 'a' }, undefined]]);
    calls.length = 0;
    calendar.filter({ brand: 'brd_1' });
    expect(calls.map(([, input]) => input)).toEqual([
      { status: ['draft'], sort: 'created_desc', limit: 50, brand_id: 'brd_1' },
    ]);
  });

  it('says why a month could not be read, and reads it again', async () => {
    let fails = true;
    const { calendar } = await open([], {
      list_posts() {
        if (fails) throw new Error('The server is restarting.');
        return { data: [], pagination: { has_more: false } };
      },
    });
    expect(calendar.problem.value).toBe('The server is restarting.');
    fails = false;
    calendar.again();
    await expect.poll(() => calendar.isLoading.value).toBe(false);
    expect(calendar.problem.value).toBeUndefined();
  });
});

describe('days', () => {
  it('are the same day of another month, or its last', () => {
    expect([sameDay('2030-01-31', 1), sameDay('2030-03-15', -1), sameDay('2030-12-31', 2)]).toEqual([
      '2030-02-28',
      '2030-02-15',
      '2031-02-28',
    ]);
    expect(weekOf('2030-03-20')[0]).toBe('2030-03-18');
    expect(weeksOf('2030-03').map((week) => week[0])).toEqual([
      '2030-02-25',
      '2030-03-04',
      '2030-03-11',
      '2030-03-18',
      '2030-03-25',
    ]);
    expect(['Home', 'End', 'PageDown', 'x'].map((key) => stepFrom('2030-03-20', key))).toEqual([
      '2030-03-18',
      '2030-03-24',
      '2030-04-20',
      undefined,
    ]);
  });

  it('are kept with their times wherever a post is moved, but for times that clocks skip', () => {
    const zones = ['UTC', ZONE, 'America/New_York', 'Asia/Kolkata', 'Pacific/Chatham', 'America/Santiago'];
    const start = fc.integer({ min: Date.UTC(2026, 0), max: Date.UTC(2032, 0) }).map((at) => at - (at % 60_000));
    fc.assert(
      fc.property(start, fc.integer({ min: 1, max: 400 }), fc.constantFrom(...zones), (at, days, zone) => {
        const { day, time } = wallTimeOf(at, zone);
        const moved = wallTimeOf(instantOf({ day: addDays(day, days), time }, zone), zone);
        const isSkipped = moved.time !== time;
        expect(moved.day === addDays(day, days) || isSkipped).toBe(true);
        if (isSkipped) {
          const minutes = (clock: string) => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));
          expect((minutes(moved.time) - minutes(time) + 1440) % 1440).toBeLessThanOrEqual(60);
        }
      }),
    );
  });
});
