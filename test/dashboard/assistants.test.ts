import { describe, expect, it } from 'vitest';
import { RefusedError } from '#dashboard/lib/call.ts';
import { makeAssistants, usedBy } from '#dashboard/assistants/model.ts';
import { wordsOfPost } from '#kernel/people/known-post.ts';
import {
  requesterOf,
  filesOf,
  labelOf,
  partsOf,
  postOf,
  restOf,
  titleOf,
  whenOf,
  type PageWords,
} from '#kernel/people/preview.ts';
import type { Edits } from '#dashboard/assistants/edits.ts';
import { answering, anEvent, aPost } from './answers.ts';

const anAction = (id: string, more: object = {}): any => ({
  id,
  connection_id: 'con_1',
  tool: 'send_dm',
  act: 'message',
  state: 'held',
  account_ids: [],
  input: { conversation_id: 'c', text: `Text of ${id}` },
  edits: null,
  etag: `etag ${id}`,
  outcome: null,
  ...more,
});
const WORDS: PageWords = {
  nameOf: (account) => (account === 'acc_1' ? 'Bakery' : undefined),
  timeOf: (at) => `at ${at}`,
};
const listOf = (data: readonly unknown[]) => ({ data }) as any;

/** Actions as a server has them, which decides as it is told. */
function open(actions: any[], answers: Parameters<typeof answering>[0] = {}, isAdministrator = true) {
  const said: string[] = [];
  const kept = new Map<string, Edits>();
  const waiting: (() => void)[] = [];
  const decide = (state: string) => (input: any) => {
    const at = actions.findIndex(({ id }) => id === input.action_id);
    actions[at] = { ...actions[at], state, edits: input.edits ?? null, note: input.note ?? null };
    return actions[at];
  };
  const { call, calls } = answering({
    list_actions: ({ state }) => listOf(actions.filter((one) => state === undefined || one.state === state)),
    list_connections: () => listOf([]),
    get_action: ({ action_id }) => actions.find(({ id }) => id === action_id),
    approve_action: decide('approved'),
    deny_action: decide('denied'),
    ...answers,
  });
  const model = makeAssistants({
    call,
    mayDecide: isAdministrator,
    seesAll: isAdministrator,
    connections: [{ id: 'con_1', name: 'Claude' } as any],
    held: actions.filter(({ state }) => state === 'held'),
    recent: actions,
    accounts: [{ id: 'acc_1', name: 'Bakery' } as any],
    kept: { read: (id) => kept.get(id) ?? {}, write: (id, edits) => void kept.set(id, edits) },
    newKey: () => 'key',
    later: (run) => void waiting.push(run),
    say: (text) => void said.push(text),
  });
  const states = () => model.queue.rows.value.map(({ id, state }) => `${id} ${state}`);
  return { model, queue: model.queue, calls, said, kept, states, settle: () => waiting.splice(0).at(-1)?.() };
}

it('people who do not decide are not read what waits', async () => {
  const { model, calls, settle } = open([], {}, false);
  model.heard(anEvent({ category: 'api', resource_id: 'act_1' }));
  settle();
  await expect.poll(() => calls.map(([name]) => name)).toEqual(['list_connections']);
});

describe('the queue of requests that wait', () => {
  it('is walked in the order in which they came', () => {
    // The server answers the latest first.
    const { queue } = open([anAction('act_2'), anAction('act_1')]);
    expect([queue.current.value, queue.step(1), queue.step(1), queue.step(-1)]).toEqual([
      'act_1',
      'act_2',
      'act_2',
      'act_1',
    ]);
  });

  it('approves with the texts that were changed, and only these', async () => {
    const { queue, calls, kept, states } = open([anAction('act_2'), anAction('act_1')]);
    queue.edit('act_1', '/text', 'Better');
    queue.edit('act_2', '/text', 'Text of act_2');
    expect(kept.get('act_1')).toEqual({ '/text': 'Better' });
    await queue.approve(queue.rows.value);
    expect(calls.filter(([name]) => name === 'approve_action').map(([, input]) => input)).toEqual([
      { action_id: 'act_1', etag: 'etag act_1', edits: { '/text': 'Better' } },
      { action_id: 'act_2', etag: 'etag act_2' },
    ]);
    // What was decided stays in its place, and what was kept of it goes.
    expect([states(), kept.get('act_1')]).toEqual([['act_1 approved', 'act_2 approved'], {}]);
  });

  it('denies several with one reason, and ticks what waits alone', async () => {
    const { queue, said, states } = open([anAction('act_3'), anAction('act_2'), anAction('act_1')]);
    queue.turn('act_1');
    queue.turn('act_3');
    queue.turn('act_3');
    queue.turn('act_2');
    await queue.deny(queue.chosenOnes.value, 'Not today');
    expect(states()).toEqual(['act_1 denied', 'act_2 denied', 'act_3 held']);
    expect([said, queue.chosenOnes.value]).toEqual([['Denied: 2.'], []]);
    queue.turn('act_1');
    expect(queue.chosen.value.size).toBe(0);
  });

  it('ticks nothing that changes a stored post, which is not shown in the list', () => {
    const post = { tool: 'publish_post', act: 'post', input: { post_id: 'post_1' } };
    const { queue, said } = open([anAction('act_1', post)]);
    queue.turn('act_1');
    expect([queue.chosen.value.size, said]).toEqual([0, ['Requests about stored posts are decided one by one.']]);
  });

  it('says of one that changed meanwhile why nothing was done, and reads it again', async () => {
    const actions = [anAction('act_1')];
    const { queue, states } = open(actions, {
      approve_action() {
        actions[0] = anAction('act_1', { etag: 'newer', input: { text: 'As it is now' } });
        throw new RefusedError(409, { code: 'resource.conflict', message: 'It changed.', request_id: 'r' });
      },
    });
    expect(await queue.approve(queue.rows.value)).toBe(false);
    expect([queue.problems.value.get('act_1'), states(), queue.find('act_1')!.etag]).toEqual([
      'It changed.',
      ['act_1 held'],
      'newer',
    ]);
  });

  it('approves nothing that is not as it was shown, until it was looked at again', async () => {
    const actions = [anAction('act_2'), anAction('act_1', { tool: 'publish_post' })];
    const { model, queue, calls, settle } = open(actions);
    actions[1] = anAction('act_1', { tool: 'publish_post', etag: 'newer' });
    model.heard(anEvent({ category: 'api', resource_id: 'act_2' }));
    settle();
    await expect.poll(() => queue.problems.value.get('act_1')).toContain('It has changed');
    const approved = () => calls.filter(([name]) => name === 'approve_action').map(([, { etag }]) => etag);
    expect([await queue.approve(queue.rows.value), approved(), queue.current.value]).toEqual([false, [], 'act_1']);
    expect([await queue.approve(queue.rows.value), approved()]).toEqual([true, ['newer', 'etag act_2']]);
  });

  it('shows what was decided as decided, also where a list arrives that was read before', async () => {
    const actions = [anAction('act_1')];
    const early = Promise.withResolvers<any>();
    let lists = 0;
    const { model, queue, states, settle } = open(actions, {
      list_actions: () => ((lists += 1) <= 2 ? early.promise : listOf(actions)),
    });
    model.heard(anEvent({ category: 'api', resource_id: 'act_1' }));
    settle();
    const before = actions[0];
    actions[0] = { ...before, etag: 'decided' };
    await queue.approve(queue.rows.value);
    early.resolve(listOf([before]));
    await expect.poll(() => lists).toBeGreaterThan(2);
    expect([states(), queue.problems.value.size]).toEqual([['act_1 approved'], 0]);
  });

  it('follows the log: what is new comes last, and what expired says so', async () => {
    const actions = [anAction('act_1')];
    const { model, settle, states } = open(actions);
    actions.unshift(anAction('act_2'));
    actions[1] = anAction('act_1', { state: 'expired' });
    model.heard(anEvent({ category: 'api', resource_id: 'key_1' }));
    expect(settle()).toBeUndefined();
    model.heard(anEvent({ category: 'api', resource_id: 'act_2' }));
    settle();
    await expect.poll(states).toEqual(['act_1 expired', 'act_2 held']);
  });

  it('shows the files of an action, and says which it cannot show', async () => {
    const action = anAction('act_1', { tool: 'create_post', input: { text: 'a', media_ids: ['med_old', 'med_gone'] } });
    const { model, calls } = open([action], { list_media: () => ({ data: [{ id: 'med_old' }] }) });
    const around = model.arounds.of(action);
    await expect.poll(() => around.value.isLoading).toBe(false);
    expect(calls[0]).toEqual(['list_media', { media_ids: ['med_old', 'med_gone'], limit: 100 }, undefined]);
    expect(around.value.media).toEqual([{ id: 'med_old' }]);
    expect(around.value.problem).toContain('(med_gone)');
  });

  it('reads what is around an action: whom it reaches, and what it answers', async () => {
    const { model, queue } = open([anAction('act_1')], {
      get_conversation: () => ({ data: { participant_name: 'Ben', account_id: 'acc_1' } }),
      list_messages: () =>
        listOf([
          { id: 'm2', direction: 'outgoing', sender_name: 'We', text: '', created_at: '2' },
          { id: 'm1', direction: 'incoming', sender_name: 'Ben', text: 'Open?', created_at: '1' },
        ]),
    });
    const around = model.arounds.of(queue.rows.value[0]!);
    await expect.poll(() => around.value.isLoading).toBe(false);
    expect([around.value.to, around.value.account, around.value.said.map(({ text }) => text)]).toEqual([
      'Ben',
      'acc_1',
      ['Open?', 'A file'],
    ]);
  });

  it('finds the account of a comment where the input names none, and says what cannot be read', async () => {
    const comment = anAction('act_1', {
      tool: 'reply_to_comment',
      input: { comment_id: 'x', post_id: 'p', text: 'Hi' },
    });
    let isThere = true;
    const answers = {
      get_inbox_thread() {
        if (!isThere) throw new Error('gone');
        const one = { id: 'x', text: 'Nice', author: { name: 'Ben' }, created_at: '1' };
        return { account_id: 'acc_1', comment: one, post: { content: 'Our post' } };
      },
    };
    const { model } = open([comment], answers);
    const around = model.arounds.of(comment);
    await expect.poll(() => around.value.said).toMatchObject([{ by: 'Ben', text: 'Nice' }]);
    expect([around.value.account, around.value.below?.content, around.value.posts]).toEqual(['acc_1', 'Our post', []]);
    isThere = false;
    model.arounds.forget('act_1');
    const again = model.arounds.of(comment);
    await expect.poll(() => again.value.problem).toContain('could not be read');
  });
});

it.for([
  ['', null, 'Its text is not known here.'],
  ['', 'https://www.instagram.com/p/1/', 'It has no text.'],
  ['Baked by hand', null, 'Baked by hand'],
] as const)('a post in the inbox with the text %j and the address %j, says %j', ([content, permalink, words]) => {
  expect(wordsOfPost({ content, permalink })).toBe(words);
});

describe('the posts around an action', () => {
  const files = [{ id: 'med_post' }, { id: 'med_input' }];
  const answers = {
    get_post: ({ post_id }: any) =>
      aPost({ id: post_id, media: [{ source: 'med_post', source_type: 'media_id', type: 'image' }], source: 'api' }),
    list_media: ({ media_ids }: any) => ({ data: files.filter(({ id }) => media_ids.includes(id)) }),
  };

  it('are all that it moves to other times', async () => {
    const posts = ['post_1', 'post_2'].map((post_id) => ({ post_id, scheduled_at: '2030-01-01T00:00:00Z' }));
    const action = anAction('act_1', { tool: 'reschedule_posts', act: 'post', input: { posts } });
    const around = open([action], answers).model.arounds.of(action);
    await expect.poll(() => around.value.posts.map(({ id }) => id)).toEqual(['post_1', 'post_2']);
    expect([around.value.media, around.value.problem]).toEqual([[{ id: 'med_post' }], undefined]);
  });

  it('keep their files beside those of the input, and each problem is said', async () => {
    const input = { post_id: 'post_1', media: [{ source: 'med_input' }, { source: 'med_gone' }] };
    const action = anAction('act_1', { tool: 'update_post', act: 'post', input });
    const { model } = open([action], answers);
    const around = model.arounds.of(action);
    await expect.poll(() => around.value.isLoading).toBe(false);
    expect([around.value.media, around.value.problem]).toEqual([files, expect.stringContaining('(med_gone)')]);

    const lost = open([action], { list_media: answers.list_media }).model.arounds.of(action);
    await expect.poll(() => lost.value.problem).toMatch(/med_gone.*could not be read/);
  });

  it('are not looked for once it is decided, and stay as they were shown', async () => {
    const actions = [anAction('act_2', { tool: 'delete_post', state: 'done', input: { post_id: 'post_2' } })];
    const { model, queue, calls } = open([...actions, anAction('act_1', { input: { post_id: 'post_1' } })], answers);
    const around = model.arounds.of(queue.find('act_1')!);
    await expect.poll(() => around.value.posts.length).toBe(1);
    expect(await queue.approve([queue.find('act_1')!])).toBe(true);
    expect(model.arounds.of(queue.find('act_1')!)).toBe(around);
    expect(model.arounds.of(queue.find('act_2')!).value).toMatchObject({ isLoading: false, posts: [] });
    expect(calls.filter(([name]) => name === 'get_post')).toHaveLength(1);
  });
});

describe('connections', () => {
  it('are ended', async () => {
    const { model, calls, said } = open([], { end_connection: () => ({}) });
    await model.end(model.connections.value[0]!);
    expect(calls[0]!.slice(0, 2)).toEqual(['end_connection', { connection_id: 'con_1' }]);
    expect([said[0], model.connections.value]).toEqual([
      'Claude is ended: nothing that it holds is accepted any more.',
      [],
    ]);
  });

  it('say what they used, against caps where they have them', () => {
    const counts = { message: 1, comment: 2, moderate: 3 };
    const one = { used_today: counts, caps: { message: 100, comment: 50, moderate: 9 } };
    expect(usedBy({ ...one, preset: 'answer' } as any)).toBe(
      '1 of 100 messages, 2 of 50 public answers, 3 of 9 likes and hides',
    );
    expect(usedBy({ ...one, preset: 'full' } as any)).toBe('1 messages, 2 public answers, 3 likes and hides');
  });
});

describe('the preview of an action', () => {
  const input = {
    text: 'For all',
    targets: [{ account_id: 'acc_1', text: 'For one', options: { first_comment: 'Hi' } }],
    media_ids: ['m1'],
    scheduled_at: '2030-01-01T00:00:00Z',
  };

  it('names what would be done, the texts, and everything else', () => {
    expect(titleOf({ tool: 'create_post', input })).toBe('Schedule a post');
    expect(titleOf({ tool: 'reply_to_comment', input: {} })).toBe('Comment on a post');
    expect(titleOf({ tool: 'send_whatsapp_template', input: {} })).toBe('Send a message template');
    expect(titleOf({ tool: 'some_new_thing', input: {} })).toBe('some new thing');
    expect([requesterOf({ client: 'Claude' }), requesterOf({ client: null })]).toEqual([
      'Claude',
      'An unknown app or key',
    ]);
    expect(labelOf('/text', input, WORDS)).toBe('Text');
    expect(labelOf('/targets/0/text', input, WORDS)).toBe('Text for Bakery');
    expect(labelOf('/segments/1/text', { segments: [{}, { text: 'b' }] }, WORDS)).toBe('Text of part 2');
    expect(restOf(input, WORDS)).toEqual([
      ['account 1', 'Bakery'],
      ['account 1 options first comment', 'Hi'],
    ]);
    expect(restOf({ post_id: 'p', text: null, media_ids: [], targets: [] }, WORDS)).toEqual([
      ['post', 'p'],
      ['text', 'none'],
      ['media ids', 'none'],
      ['account', 'none'],
    ]);
  });

  it('says when: at one time, at once, or by its parts', () => {
    const at = '2030-01-01T00:00:00Z';
    const when = (tool: string, given: object) => whenOf({ tool, input: given as any }, WORDS);
    expect(when('create_post', input)).toBe(`at ${at}`);
    expect(when('publish_post', { post_id: 'p' })).toBe('As soon as you approve');
    expect(when('create_post', { targets: [{ account_id: 'acc_1', scheduled_at: at }] })).toBeUndefined();
    expect(when('create_post', { publish_now: true, targets: [{ scheduled_at: at }, {}] })).toContain('except');
    expect(when('import_posts', { csv: 'text,scheduled_at' })).toBeUndefined();
    const moved = { posts: [{ post_id: 'p', scheduled_at: at }] };
    expect(when('reschedule_posts', moved)).toBeUndefined();
    expect(restOf(moved, WORDS)).toEqual([
      ['post 1', 'p'],
      ['post 1 time', `at ${at}`],
    ]);
  });

  it('finds stored files however they are named, and nothing else', () => {
    const given = { media_ids: ['m1'], attachments: [{ media_id: 'm2' }], url: 'https://example.com/a.png' };
    const media = [
      { source: 'm3', source_type: 'media_id' },
      { source: 'm4' },
      { source: 'https://example.com/b.png' },
    ];
    const posts = [{ source: 'api', media: [{ source: 'm5', source_type: 'media_id' }] }];
    expect(filesOf({ tool: 'send_dm', input: { ...given, media } }, posts)).toEqual(['m1', 'm2', 'm3', 'm4', 'm5']);
    expect(filesOf({ tool: 'reply_to_mention', input: { media_id: '17841' } }, [])).toEqual([]);
  });

  it('leads to the post that was made', () => {
    expect(postOf({ tool: 'create_post', act: 'post', outcome: { id: 'post_1' } })).toBe('post_1');
    expect(postOf({ tool: 'send_dm', act: 'message', outcome: { id: 'msg_1' } })).toBeUndefined();
  });
});

it('a post is shown with all that each account gets of its own', () => {
  const media = (...ids: string[]) => ids.map((source) => ({ source, source_type: 'media_id', type: 'image' }));
  const nothing = { text: null, title: null, first_comment: null, platform_data: null, scheduled_at: null };
  const post = {
    ...nothing,
    text: 'All',
    first_comment: 'Below',
    visibility: 'public',
    segments: [{ text: 'Two', media: media('med_2'), media_ids: ['med_2'] }],
    media: media('med_1'),
    media_ids: ['med_1'],
    platform_data: {},
    scheduled_at: '2030-01-01T09:00:00.000Z',
    targets: [
      {
        ...nothing,
        account_id: 'acc_1',
        page_id: 'page_1',
        board_id: 'board_1',
        text: 'One alone',
        visibility: 'private',
        media: media('med_1'),
        scheduled_at: '2030-01-02T09:00:00.000Z',
      },
      { ...nothing, account_id: 'acc_2', page_id: null, board_id: null, visibility: null, media: media('med_3') },
    ],
  };
  expect(partsOf(post, WORDS)).toEqual([
    ['text', 'All'],
    ['first comment', 'Below'],
    ['visibility', 'public'],
    ['file 1 source', 'med_1'],
    ['file 1 source type', 'media_id'],
    ['file 1 type', 'image'],
    ['time', 'at 2030-01-01T09:00:00.000Z'],
    ['part 1 text', 'Two'],
    ['part 1 file 1 source', 'med_2'],
    ['part 1 file 1 source type', 'media_id'],
    ['part 1 file 1 type', 'image'],
    ['goes to', 'Bakery'],
    ['Bakery: page id', 'page_1'],
    ['Bakery: board id', 'board_1'],
    ['Bakery: text', 'One alone'],
    ['Bakery: visibility', 'private'],
    ['Bakery: time', 'at 2030-01-02T09:00:00.000Z'],
    ['goes to', 'acc_2'],
    ['acc_2: file 1 source', 'med_3'],
    ['acc_2: file 1 source type', 'media_id'],
    ['acc_2: file 1 type', 'image'],
  ]);
});
