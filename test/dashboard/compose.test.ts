import { beforeAll, describe, expect, it } from 'vitest';
import { contentOf, copyOf, draftOf, EMPTY, type Draft } from '#dashboard/compose/draft.ts';
import { makeMedia } from '#dashboard/compose/media.ts';
import { makeComposer } from '#dashboard/compose/model.ts';
import { makeShelf } from '#dashboard/compose/parts/shelf.ts';
import { findSlot } from '#dashboard/compose/parts/slot.ts';
import { destinationsOf, foldedAt, lostOf, takingComment, type Rules } from '#dashboard/compose/rules.ts';
import { RefusedError } from '#dashboard/lib/call.ts';
import { loadCounting, UNCOUNTED } from '#dashboard/lib/text/counting.ts';
import { wallTimeOf } from '#dashboard/lib/time.ts';
import { aPost, answering, anEvent } from './answers.ts';

beforeAll(loadCounting);

const ZONE = 'Europe/Amsterdam';
const rulesOf = (max: number, more: object = {}): Rules => ({
  text: { max_length: max, counting_mode: 'graphemes', photo_max_length: max, video_max_length: max },
  threads: { supported: true, max_segments: 5 },
  title: { supported: false },
  first_comment: { supported: true, max_length: max, counting_mode: 'graphemes' },
  board: { required: false },
  visibilities: ['public'],
  options: { properties: { alts: {} } },
  ...more,
});
const constraints = { bluesky: rulesOf(10), youtube: rulesOf(100, { first_comment: { supported: false } }) };
const account = (id: string, platform: string) => ({
  id,
  platform,
  name: id,
  username: id,
  status: 'active',
  brand_id: 'b',
});
const destinations = destinationsOf({
  accounts: [account('sky', 'bluesky'), account('tube', 'youtube')] as never,
  constraints,
  pages: {},
  kinds: {},
});
const altNames = new Map([['bluesky', 'alts' as const]]);
const stored = (more: object = {}) =>
  aPost({
    id: 'p',
    title: null,
    first_comment: null,
    media: [],
    segments: [],
    platform_data: {},
    updated_at: '1',
    ...more,
  });
const refused = (code: string, meta = {}) =>
  new RefusedError(409, { code, message: `${code}.`, request_id: 'r', meta });

function open(
  answers: Parameters<typeof answering>[0],
  {
    post,
    kept,
    now = 0,
    isFull = false,
    loadCounting: load = loadCounting,
  }: {
    post?: ReturnType<typeof stored>;
    kept?: string;
    now?: number;
    isFull?: boolean;
    loadCounting?: () => Promise<void>;
  } = {},
) {
  const slot = post?.id ?? 'new 1';
  const shelf = new Map(kept === undefined ? [] : [[slot, kept]]);
  const unsent: { name: string; problem?: string }[] = [];
  const undos: (() => void)[] = [];
  const said: string[] = [];
  const left: string[] = [];
  const later: Record<string, () => void> = {};
  let keys = 0;
  const { call, calls } = answering({ validate_post: () => ({ errors: [], warnings: [] }), ...answers });
  const one = makeComposer({
    call,
    destinations,
    altNames,
    zone: ZONE,
    constraints,
    post,
    copied: undefined,
    unsent: () => unsent,
    start: { ...EMPTY, when: '2030-03-31T09:00' },
    at: undefined,
    wallOf: (at) => wallTimeOf(at, ZONE),
    newKey: () => `key ${++keys}`,
    now: () => now,
    later: {
      keep: (run) => void (later['keep'] = run),
      check: (run) => void (later['check'] = run),
      hear: (run) => void (later['hear'] = run),
    },
    shelf: makeShelf(
      {
        getItem: (key) => shelf.get(key) ?? null,
        setItem(key, text) {
          if (isFull) throw new DOMException('No room.', 'QuotaExceededError');
          shelf.set(key, text);
        },
        removeItem: (key) => void shelf.delete(key),
      },
      '',
      slot,
    ),
    say(text, how) {
      said.push(text);
      if (how?.undo !== undefined) undos.push(how.undo);
    },
    loadCounting: load,
    stored: () => {},
    leave: (_, words) => void left.push(words),
  });
  return { one, calls, shelf, left, later, unsent, undos, said };
}

const named = (calls: ReturnType<typeof open>['calls'], name: string) => calls.filter((call) => call[0] === name);

describe('a post that is written', () => {
  it('says to each destination what is said to all, or what is said to it alone', () => {
    const draft: Draft = {
      ...EMPTY,
      chosen: ['sky', 'tube'],
      text: 'All',
      instead: { sky: 'Sky' },
      comment: 'First',
      media: [{ source: 'm', source_type: 'media_id', type: 'image', alt: ' A cat ' }],
    };
    const content = contentOf(draft, new Map(destinations.map((one) => [one.id, one])), altNames);
    expect(content.targets).toMatchObject([
      { account_id: 'sky', text: 'Sky', first_comment: 'First' },
      { account_id: 'tube', text: undefined, first_comment: undefined },
    ]);
    expect(content.platform_data).toEqual({ bluesky: { alts: ['A cat'] } });
  });

  it('comes back as it was from what the server stored', () => {
    const padded = { source: 'm', source_type: 'media_id', type: 'image', fit: 'pad', background: '#000000' };
    const post = stored({
      text: 'All',
      platform_data: { bluesky: { alts: ['A cat'], langs: ['en'] } },
      media: [padded],
      segments: [{ text: 'More', media: [padded] }],
      targets: [
        {
          account_id: 'sky',
          page_id: null,
          text: 'Sky',
          first_comment: 'First',
          media: [],
          title: 'Own',
          scheduled_at: null,
        },
      ],
    });
    const draft = draftOf(post, '2030-01-01T09:00', takingComment(destinations));
    expect(draft).toMatchObject({
      chosen: ['sky'],
      text: 'All',
      instead: { sky: 'Sky' },
      comment: 'First',
      parts: [{ text: 'More' }],
    });
    expect(draft.media[0]!.alt).toBe('A cat');
    const content = contentOf(draft, new Map(destinations.map((one) => [one.id, one])), altNames);
    expect(content.platform_data).toEqual({ bluesky: { alts: ['A cat'], langs: ['en'] } });
    expect([content.media, content.segments![0]!.media]).toEqual([[padded], [padded]]);
    // Media of its own stay its own, also when there are none.
    expect(content.targets![0]).toMatchObject({ title: 'Own', media: [], text: 'Sky' });
  });

  it('goes to an account at its own time, with files and descriptions of its own', () => {
    const { one, undos } = open({});
    const file = (source: string, alt: string) => ({ source, source_type: 'media_id', type: 'image', alt }) as const;
    const contentNow = () => contentOf(one.draft.value, new Map(destinations.map((each) => [each.id, each])), altNames);
    one.toggle('sky');
    one.toggle('tube');
    one.write({ text: 'All', media: [file('m', 'A cat')] });
    one.setOwn('sky', { media: [file('n', 'A dog')] });
    one.setOwnTime('sky', '2030-04-01T08:30');
    expect(one.isDifferent('sky')).toBe(true);
    expect(contentNow().targets![0]).toMatchObject({
      media: [{ source: 'n', source_type: 'media_id', type: 'image' }],
      platform_data: { alts: ['A dog'] },
      scheduled_at: '2030-04-01T06:30:00.000Z',
    });
    const [target] = contentNow().targets!;
    const post = stored({ ...contentNow(), targets: [{ page_id: null, text: null, first_comment: null, ...target }] });
    const again = draftOf(post, '2030-01-01T09:00', takingComment(destinations));
    expect(again.own['sky']).toEqual({
      media: [file('n', 'A dog')],
      scheduled_at: target!.scheduled_at,
      platform_data: {},
    });
    // The description of the picture of all is not that of another.
    one.setOwn('sky', { media: [file('n', '')] });
    expect(contentNow().targets![0]).toMatchObject({ platform_data: { alts: [] } });
    one.useFilesOfAll('sky');
    one.setOwnTime('sky', '');
    expect(contentNow().targets![0]).toEqual({ account_id: 'sky', page_id: undefined, text: undefined });
    undos.at(-1)!();
    expect(one.draft.value.own['sky']!.media).toHaveLength(1);
  });

  it.each([
    [['First', 'First', 'Other'], 'First', [undefined, undefined, 'Other']],
    [['First', ''], undefined, ['First', undefined]],
    [['First', 'First', ''], 'First', [undefined, undefined, '']],
  ])('has the first comment that most of its accounts have: %j', (comments, common, own) => {
    const targets = comments.map((first_comment, at) => ({
      account_id: `${at}`,
      page_id: null,
      text: null,
      first_comment,
      media: [],
    }));
    const draft = draftOf(stored({ targets }), '', () => true);
    expect([draft.comment, Object.values(draft.own).map(({ first_comment }) => first_comment)]).toEqual([common, own]);
  });

  it('is split into a thread where all accounts have threads, which can be undone', async () => {
    const { one, undos } = open({});
    one.toggle('sky');
    one.say(undefined, 'One two three four five');
    expect(one.isThread.value).toBe(true);
    await one.split(undefined);
    expect([one.draft.value.text, ...one.draft.value.parts.map(({ text }) => text)]).toEqual([
      'One two',
      'three four',
      'five',
    ]);
    expect(one.faults.value).toEqual([]);
    one.write({ parts: one.draft.value.parts.with(1, { text: 'five six seven', media: [] }) });
    await one.split(1);
    expect(one.draft.value.parts.map(({ text }) => text)).toEqual(['three four', 'five six', 'seven']);
    undos[0]!();
    expect([one.draft.value.text, one.draft.value.parts]).toEqual(['One two three four five', []]);
  });

  it('is not split where texts cannot be counted, which says what to do', async () => {
    const { one, said } = open({}, { loadCounting: () => Promise.reject(new TypeError('no such file')) });
    one.toggle('sky');
    one.say(undefined, 'One two three four five');
    expect(await one.split(undefined)).toBe(false);
    expect([one.draft.value.parts, said]).toEqual([[], [UNCOUNTED]]);
  });

  it('is counted as the platform counts, and faults are said at once and once', async () => {
    const { one, later } = open({
      validate_post: () => ({
        errors: [
          { platform: 'bluesky', field: 'text', message: 'exceeds 10 character limit (11/10)', target: 'sky' },
          ...Array.from({ length: 2 }, () => {
            return { platform: 'bluesky', field: 'media', message: 'needs an image or a video', target: 'sky' };
          }),
        ],
        warnings: [],
      }),
    });
    one.toggle('sky');
    one.say(undefined, '👩‍👩‍👧'.repeat(11));
    expect(one.meters.value[0]).toMatchObject({ length: 11, left: -1 });
    expect(one.issues.value.map(({ message }) => message)).toEqual(['exceeds 10 character limit (11/10)']);
    later['check']!();
    await expect.poll(() => one.issues.value.length).toBe(2);
    one.say(undefined, 'short');
    expect(one.issues.value.map(({ field }) => field)).toEqual(['media']);
    await one.schedule();
    expect(one.problem.value).toBe('First fix what is listed above.');
  });

  it('is scheduled in the time of the person, once, however often it has to be sent', async () => {
    let isLost = true;
    const { one, calls, left, shelf } = open({
      create_post() {
        if (isLost) throw new TypeError('fetch failed');
        return stored({ status: 'scheduled' });
      },
      update_post: ({ scheduled_at }) => stored({ status: 'scheduled', scheduled_at }),
    });
    one.toggle('sky');
    one.say(undefined, 'Hello');
    await one.schedule();
    expect(one.problem.value).toContain('What you wrote is saved here');
    expect(shelf.size).toBe(1);
    isLost = false;
    await one.schedule();
    const [first, second] = named(calls, 'create_post');
    expect(first![1].scheduled_at).toBe('2030-03-31T07:00:00.000Z');
    expect([first![2], second![2]]).toEqual(['key 1', 'key 1']);
    expect(left).toEqual([expect.stringMatching(/^Scheduled for Sun,? 31 Mar 2030, 09:00\.$/)]);
    expect(shelf.size).toBe(0);
  });

  it('is published also where the storage of this device is full', async () => {
    const { one, left, later } = open({ create_post: () => stored({ status: 'published' }) }, { isFull: true });
    one.toggle('sky');
    one.say(undefined, 'Hello');
    later['keep']!();
    expect(one.keeping.value).toBe('full');
    await one.publish();
    expect(left).toEqual(['Published.']);
  });

  it('is kept on this device, and there again after a crash', () => {
    const { one, shelf, later } = open({});
    one.say(undefined, 'Not to be lost');
    later['keep']!();
    const after = open({}, { kept: shelf.get('new 1')! });
    expect([after.one.draft.value.text, after.one.isRestored.value]).toEqual(['Not to be lost', true]);
    after.one.startAnew();
    expect([after.one.draft.value.text, after.shelf.size]).toEqual(['', 0]);
    after.undos[0]!();
    expect(after.one.draft.value.text).toBe('Not to be lost');
    expect(open({}, { kept: '{"draft"' }).one.isRestored.value).toBe(false);
  });

  it('is not stored over what others wrote meanwhile', async () => {
    const theirs = stored({ text: 'Theirs', updated_at: '2' });
    let base = '1';
    const { one, calls, shelf, later } = open(
      {
        get_post: () => theirs,
        update_post({ if_updated_at }) {
          base = if_updated_at;
          if (base === '1') throw refused('resource.conflict', { updated_at: '2' });
          return stored({ updated_at: '3' });
        },
      },
      { post: stored({ text: 'Before' }) },
    );
    one.say(undefined, 'Mine');
    await one.keep();
    expect(one.elsewhere.value?.text).toBe('Theirs');
    one.keepMine();
    later['keep']!();
    const after = open({}, { post: theirs, kept: shelf.get('p')! });
    expect([after.one.draft.value.text, after.one.elsewhere.value]).toEqual(['Mine', undefined]);
    await one.keep();
    expect(base).toBe('2');
    expect(named(calls, 'update_post').at(-1)![1].text).toBe('Mine');
  });

  it('becomes a new post if its post was deleted elsewhere', async () => {
    const created = stored({ id: 'q', status: 'draft' });
    const { one } = open(
      { update_post: () => Promise.reject(refused('post.not_found')), create_post: () => created },
      { post: stored({ text: 'Old' }) },
    );
    one.say(undefined, 'New');
    await one.keep();
    expect([one.post.value, one.draft.value.text]).toEqual([undefined, 'New']);
    expect(one.problem.value).toContain('deleted elsewhere');
    await one.keep();
    expect(one.post.value).toEqual(created);
  });

  it('follows what others do to it as long as nothing was written here', async () => {
    const { one, later } = open({ get_post: () => stored({ text: 'Theirs', updated_at: '2' }) }, { post: stored() });
    one.heard(anEvent({ resource_id: 'another' }));
    expect(later['hear']).toBeUndefined();
    one.heard(anEvent({ resource_id: 'p' }));
    later['hear']!();
    await expect.poll(() => one.draft.value.text).toBe('Theirs');
    expect(one.elsewhere.value).toBeUndefined();
  });

  it('is kept under its post as soon as there is one, with what was typed while it was stored', async () => {
    const typed = { now: () => {} };
    const { one, shelf, later } = open({
      create_post() {
        typed.now();
        return stored();
      },
    });
    typed.now = () => one.say(undefined, 'Hello, all');
    one.say(undefined, 'Hello');
    await one.keep();
    expect([...shelf.keys()]).toEqual(['p']);
    one.say(undefined, 'Hello, all of you');
    later['keep']!();
    expect([...shelf.keys()]).toEqual(['p']);
    expect(shelf.get('p')).toContain('Hello, all of you');
  });

  it('is stored once although its first answer was lost and it was changed and reloaded since', async () => {
    const before = open({
      create_post() {
        throw new RefusedError(503, { code: 'http.503', message: 'Later.', request_id: 'r' });
      },
    });
    before.one.say(undefined, 'Hello');
    await before.one.keep();
    const after = open(
      { create_post: () => stored(), update_post: () => stored() },
      { kept: before.shelf.get('new 1')! },
    );
    after.one.say(undefined, 'Hello!');
    await after.one.keep();
    expect(named(after.calls, 'create_post')).toEqual(named(before.calls, 'create_post'));
    expect(named(after.calls, 'update_post')[0]![1]).toMatchObject({ post_id: 'p', text: 'Hello!' });
    expect(after.shelf.size).toBe(0);
  });

  it('is not sent again once the server may have forgotten the first try, until a person looked', async () => {
    const before = open({
      create_post() {
        throw new TypeError('fetch failed');
      },
    });
    before.one.toggle('sky');
    before.one.say(undefined, 'Hello');
    await before.one.publish();
    const after = open(
      { create_post: () => stored({ status: 'published' }) },
      { kept: before.shelf.get('new 1')!, now: 24 * 3_600_000 },
    );
    await after.one.publish();
    expect([named(after.calls, 'create_post'), after.one.problem.value]).toEqual([
      [],
      expect.stringContaining('Check under Posts'),
    ]);
    await after.one.publish();
    expect([named(after.calls, 'create_post').length, after.left]).toEqual([1, ['Published.']]);
  });

  describe('and has an own time for one account', () => {
    function openTimed(answers: Parameters<typeof answering>[0]) {
      const stage = open(answers);
      stage.one.toggle('sky');
      stage.one.toggle('tube');
      stage.one.say(undefined, 'Hello');
      stage.one.setOwnTime('sky', '2030-04-01T08:30');
      const timesIn = (name: string) =>
        named(stage.calls, name).map(([, { targets }]) =>
          targets.map((target: Draft['own'][string]) => target.scheduled_at),
        );
      return { ...stage, timesIn };
    }
    const OWN = '2030-04-01T06:30:00.000Z';

    it('becomes a draft, which takes the time once it is stored', async () => {
      const { one, calls, timesIn, shelf } = openTimed({
        create_post: () => stored(),
        update_post: () => stored({ updated_at: '2' }),
      });
      await one.keep();
      expect([timesIn('create_post'), timesIn('update_post')]).toEqual([[[undefined, undefined]], [[OWN, undefined]]]);
      const [, change] = named(calls, 'update_post')[0]!;
      expect([change.post_id, change.if_updated_at, 'scheduled_at' in change]).toEqual(['p', '1', false]);
      expect(shelf.size).toBe(0);
    });

    it('keeps the time on this device until the draft took it', async () => {
      let isLost = true;
      const { one, calls, timesIn, shelf } = openTimed({
        create_post: () => stored(),
        update_post() {
          if (isLost) throw new TypeError('fetch failed');
          return stored({ updated_at: '2' });
        },
      });
      await one.keep();
      expect(one.problem.value).toContain('What you wrote is saved here');
      expect(shelf.get('p')).toContain(OWN);
      isLost = false;
      await one.keep();
      expect([named(calls, 'create_post').length, timesIn('update_post').at(-1)]).toEqual([1, [OWN, undefined]]);
    });

    it('goes out everywhere at once when it is published now', async () => {
      const { one, timesIn, left } = openTimed({ create_post: () => stored({ status: 'published' }) });
      await one.publish();
      expect([timesIn('create_post'), left]).toEqual([[[undefined, undefined]], ['Published.']]);
    });

    it('waits for it when it is scheduled', async () => {
      const { one, timesIn } = openTimed({
        create_post: ({ scheduled_at }) => stored({ status: 'scheduled', scheduled_at }),
      });
      await one.schedule();
      expect(timesIn('create_post')).toEqual([[OWN, undefined]]);
    });
  });

  it('is sent by keys only when its buttons could, and never without a file', async () => {
    const { one, calls, unsent } = open({ create_post: () => stored() });
    one.toggle('sky');
    one.say(undefined, 'Hello');
    unsent.push({ name: 'a.png', problem: 'Too large.' });
    await one.schedule();
    expect(one.problem.value).toBe('a.png was not sent: try it again, or remove it.');
    expect(named(calls, 'create_post')).toEqual([]);
    for (const status of ['failed', 'published'] as const) {
      const other = open({}, { post: stored({ status, text: 'Hello' }) });
      await other.one.schedule();
      expect([status, other.calls]).toEqual([status, []]);
    }
  });

  it('keeps the new time of a scheduled post, and leaves one alone that was not touched', async () => {
    const at = '2030-10-27T00:30:12.000Z';
    const aTarget = { account_id: 'sky', page_id: null, media: [], text: null };
    const post = stored({ status: 'scheduled', text: 'Hello', scheduled_at: at, targets: [aTarget] });
    const answers = {
      update_post: ({ scheduled_at = at }) => stored({ status: 'scheduled', scheduled_at }),
    };
    const same = open(answers, { post });
    await same.one.keep();
    expect(named(same.calls, 'update_post')[0]![1]).not.toHaveProperty('scheduled_at');
    const moved = open(answers, { post });
    moved.one.write({ when: '2030-11-01T10:00' });
    await moved.one.keep();
    expect(named(moved.calls, 'update_post')[0]![1].scheduled_at).toBe('2030-11-01T09:00:00.000Z');
    expect(moved.left).toEqual([expect.stringContaining('10:00')]);
  });

  it('comes back whatever was changed, and removals can be undone', () => {
    const { one, shelf, later, undos } = open({});
    one.write({ title: 'Only a title', comment: 'First', parts: [{ text: 'More', media: [] }] });
    one.toggleComment();
    one.removePart(0);
    later['keep']!();
    expect(open({}, { kept: shelf.get('new 1')! }).one.draft.value.title).toBe('Only a title');
    for (const undo of undos) undo();
    expect(one.draft.value).toMatchObject({ comment: 'First', parts: [{ text: 'More' }] });
    // An emptied text is a change too.
    const post = stored({ text: 'Before' });
    const emptied = open({}, { post });
    emptied.one.say(undefined, '');
    emptied.later['keep']!();
    expect(open({}, { post, kept: emptied.shelf.get('p')! }).one.draft.value.text).toBe('');
  });

  it('loses no target, nor what only one target has', () => {
    const post = stored({
      media: [{ source: 'm', source_type: 'media_id', type: 'image' }],
      platform_data: { pinterest: { alt_text: 'A cat', link: 'l' } },
      targets: [
        { account_id: 'sky', page_id: 'off', first_comment: 'First', media: [], scheduled_at: '2029-01-01T00:00:00Z' },
        { account_id: 'tube', page_id: null, first_comment: null, media: [] },
        { account_id: 'gone', page_id: null, first_comment: 'Other', media: [], platform: 'bluesky', brand_id: 'b' },
      ],
    });
    const draft = draftOf(post, '2030-01-01T09:00', takingComment(destinations));
    const lost = lostOf(post.targets, destinations, constraints);
    expect(draft.chosen).toEqual(['sky-off', 'tube', 'gone']);
    expect(lost.map(({ id, hindrance }) => [id, hindrance])).toEqual([
      ['sky-off', 'this page was not found'],
      ['gone', 'not connected any more'],
    ]);
    const content = contentOf(draft, new Map([...destinations, ...lost].map((one) => [one.id, one])), altNames);
    expect(content.targets!.map(({ first_comment }) => first_comment)).toEqual(['First', undefined, 'Other']);
    expect([draft.media[0]!.alt, draft.options['pinterest']]).toEqual(['A cat', { link: 'l' }]);
    expect([draft.own['sky-off']!.scheduled_at, copyOf(draft).own['sky-off']!.scheduled_at]).toEqual([
      '2029-01-01T00:00:00Z',
      undefined,
    ]);
  });

  it('has a slot of its own in each tab, and takes over one that was left behind', async () => {
    const held = new Set(['new open']);
    const find = (mine: string | null) =>
      findSlot('new', {
        kept: ['new open', 'new left', 'post_1'],
        mine,
        hold: async (slot) => !held.has(slot) && Boolean(held.add(slot)),
        canHold: true,
        writtenAt: () => 0,
        now: () => 0,
        newId: () => 'made',
      });
    expect([await find(null), await find('new open'), await find('new mine')]).toEqual([
      'new left',
      'new made',
      'new mine',
    ]);
  });

  it('takes over nothing that another tab may be writing where tabs do not know of each other', async () => {
    const find = (now: number) =>
      findSlot('new', {
        kept: ['new open'],
        mine: null,
        hold: async () => true,
        canHold: false,
        writtenAt: () => 1,
        now: () => now,
        newId: () => 'made',
      });
    expect([await find(5 * 60_000), await find(5 * 60_000 + 2)]).toEqual(['new made', 'new open']);
    const { one, shelf, later } = open({}, { now: 7 });
    one.write({ text: 'Hello' });
    later['keep']!();
    expect(JSON.parse(shelf.get('new 1')!)).toMatchObject({ draft: { text: 'Hello' }, at: 7 });
    const store = { getItem: (key: string) => shelf.get(key)!, setItem: shelf.set.bind(shelf), removeItem: () => {} };
    makeShelf(store, 'new ', '1').leave();
    expect(JSON.parse(shelf.get('new 1')!)).toMatchObject({ draft: { text: 'Hello' }, at: 0 });
  });

  it('shows about what people see before they ask for more', () => {
    expect(foldedAt('a'.repeat(130), 'instagram')).toEqual({ shown: 'a'.repeat(125), isFolded: true });
    expect(foldedAt('a'.repeat(130), 'bluesky').isFolded).toBe(false);
  });
});

it('takes all accounts of a brand with one press, and lets go of them', () => {
  const { one } = open({});
  one.toggle('tube');
  one.choose(['sky', 'tube'], true);
  expect(one.draft.value.chosen).toEqual(['sky', 'tube']);
  one.choose(['tube'], false);
  expect(one.draft.value.chosen).toEqual(['sky']);
});

describe('the files of a post', () => {
  it('are sent with their progress, again with the same key, and moved by their buttons', async () => {
    const media: Record<string, Draft['media']> = {};
    let place: string | undefined;
    const keys: string[] = [];
    let fails = true;
    const tray = makeMedia({
      upload(file, key, onShare) {
        keys.push(key);
        onShare(0.5);
        const arrived = fails
          ? Promise.reject(new Error('Too large.'))
          : Promise.resolve({
              id: `id of ${file.name}`,
              content_type: file.type,
              filename: file.name,
              thumbnail_url: 'u',
            });
        return { arrived, cancel: () => {} };
      },
      find: async (id) => ({ id, content_type: 'image/png', filename: 'old.png', thumbnail_url: 'where' }),
      newKey: () => `key ${keys.length}`,
      place: () => place,
      read: (id = 'all') => media[id] ?? media['all'] ?? [],
      write: (id = 'all', items) => void (media[id] = items),
    });
    const file = new File(['x'], 'a.png', { type: 'image/png' });
    tray.add([file, file]);
    await expect.poll(() => tray.sending.value.map(({ problem }) => problem)).toEqual(['Too large.']);
    fails = false;
    tray.retry('key 0');
    await expect.poll(() => media['all']?.length).toBe(1);
    expect(keys).toEqual(['key 0', 'key 0']);
    tray.add([new File(['y'], 'b.mp4', { type: 'video/mp4' })]);
    await expect.poll(() => media['all']?.map(({ type }) => type)).toEqual(['image', 'video']);
    expect([tray.move(1, -1), tray.move(0, -1), media['all']![0]!.type]).toEqual([0, 0, 'video']);
    tray.remove(0);
    expect(media['all']!.map((item) => tray.lookOf(item).name)).toEqual(['a.png']);
    // On the tab of an account they become its own, wherever one is by then.
    place = 'sky';
    tray.add([new File(['z'], 'c.png', { type: 'image/png' })]);
    expect(tray.sendingHere.value).toHaveLength(1);
    place = undefined;
    await expect.poll(() => media['sky']?.map((item) => tray.lookOf(item).name)).toEqual(['a.png', 'c.png']);
    expect(media['all']).toHaveLength(1);
    tray.reshape('sky', 1, 'crop');
    expect(media['sky']!.map(({ fit }) => fit)).toEqual([undefined, 'crop']);
    // One of a reopened post is read, so that it can be seen.
    const old = { source: 'old', source_type: 'media_id' } as const;
    tray.lookOf(old);
    await expect.poll(() => tray.lookOf(old)).toEqual({ name: 'old.png', url: 'where', large: 'where?width=960' });
  });

  it('stay in the order they were chosen in, whichever arrives first', async () => {
    let media: Draft['media'] = [];
    let keys = 0;
    const arrivals = new Map<string, () => void>();
    const tray = makeMedia({
      upload: ({ name, type }) => ({
        arrived: new Promise((resolve) => {
          const item = { id: name, content_type: type, filename: name, thumbnail_url: null };
          arrivals.set(name, () => resolve(item));
        }),
        cancel: () => {},
      }),
      find: async (id) => ({ id, content_type: 'image/png', filename: id, thumbnail_url: null }),
      newKey: () => `key ${(keys += 1)}`,
      place: () => undefined,
      read: () => media,
      write: (_, items) => void (media = items),
    });
    const names = () => media.map(({ source }) => source);
    tray.add(['a', 'b', 'c', 'd'].map((name) => new File([name], name, { type: 'image/png' })));
    for (const name of ['c', 'a', 'd', 'b']) {
      arrivals.get(name)!();
      await expect.poll(names).toContain(name);
    }
    expect(names()).toEqual(['a', 'b', 'c', 'd']);
    tray.move(3, -1);
    expect(names()).toEqual(['a', 'b', 'd', 'c']);
  });
});

describe('the next free time', () => {
  const [FIRST, SECOND] = ['2030-04-01T10:00:00.000Z', '2030-04-02T10:00:00.000Z'];

  it('is filled in for the chosen accounts, and then the one after it', async () => {
    const { one, calls } = open({
      list_free_times: ({ after }) => ({ times: [{ scheduled_at: after === FIRST ? SECOND : FIRST }] }),
    });
    one.write({ chosen: ['sky', 'tube'] });
    await one.useNextTime();
    expect(one.draft.value.when).toBe('2030-04-01T12:00');
    await one.useNextTime();
    expect(one.draft.value.when).toBe('2030-04-02T12:00');
    one.write({ when: '2030-05-01T09:00' });
    await one.useNextTime();
    expect(one.draft.value.when).toBe('2030-04-01T12:00');
    expect(one.found.value).toBe('Mon, 1 Apr 2030, 12:00 is free.');
    const account_ids = ['sky', 'tube'];
    expect(named(calls, 'list_free_times').map(([, input]) => input)).toEqual([
      { account_ids, after: undefined },
      { account_ids, after: FIRST },
      { account_ids, after: undefined },
    ]);
  });

  it('is looked for from now on again once other accounts are chosen', async () => {
    const { one, calls } = open({ list_free_times: () => ({ times: [{ scheduled_at: FIRST }] }) });
    one.write({ chosen: ['sky'] });
    await one.useNextTime();
    one.toggle('tube');
    await one.useNextTime();
    await one.useNextTime();
    expect(named(calls, 'list_free_times').map(([, input]) => input)).toEqual([
      { account_ids: ['sky'], after: undefined },
      { account_ids: ['sky', 'tube'], after: undefined },
      { account_ids: ['sky', 'tube'], after: FIRST },
    ]);
  });

  it('says why there is none, and leaves the time as it is', async () => {
    let answer = (): object => ({ times: [] });
    const { one } = open({ list_free_times: () => answer() });
    const { when } = one.draft.value;
    await one.useNextTime();
    expect(one.problem.value).toBe('Choose an account first.');
    one.write({ chosen: ['sky'] });
    await one.useNextTime();
    expect(one.problem.value).toMatch(/^No posting time is free/);
    answer = () => {
      throw refused('resource.conflict');
    };
    await one.useNextTime();
    expect(one.problem.value).toBe('resource.conflict.');
    answer = () => {
      throw new TypeError('no network');
    };
    await one.useNextTime();
    expect(one.problem.value).toMatch(/could not be reached/);
    expect(one.draft.value.when).toBe(when);
  });

  it('gives way to what is done before it is found, and shows nothing over what another button says', async () => {
    let found = Promise.withResolvers<object>();
    const { one, calls } = open({ list_free_times: () => found.promise });
    const press = (chosen: readonly string[]) => {
      found = Promise.withResolvers();
      one.write({ chosen, when: '2030-03-31T09:00' });
      return one.useNextTime();
    };
    const arrive = () => found.resolve({ times: [{ scheduled_at: FIRST }] });

    let pressed = press(['sky']);
    await one.useNextTime();
    expect(named(calls, 'list_free_times')).toHaveLength(1);
    one.write({ when: '2030-05-01T09:00' });
    arrive();
    await pressed;
    expect([one.draft.value.when, one.problem.value]).toEqual(['2030-05-01T09:00', undefined]);

    pressed = press(['sky']);
    one.toggle('tube');
    arrive();
    await pressed;
    expect([one.draft.value.when, one.problem.value]).toEqual(['2030-03-31T09:00', expect.stringContaining('again')]);

    pressed = press(['sky']);
    await one.schedule();
    const { value: shown } = one.problem;
    expect(shown).toBeDefined();
    arrive();
    await pressed;
    expect([one.draft.value.when, one.problem.value]).toEqual(['2030-04-01T12:00', shown]);
  });

  it('is that of the accounts without a time of their own, unless all have one', async () => {
    const { one, calls } = open({ list_free_times: () => ({ times: [] }) });
    one.write({ chosen: ['sky', 'tube'] });
    one.setOwnTime('sky', '2030-04-01T08:30');
    await one.useNextTime();
    one.setOwnTime('tube', '2030-04-01T08:30');
    await one.useNextTime();
    const asked = named(calls, 'list_free_times').map(([, { account_ids }]) => account_ids);
    expect(asked).toEqual([['tube'], ['sky', 'tube']]);
  });
});
