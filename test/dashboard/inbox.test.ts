import { describe, expect, it } from 'vitest';
import { RefusedError } from '#dashboard/lib/call.ts';
import { keyOf, ofUnanswered } from '#dashboard/inbox/list/items.ts';
import { makeSource, partOf } from '#dashboard/inbox/list/sources.ts';
import { makeInbox } from '#dashboard/inbox/model.ts';
import { slotOf, titleOf, type Template } from '#dashboard/inbox/reply/filling.ts';
import { makeTemplates } from '#dashboard/inbox/reply/templates.ts';
import { windowOf } from '#dashboard/inbox/reply/window.ts';
import type { InboxThread } from '#dashboard/lib/operations.ts';
import { excessesOf } from '#kernel/text/length.ts';
import { anEvent, answering, aRefusal } from './answers.ts';

const anItem = (n: number, more: object = {}) => ({
  kind: 'conversation' as const,
  id: `conv_${n}`,
  account_id: 'acc_1',
  brand_id: 'brd_1',
  platform: 'facebook' as const,
  author: { id: `${n}`, name: `Person ${n}`, username: null, avatar_url: null },
  text: `Words ${n}`,
  created_at: new Date(1_000_000_000_000 - n * 60_000).toISOString(),
  unread_count: 0,
  ...more,
});
const listOf = (items: readonly object[], next = '') => ({
  data: items,
  next_cursor: next,
  pagination: { has_more: next !== '', next_cursor: next, limit: 50 },
});
const several = (count: number) => Array.from({ length: count }, (_, n) => anItem(n));
const key = (n: number) => keyOf('conversation', 'acc_1', `conv_${n}`);

const aThread = (id: string, more: object = {}) => ({
  kind: 'conversation',
  id,
  account_id: 'acc_1',
  platform: 'facebook',
  blocked: null,
  text_rule: { max: 100, counting: 'chars' },
  window: null,
  parts: null,
  post: null,
  conversation: { id, account_id: 'acc_1', platform: 'facebook', participant_name: id, last_message: id },
  ...more,
});

function open(
  answers: Parameters<typeof answering>[0] = {},
  items: readonly object[] = several(5),
  next = '',
  may: (name: string) => boolean = () => true,
) {
  const { call, calls } = answering({
    get_inbox_thread: ({ thread_id }) => aThread(thread_id),
    list_messages: () => listOf([]),
    list_unanswered: () => listOf(items),
    ...answers,
  });
  const said: [string, (() => void) | undefined][] = [];
  const addresses: (string | undefined)[] = [];
  const kept = new Map<string, string>();
  const store = {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
    removeItem: (name: string) => void kept.delete(name),
    key: (at: number) => [...kept.keys()][at] ?? null,
    get length() {
      return kept.size;
    },
  };
  const held = new Set<string>();
  const locks = {
    async hold(name: string, run: () => Promise<void>) {
      held.add(name);
      await run();
      held.delete(name);
    },
    isFree: async (name: string) => !held.has(name),
  };
  let hours = 0;
  let presses = 0;
  let isVisible = true;
  let look = () => {};
  let looks = 0;
  let focusMoves = 0;
  const now = (run: () => void) => run();
  const looked = (run: () => void) => {
    look = run;
    looks += 1;
  };
  const deps = {
    call,
    may,
    view: 'unanswered' as const,
    filters: {},
    isArchive: false,
    accounts: [],
    first: partOf(listOf(items, next) as never, ofUnanswered),
    person: 'usr_1',
    zone: 'UTC',
    clock: () => hours * 3_600_000,
    isVisible: () => isVisible,
    newKey: () => `press ${++presses}`,
    store,
    locks,
    say: (text: string, how?: Readonly<{ undo?: () => void }>) => void said.push([text, how?.undo]),
    excessesOf,
    later: { list: now, thread: now, open: now, looked },
    showAddress: (to: string | undefined) => void addresses.push(to),
    focusMoves: () => focusMoves,
  };
  const again = () => makeInbox(deps);
  const keys = (inbox: ReturnType<typeof again>) => inbox.list.items.value.map((item) => item.key);
  return {
    inbox: again(),
    again,
    calls,
    said,
    addresses,
    kept,
    keys,
    of: (name: string) => calls.filter(([one]) => one === name),
    look: () => look(),
    looks: () => looks,
    hide: () => void (isVisible = false),
    moveFocus: () => void (focusMoves += 1),
    /** Closes every tab. */
    leave: () => held.clear(),
    wait: (more: number) => void (hours += more),
    store,
  };
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('the mentions of many accounts', () => {
  const accounts = Array.from({ length: 30 }, (_, n) => ({
    id: `acc_${n}`,
    capabilities: ['list mentions'],
  })) as never[];
  const sourceOf = (some: never[], call: Parameters<typeof makeSource>[0]) =>
    makeSource(call, { view: 'mentions', filters: { platform: 'threads' }, isArchive: false, accounts: some });

  it('are read with one request, which finds the unanswered ones', async () => {
    const { call, calls } = answering({ list_unanswered: () => listOf([anItem(1, { kind: 'mention' })], 'more') });
    const part = await sourceOf(accounts, call)();
    expect(calls).toEqual([
      ['list_unanswered', { platform: 'threads', limit: 50, cursor: undefined, kind: 'mention' }, undefined],
    ]);
    expect([part.items.length, part.next, part.warnings.length]).toEqual([1, 'more', 1]);
  });

  it('are read account by account where there are few', async () => {
    const { call, calls } = answering({ get_mentions: () => listOf([]) });
    expect((await sourceOf(accounts.slice(0, 3), call)()).warnings).toEqual([]);
    expect(calls.map(([name]) => name)).toEqual(['get_mentions', 'get_mentions', 'get_mentions']);
  });

  it('are listed once each, also where the list is read anew while somebody reads on', async () => {
    const author = { name: 'Ada' };
    const mentions = ['c', 'b', 'a'].map((id, at) => ({ id, author, content: {}, created_at: `2026-01-0${3 - at}` }));
    const { call } = answering({
      get_mentions: async ({ cursor }) => (cursor ? listOf(mentions.slice(2)) : listOf(mentions.slice(0, 2), 'on')),
    });
    const source = sourceOf(accounts.slice(0, 1), call);
    const parts = await Promise.all([source(), source('more')]);
    expect(parts.map(({ items }) => items.map(({ id }) => id))).toEqual([['c', 'b', 'a'], []]);
  });
});

describe('moving through the inbox', () => {
  it('opens the next at once, and reads ahead what comes after and before, each once', async () => {
    const { inbox, of, addresses } = open();
    void inbox.step(1);
    expect([inbox.open.value?.name, addresses]).toEqual(['Person 0', [key(0)]]);
    await settle();
    expect(of('get_inbox_thread').map(([, { thread_id }]) => thread_id)).toEqual([
      'conv_0',
      'conv_1',
      'conv_2',
      'conv_3',
    ]);
    void inbox.step(1);
    await settle();
    expect(inbox.threads.of(key(1)).value.detail?.id).toBe('conv_1');
    void inbox.step(-1);
    void inbox.step(-1);
    await settle();
    expect(inbox.openKey.value).toBe(key(0));
    expect(of('get_inbox_thread')).toHaveLength(5);
  });

  it('reads the list on before its end, and goes as far as was pressed once it has come', async () => {
    const pages = [Array.from({ length: 5 }, (_, n) => anItem(n + 3)), [anItem(8)]];
    const asked: (() => void)[] = [];
    const list_unanswered = async () => {
      await new Promise<void>((resolve) => asked.push(resolve));
      return listOf(pages.shift()!, pages.length > 0 ? 'on' : '');
    };
    const { inbox, of, addresses } = open({ list_unanswered }, several(3), 'on');
    for (let presses = 0; presses < 5; presses += 1) void inbox.step(1);
    await settle();
    expect([inbox.open.value?.name, of('list_unanswered').length]).toEqual(['Person 2', 1]);
    asked[0]!();
    await settle();
    expect([inbox.open.value?.name, addresses.at(-1)]).toEqual(['Person 4', key(4)]);
    expect(of('list_unanswered')).toHaveLength(2);
    for (let presses = 0; presses < 4; presses += 1) void inbox.step(1);
    void inbox.step(-1);
    asked[1]!();
    await settle();
    expect(inbox.open.value?.name).toBe('Person 6');
    for (let presses = 0; presses < 9; presses += 1) await inbox.step(1);
    expect([inbox.open.value?.name, of('list_unanswered').length]).toEqual(['Person 8', 2]);
  });

  it.each(['step', 'archive'] as const)(
    'stays where an answer is begun while the list is read on, after %s',
    async (act) => {
      const rest = Promise.withResolvers<object>();
      const answers = { list_unanswered: () => rest.promise, update_conversation: () => ({}) };
      const { inbox, moveFocus, addresses } = open(answers, several(1), 'on');
      inbox.go(key(0));
      const acted = act === 'step' ? inbox.step(1) : inbox.archive();
      moveFocus();
      inbox.drafts.write(key(0), { text: 'Hel' });
      rest.resolve(listOf([anItem(1)]));
      expect(await acted).not.toBe(true);
      await settle();
      expect([inbox.openKey.value, addresses]).toEqual([key(0), [key(0)]]);
      expect([await inbox.step(1), inbox.openKey.value]).toEqual([true, key(1)]);
    },
  );

  it('goes as far as was pressed since an answer was begun', async () => {
    const rest = Promise.withResolvers<object>();
    const { inbox, moveFocus } = open({ list_unanswered: () => rest.promise }, several(1), 'on');
    inbox.go(key(0));
    const steps = [inbox.step(1), inbox.step(1)];
    moveFocus();
    steps.push(inbox.step(1), inbox.step(1));
    rest.resolve(listOf([anItem(1), anItem(2), anItem(3)]));
    expect([await Promise.all(steps), inbox.openKey.value]).toEqual([[false, false, true, false], key(2)]);
  });

  it('waits for a list that is being read anew, then reads on', async () => {
    const anew = Promise.withResolvers<object>();
    const list_unanswered = ({ cursor }: { cursor?: string }) => (cursor ? listOf([anItem(1)]) : anew.promise);
    const { inbox } = open({ list_unanswered }, several(1), 'on');
    void inbox.list.again();
    inbox.go(key(0));
    const stepped = inbox.step(1);
    anew.resolve(listOf([anItem(0)], 'on'));
    expect([await stepped, inbox.openKey.value]).toEqual([true, key(1)]);
  });

  it('opens the first of a list that is still being read', async () => {
    const anew = Promise.withResolvers<object>();
    const { inbox } = open({ list_unanswered: () => anew.promise }, []);
    void inbox.list.again();
    const stepped = inbox.step(1);
    anew.resolve(listOf([anItem(0)]));
    expect([await stepped, inbox.openKey.value]).toEqual([true, key(0)]);
  });

  it('reads a thread once more that changed while it was read', async () => {
    const first = Promise.withResolvers<object>();
    const answers = [() => first.promise, () => listOf([])];
    const { inbox, of } = open({ list_messages: () => answers.shift()!() }, [anItem(0)]);
    inbox.go(key(0));
    inbox.heard(anEvent({ category: 'inbox', account_id: 'acc_1', metadata: { event: 'dm.received' } }));
    first.resolve(listOf([]));
    await settle();
    expect(of('list_messages')).toHaveLength(2);
  });

  it('reads a thread again that changed while earlier messages were read', async () => {
    const earlier = Promise.withResolvers<object>();
    const answers = [() => listOf([], 'next'), () => earlier.promise, () => listOf([])];
    const { inbox, of } = open({ list_messages: () => answers.shift()!() }, [anItem(0)]);
    inbox.go(key(0));
    await settle();
    const read = inbox.threads.more(inbox.open.value!);
    inbox.heard(anEvent({ category: 'inbox', account_id: 'acc_1', metadata: { event: 'dm.received' } }));
    earlier.resolve(listOf([]));
    await read;
    expect(of('list_messages')).toHaveLength(3);
  });

  it('shows earlier messages only down to a gap, where more came than are read at once', async () => {
    const at = (second: number) => ({ id: `m${second}`, created_at: `2026-01-01T09:00:0${second}.000Z` });
    // Two messages of one second are on different pages.
    const pages = [
      listOf([at(4), { ...at(3), id: 'm3b' }], 'on'),
      listOf([at(3), at(2)]),
      listOf([at(5), at(4), { ...at(3), id: 'm3b' }], 'on'),
      listOf([at(9), at(8)], 'newer'),
    ];
    const { inbox } = open({ list_messages: () => pages.shift()! }, [anItem(0)]);
    const messages = () => inbox.threads.of(key(0)).value.messages.map(({ id }) => id);
    inbox.go(key(0));
    await settle();
    const item = inbox.open.value!;
    await inbox.threads.more(item);
    await inbox.threads.read(item);
    expect(messages()).toEqual(['m2', 'm3', 'm3b', 'm4', 'm5']);
    await inbox.threads.read(item);
    expect([messages(), inbox.threads.of(key(0)).value.next]).toEqual([['m8', 'm9'], 'newer']);
  });

  it('asks a platform for comments of a post that is open, and for no other', async () => {
    const post = { id: 'ipost_1', account_id: 'acc_1', platform: 'facebook', content: 'Bread', comment_count: 1 };
    const { inbox, of } = open({
      get_inbox_thread: ({ thread_id }) => aThread(thread_id, { kind: 'post', conversation: undefined, post }),
      list_post_comments: () => listOf([]),
    });
    const opened = keyOf('post', 'acc_1', 'ipost_1');
    inbox.go(opened);
    await settle();
    expect(of('list_post_comments').map(([, { post_id }]) => post_id)).toEqual(['ipost_1']);
    expect(inbox.open.value).toMatchObject({ kind: 'post', text: 'Bread' });
  });

  it('opens what the address names although the list has not reached it', async () => {
    const { inbox, keys } = open();
    inbox.start(key(99));
    await settle();
    expect(inbox.open.value?.name).toBe('conv_99');
    expect(keys(inbox)).toContain(key(99));
    inbox.start('nonsense');
    expect(inbox.openKey.value).toBe(key(99));
  });
});

describe('comments of a post', () => {
  const aComment = (id: string, parent_id: string | null = null) => ({
    id,
    parent_id,
    account_id: 'acc_1',
    platform_post_id: 'p',
  });

  it('that were read further down stay when the first are read again', async () => {
    const post = { id: 'ipost_1', account_id: 'acc_1', platform: 'facebook', content: 'Bread', comment_count: 3 };
    const pages = [
      listOf([aComment('a')], 'next'),
      listOf([aComment('a'), aComment('b')]),
      listOf([aComment('a')], 'next'),
    ];
    const { inbox } = open({
      get_inbox_thread: ({ thread_id }) => aThread(thread_id, { kind: 'post', conversation: undefined, post }),
      list_post_comments: () => pages.shift(),
      get_comment_replies: () => listOf([aComment('c')]),
    });
    const opened = keyOf('post', 'acc_1', 'ipost_1');
    inbox.go(opened);
    await settle();
    const item = inbox.open.value!;
    await inbox.threads.more(item);
    await inbox.threads.answers(item, inbox.threads.of(opened).value.comments[0]!);
    inbox.heard(anEvent({ category: 'inbox', account_id: 'acc_1', metadata: { event: 'comment.received' } }));
    await settle();
    const { comments } = inbox.threads.of(opened).value;
    expect(comments.map(({ id, parent_id }) => [id, parent_id])).toEqual([
      ['a', null],
      ['b', null],
      ['c', 'a'],
    ]);
  });
});

describe('what happens while the inbox is on the screen', () => {
  const heard = (event: string, account_id = 'acc_1') =>
    anEvent({ category: 'inbox', account_id, metadata: { event } });

  it('comes in by itself, and what is open stays where it is', async () => {
    let items = several(3);
    const { inbox, keys } = open({ list_unanswered: () => listOf(items) }, items);
    inbox.go(key(2));
    const moved = { created_at: new Date(2_000_000_000_000).toISOString(), text: 'More words' };
    items = [anItem(2, moved), anItem(7, { created_at: new Date(1_500_000_000_000).toISOString() }), ...several(2)];
    inbox.heard(heard('dm.received'));
    await settle();
    expect(keys(inbox)).toEqual([key(7), key(0), key(1), key(2)]);
    expect(inbox.open.value?.text).toBe('More words');
  });

  it('waits while somebody points at the list', async () => {
    let items = several(2);
    const { inbox, keys } = open({ list_unanswered: () => listOf(items) }, items);
    inbox.list.point(true);
    items = [anItem(-1), ...items];
    inbox.heard(heard('comment.received'));
    await settle();
    expect([keys(inbox), inbox.list.updates.value.length]).toEqual([[key(0), key(1)], 1]);
    inbox.list.point(false);
    expect([keys(inbox), inbox.list.updates.value.length]).toEqual([[key(-1), key(0), key(1)], 0]);
  });

  it('marks what was answered elsewhere, and leaves it there until the list is read again', async () => {
    let items = several(3);
    const { inbox, keys } = open({ list_unanswered: () => listOf(items) }, items);
    items = [anItem(0), anItem(2)];
    inbox.heard(heard('dm.sent'));
    await settle();
    expect([keys(inbox), inbox.list.settled.value.get(key(1)), inbox.list.waiting.value]).toEqual([
      [key(0), key(1), key(2)],
      'Done',
      2,
    ]);
    await inbox.list.again();
    expect(keys(inbox)).toEqual([key(0), key(2)]);
  });

  it('is read again for the account that it concerns alone', async () => {
    const { inbox, of } = open();
    inbox.go(key(0));
    await settle();
    const before = of('list_messages').length;
    inbox.heard(heard('dm.received', 'acc_2'));
    inbox.heard(heard('review.received'));
    inbox.heard(anEvent({ category: 'post' }));
    await settle();
    expect(of('list_messages')).toHaveLength(before);
    inbox.heard(heard('dm.status.read'));
    await settle();
    expect(of('list_messages').length).toBe(before + 1);
  });
});

describe('an answer', () => {
  it('is kept for each thread until it is sent, through a reload', async () => {
    const { inbox, again, kept } = open({ send_dm: () => ({}) });
    inbox.go(key(0));
    await settle();
    inbox.drafts.write(key(0), { text: 'For the first' });
    inbox.drafts.write(key(1), { text: 'For the second' });
    const later = again();
    expect([later.drafts.of(key(0)).value.text, later.drafts.of(key(1)).value.text]).toEqual([
      'For the first',
      'For the second',
    ]);
    await inbox.reply();
    expect([...kept.values()]).toEqual([expect.stringContaining('For the second')]);
    expect(inbox.list.settled.value.get(key(0))).toBe('Answered');
  });

  it('that was written before its thread was read is sent then', async () => {
    const first = Promise.withResolvers<object>();
    const { inbox, of } = open({ send_dm: () => ({}), get_inbox_thread: () => first.promise }, [anItem(0)]);
    inbox.go(key(0));
    inbox.drafts.write(key(0), { text: 'Hello' });
    const sent = inbox.reply();
    void inbox.reply();
    expect([inbox.isWaiting(key(0)), inbox.drafts.of(key(0)).value.text]).toEqual([true, 'Hello']);
    inbox.go(key(1));
    first.resolve(aThread('conv_0'));
    await sent;
    expect(of('send_dm').map(([, { text }]) => text)).toEqual(['Hello']);
    expect([inbox.isWaiting(key(0)), inbox.drafts.of(key(0)).value.text]).toEqual([false, '']);
  });

  it('that was written before its thread was read stays where it cannot be sent', async () => {
    const threads: (() => object)[] = [
      () => {
        throw new TypeError('Failed to fetch');
      },
      () => aThread('conv_0', { text_rule: { max: 3, counting: 'chars' } }),
    ];
    const { inbox, of, said } = open({ get_inbox_thread: () => threads.shift()!() }, [anItem(0)]);
    inbox.drafts.write(key(0), { text: 'Hello' });
    inbox.go(key(0));
    await inbox.reply();
    await inbox.reply();
    expect([of('send_dm'), inbox.drafts.of(key(0)).value.text]).toEqual([[], 'Hello']);
    expect(said.map(([text]) => text)).toEqual(['What you wrote to Person 0 was not sent. It is kept there.']);
  });

  it('that did not arrive stays, and is sent again under the same key', async () => {
    const answers: (() => unknown)[] = [
      () => {
        throw new TypeError('Failed to fetch');
      },
      () => {
        throw new RefusedError(503, { code: 'internal.error', message: 'Restarting.', request_id: 'r' });
      },
      () => ({}),
    ];
    const { inbox, again, of } = open({ send_dm: () => answers.shift()!() });
    inbox.go(key(0));
    await settle();
    inbox.drafts.write(key(0), { text: 'Hello' });
    await inbox.reply();
    const [failed] = inbox.outbox.of(key(0)).value;
    expect([failed?.text, failed?.problem?.message]).toEqual(['Hello', expect.stringContaining('No answer came')]);
    expect(again().outbox.of(key(0)).value).toMatchObject([{ text: 'Hello', problem: {} }]);
    await inbox.outbox.retry(failed!.id);
    expect(inbox.outbox.failed.value).toEqual(new Set([key(0)]));
    await inbox.outbox.retry(failed!.id);
    expect(of('send_dm').map(([, , press]) => press)).toEqual(['press 1', 'press 1', 'press 1']);
    expect(inbox.outbox.of(key(0)).value).toEqual([]);
  });

  it('that was refused for good is sent again under another key, or written another way', async () => {
    const { inbox, of } = open({
      send_dm() {
        throw aRefusal('Too long.', 422);
      },
    });
    inbox.go(key(0));
    await settle();
    const choices = {
      as: 'buttons' as const,
      rows: [{ title: 'Yes' }, { title: 'Menu', url: 'https://menu.example' }, { title: ' ' }],
    };
    inbox.drafts.write(key(0), { text: 'Hello', choices });
    await inbox.reply();
    expect(of('send_dm')[0]?.[1].buttons).toEqual([
      { type: 'postback', title: 'Yes', payload: 'Yes' },
      { type: 'url', title: 'Menu', url: 'https://menu.example' },
    ]);
    const { id } = inbox.outbox.of(key(0)).value[0]!;
    await inbox.outbox.retry(id);
    expect(of('send_dm').map(([, , press]) => press)).toEqual(['press 1', 'press 2']);
    inbox.writeAgain(id);
    expect([inbox.outbox.of(key(0)).value, inbox.drafts.of(key(0)).value]).toEqual([[], { text: 'Hello', choices }]);
  });

  it('that was on its way when the page was left says so', async () => {
    const { inbox, again, leave } = open({ send_dm: () => new Promise(() => {}) });
    inbox.go(key(0));
    await settle();
    inbox.drafts.write(key(0), { text: 'Hello' });
    void inbox.reply();
    expect(inbox.outbox.of(key(0)).value.map(({ text, problem }) => [text, problem])).toEqual([['Hello', undefined]]);
    leave();
    const later = again();
    await settle();
    expect(later.outbox.of(key(0)).value[0]?.problem?.message).toContain('The page was left');
  });

  const noAnswer = () => {
    throw new TypeError('Failed to fetch');
  };
  async function unanswered(answer: () => unknown = noAnswer) {
    const stage = open({ send_dm: () => answer() });
    stage.inbox.go(key(0));
    await settle();
    stage.inbox.drafts.write(key(0), { text: 'Hello' });
    void stage.inbox.reply();
    await settle();
    const keysSent = () => stage.of('send_dm').map(([, , press]) => press);
    return { ...stage, keysSent, id: stage.inbox.outbox.of(key(0)).value[0]!.id };
  }

  it('that the server no longer knows is sent anew only after it was said that it may have arrived', async () => {
    const { inbox, again, id, wait, keysSent } = await unanswered();
    wait(23);
    await inbox.outbox.retry(id);
    wait(1);
    await inbox.outbox.retry(id);
    expect(keysSent()).toEqual(['press 1', 'press 1']);
    expect(again().outbox.of(key(0)).value[0]?.problem?.message).toContain('Check before you send it again');
    expect(inbox.outbox.of(key(0)).value[0]?.problem?.message).toContain('Check before you send it again');
    await inbox.outbox.retry(id);
    await inbox.outbox.retry(id);
    expect(keysSent()).toEqual(['press 1', 'press 1', 'press 2', 'press 2']);
  });

  it('that may have arrived is not written another way', async () => {
    const { inbox, id } = await unanswered();
    inbox.writeAgain(id);
    expect([inbox.outbox.of(key(0)).value.length, inbox.drafts.of(key(0)).value.text]).toEqual([1, '']);
  });

  it('stays in one tab whatever is sent in another', async () => {
    const { inbox, again } = await unanswered();
    const [left, right] = [again(), again()];
    for (const [tab, text] of [
      [left, 'Left'],
      [right, 'Right'],
    ] as const)
      await tab.send(inbox.open.value!, text, { name: 'send_dm', input: { conversation_id: 'conv_0', text } });
    expect(
      again()
        .outbox.of(key(0))
        .value.map(({ text }) => text),
    ).toEqual(['Hello', 'Left', 'Right']);
  });

  it('that another tab is sending is not called left', async () => {
    const { again } = await unanswered(() => new Promise(() => {}));
    const other = again();
    await settle();
    expect(other.outbox.of(key(0)).value).toEqual([]);
  });

  it('is kept as long as the page is open where the device has no room', () => {
    const { inbox, store } = open();
    store.setItem = () => {
      throw new Error('full');
    };
    inbox.drafts.write(key(0), { text: 'Hello' });
    expect(inbox.drafts.of(key(0)).value.text).toBe('Hello');
  });

  it('is sent although the device has no room to keep it', async () => {
    const { inbox, store, of } = open({ send_dm: () => ({}) });
    inbox.go(key(0));
    await settle();
    inbox.drafts.write(key(0), { text: 'Hello' });
    store.setItem = () => {
      throw new Error('full');
    };
    await inbox.reply();
    expect(of('send_dm')).toHaveLength(1);
  });
});

describe('what is done besides answering', () => {
  const comment = {
    id: 'cmt_1',
    account_id: 'acc_1',
    platform_post_id: 'post_1',
    is_hidden: false,
    is_liked: false,
    like_count: 1,
    parent_id: null,
    author: { name: 'Ada' },
    capabilities: { can_reply: true, can_private_reply: true, can_hide: true, can_like: true, can_delete: true },
  };
  const item = anItem(1, { kind: 'comment', id: 'cmt_1' });
  const opened = keyOf('comment', 'acc_1', 'cmt_1');
  async function openComment(answers: Parameters<typeof answering>[0]) {
    const detail = (id: string) =>
      aThread(id, { kind: 'comment', conversation: undefined, comment, comments: [comment] });
    const stage = open({ get_inbox_thread: ({ thread_id }) => detail(thread_id), ...answers }, [item]);
    stage.inbox.go(opened);
    await settle();
    const shown = () => stage.inbox.threads.of(opened).value.comments[0];
    return { ...stage, shown, one: () => stage.inbox.open.value! };
  }

  it('is offered to people whose role allows it, and where the platform does', async () => {
    const capabilities = { ...comment.capabilities, can_like: false };
    const given = { ...comment, capabilities };
    const answers = {
      get_inbox_thread: ({ thread_id }: { thread_id: string }) =>
        aThread(thread_id, { kind: 'comment', conversation: undefined, comment: given, comments: [given] }),
    };
    const none = Object.fromEntries(Object.keys(capabilities).map((name) => [name, false]));
    for (const [may, can] of [
      [() => true, capabilities],
      [(name: string) => !/^(?:hide|delete)_/.test(name), { ...capabilities, can_hide: false, can_delete: false }],
      [() => false, none],
    ] as const) {
      const { inbox } = open(answers, [item], '', may);
      inbox.go(opened);
      await settle();
      const { detail, comments } = inbox.threads.of(opened).value;
      expect([detail?.comment?.capabilities, comments[0]?.capabilities]).toEqual([can, can]);
      expect(inbox.target.value === undefined).toBe(can === none);
    }
  });

  it('is offered below a post and among its answers in the same way', async () => {
    const post = { id: 'post_1', account_id: 'acc_1' };
    const answer = { ...comment, id: 'cmt_2' };
    const { inbox } = open(
      {
        get_inbox_thread: ({ thread_id }) => aThread(thread_id, { kind: 'post', conversation: undefined, post }),
        list_post_comments: () => listOf([comment]),
        get_comment_replies: () => listOf([answer]),
      },
      [],
      '',
      (name) => name !== 'hide_comment',
    );
    const place = keyOf('post', 'acc_1', 'post_1');
    inbox.go(place);
    await settle();
    await inbox.threads.answers(inbox.open.value!, inbox.threads.of(place).value.comments[0]!);
    const shown = inbox.threads.of(place).value.comments.map(({ id, capabilities }) => [id, capabilities.can_hide]);
    expect(shown).toEqual([
      ['cmt_1', false],
      ['cmt_2', false],
    ]);
  });

  it('archives, goes on, and brings back', async () => {
    const { inbox, said, of } = open({ update_conversation: () => ({}) });
    inbox.go(key(0));
    await inbox.archive();
    expect([inbox.openKey.value, inbox.list.settled.value.get(key(0)), said[0]?.[0]]).toEqual([
      key(1),
      'Archived',
      'Archived: Person 0.',
    ]);
    said[0]![1]!();
    await settle();
    expect(of('update_conversation').map(([, { status }]) => status)).toEqual(['archived', 'active']);
    expect(inbox.list.settled.value.has(key(0))).toBe(false);
  });

  it('hides at once, and takes it back', async () => {
    const { inbox, shown, one, said, of } = await openComment({ hide_comment: () => ({}), unhide_comment: () => ({}) });
    const done = inbox.acts.hide(one(), shown()!, true);
    expect([shown()?.is_hidden, inbox.list.settled.value.get(opened)]).toEqual([true, 'Hidden']);
    await done;
    said[0]![1]!();
    await settle();
    expect([shown()?.is_hidden, inbox.list.settled.value.has(opened), of('unhide_comment')]).toEqual([
      false,
      false,
      [['unhide_comment', { post_id: 'post_1', comment_id: 'cmt_1', account_id: 'acc_1' }, 'press 2']],
    ]);
  });

  it('shows a refusal, and what is so', async () => {
    const { inbox, shown, one, said } = await openComment({
      like_comment() {
        throw aRefusal('The platform is away.', 502);
      },
    });
    const done = inbox.acts.like(one(), shown()!, true);
    expect([shown()?.is_liked, shown()?.like_count]).toEqual([true, 2]);
    await done;
    expect([shown()?.is_liked, shown()?.like_count, said[0]?.[0]]).toEqual([false, 1, 'The platform is away.']);
  });

  it('answers a comment in public or in private', async () => {
    const { inbox, of } = await openComment({ reply_to_comment: () => ({}), private_reply_to_comment: () => ({}) });
    inbox.drafts.write(opened, { text: 'In public' });
    await inbox.reply();
    inbox.drafts.write(opened, { text: 'In private', isPrivate: true });
    expect(inbox.target.value?.label).toBe('Private message to Ada');
    await inbox.reply();
    const place = { account_id: 'acc_1', post_id: 'post_1', comment_id: 'cmt_1' };
    expect([of('reply_to_comment')[0]?.[1], of('private_reply_to_comment')[0]?.[1]]).toEqual([
      { ...place, text: 'In public' },
      { ...place, text: 'In private' },
    ]);
  });

  it('never goes to another place by itself than the one it was written for', async () => {
    const { inbox, of } = await openComment({ reply_to_comment: () => ({}), private_reply_to_comment: () => ({}) });
    inbox.drafts.write(opened, { text: 'To another', to: 'cmt_9' });
    expect(inbox.target.value?.missing).toContain('not loaded');
    await inbox.reply();
    inbox.drafts.write(opened, { to: undefined, isPrivate: true });
    inbox.threads.change(opened, ({ comments }) => ({
      comments: comments.map((one) => ({ ...one, capabilities: { ...one.capabilities, can_private_reply: false } })),
    }));
    inbox.drafts.write(opened, { to: 'cmt_1' });
    expect(inbox.target.value).toMatchObject({ isPrivate: true, missing: expect.stringContaining('in private') });
    await inbox.reply();
    expect([of('reply_to_comment'), of('private_reply_to_comment'), inbox.drafts.of(opened).value.text]).toEqual([
      [],
      [],
      'To another',
    ]);
    inbox.drafts.write(opened, { isPrivate: false });
    await inbox.reply();
    expect(of('reply_to_comment')).toHaveLength(1);
  });

  it('marks nothing as read before it was loaded, and looks again then', async () => {
    let isAway = true;
    const answers = {
      mark_conversation_read: () => ({}),
      list_messages() {
        if (isAway) throw aRefusal('Away.', 502);
        return listOf([]);
      },
    };
    const { inbox, of, look, looks } = open(answers, [anItem(0, { unread_count: 2 })]);
    inbox.go(key(0));
    look();
    await settle();
    look();
    expect([inbox.open.value?.count, of('mark_conversation_read')]).toEqual([2, []]);
    isAway = false;
    const before = looks();
    await inbox.read(inbox.open.value!);
    expect(looks()).toBe(before + 1);
    look();
    expect(of('mark_conversation_read')).toHaveLength(1);
  });

  it('marks as read what was looked at, and leaves what was marked as unread', async () => {
    const { inbox, of, look, hide } = open({ mark_conversation_read: () => ({}), update_conversation: () => ({}) }, [
      anItem(0, { unread_count: 2 }),
    ]);
    inbox.go(key(0));
    await settle();
    look();
    await settle();
    expect([inbox.open.value?.count, of('mark_conversation_read')]).toEqual([
      0,
      [['mark_conversation_read', { conversation_id: 'conv_0' }, 'press 1']],
    ]);
    await inbox.unread();
    look();
    expect([inbox.open.value?.count, of('update_conversation')[0]?.[1]]).toEqual([
      1,
      { conversation_id: 'conv_0', is_read: false },
    ]);
    inbox.go(key(0));
    hide();
    look();
    await settle();
    expect(of('mark_conversation_read')).toHaveLength(1);
  });
});

it('what people look at who may not mark it stays unread', async () => {
  const { inbox, of, looks } = open({}, [anItem(0, { unread_count: 2 })], '', () => false);
  inbox.go(key(0));
  await settle();
  inbox.look();
  expect([inbox.open.value?.count, of('mark_conversation_read'), looks()]).toEqual([2, [], 0]);
});

describe('the window for messages in words', () => {
  const at = (hours: number) => new Date(Date.UTC(2026, 0, 5) + hours * 3_600_000).toISOString();
  const say = (window: object | null, hours: number) =>
    windowOf(aThread('c', { window }) as unknown as InboxThread, 'Ada', { now: Date.parse(at(hours)), zone: 'UTC' });

  it('says until when, and what reaches the person then', () => {
    expect(say(null, 0)).toBeUndefined();
    const open_until = at(14);
    const plain = { open_until, tags: [], later: null };
    const byTemplate = { ...plain, later: 'send_whatsapp_template' };
    const tagged = { ...plain, tags: [{ name: 'HUMAN_AGENT', until: at(100) }] };
    expect(say(byTemplate, 1)).toEqual({
      text: 'You can write until 14:00; after that only an approved template reaches them.',
      isClosed: false,
      byTemplate: true,
    });
    expect(say(plain, 30)).toMatchObject({ isClosed: true, byTemplate: false });
    expect(say(plain, 30)?.text).toMatch(/^The time to answer ended Mon,? 5 Jan 2026, 14:00: nothing reaches/);
    expect(say(tagged, 30)).toMatchObject({ isClosed: false, tag: 'HUMAN_AGENT' });
    expect(say(tagged, 101)).toMatchObject({ isClosed: true });
    expect(say({ ...plain, open_until: null }, 0)?.text).toMatch(/^Ada has not written yet/);
  });
});

describe('a template', () => {
  const template = (components: readonly object[]) =>
    ({ id: 't', name: 'order_ready', status: 'APPROVED', category: 'UTILITY', language: 'en', components }) as Template;
  const order = template([
    { type: 'HEADER', format: 'TEXT', text: 'Order {{1}}' },
    { type: 'BODY', text: 'Table {{2}}, {{1}}, {{2}}.' },
    {
      type: 'BUTTONS',
      buttons: [
        { type: 'QUICK_REPLY', text: 'Ok' },
        { type: 'URL', text: 'See', url: 'https://a.example/{{1}}' },
      ],
    },
  ]);
  async function fillIn(templates: readonly Template[]) {
    const { call } = answering({
      list_whatsapp_templates: () => ({ data: [...templates, { ...order, id: 'waits', status: 'PENDING' }] }),
    });
    const model = makeTemplates(call);
    await model.open({ key: key(0), accountId: 'acc_1' });
    model.choose('t');
    return model;
  }

  it('is filled in where it varies, and shown as it will be read', async () => {
    const model = await fillIn([order]);
    expect(model.templates.value).toHaveLength(1);
    expect(model.variables.value.map(titleOf)).toEqual([
      'Value 1, in the header',
      'Value 2',
      'Value 1',
      'Value 1, in the address of button 2',
    ]);
    const [header, table, name, address] = model.variables.value.map(slotOf);
    model.fill(header!, 'A-17');
    model.fill(table!, '4');
    model.fill(name!, ' Ada ');
    expect([model.words.value, model.isFilled.value]).toEqual(['Order A-17\nTable 4,  Ada , 4.', false]);
    model.fill(address!, 'menu');
    expect(model.isFilled.value).toBe(true);
    expect(model.requestTo('49151')?.input).toEqual({
      account_id: 'acc_1',
      to: '49151',
      template_name: 'order_ready',
      language: 'en',
      components: [
        { type: 'header', parameters: [{ type: 'text', text: 'A-17' }] },
        {
          type: 'body',
          parameters: [
            { type: 'text', text: 'Ada' },
            { type: 'text', text: '4' },
          ],
        },
        { type: 'button', sub_type: 'url', index: '1', parameters: [{ type: 'text', text: 'menu' }] },
      ],
    });
  });

  it('is begun anew for another person, and after it was closed', async () => {
    const model = await fillIn([order]);
    const begin = () => {
      model.choose('t');
      model.fill(slotOf(model.variables.value[0]!), 'A-17');
    };
    const begun = () => [model.chosen.value?.id, model.values.value.size];
    begin();
    expect([begun(), model.isFor(key(0)), model.isFor(key(1))]).toEqual([['t', 1], true, false]);
    await model.open({ key: key(1), accountId: 'acc_2' });
    expect([begun(), model.isFor(key(0)), model.isFor(key(1))]).toEqual([[undefined, 0], false, true]);
    begin();
    expect(model.requestTo('49151')?.input).toMatchObject({ account_id: 'acc_2' });
    model.close();
    expect([begun(), model.isFor(key(1))]).toEqual([[undefined, 0], false]);
  });

  it('with names is filled in by them', async () => {
    const model = await fillIn([template([{ type: 'BODY', text: 'Hello {{first_name}}' }])]);
    expect(model.variables.value.map(titleOf)).toEqual(['first name']);
    model.fill(slotOf(model.variables.value[0]!), 'Ada');
    expect(model.requestTo('49151')?.input).toMatchObject({
      components: [{ type: 'body', parameters: [{ type: 'text', text: 'Ada', parameter_name: 'first_name' }] }],
    });
  });

  it.each([
    [{ type: 'HEADER', format: 'IMAGE' }, 'a file or a place'],
    [{ type: 'CAROUSEL' }, 'only a program'],
    [{ type: 'BUTTONS', buttons: [{ type: 'COPY_CODE' }] }, 'only a program'],
  ])('that needs more than words says so: %j', async (component, words) => {
    const model = await fillIn([template([component])]);
    expect(model.lack.value).toContain(words);
  });
});
