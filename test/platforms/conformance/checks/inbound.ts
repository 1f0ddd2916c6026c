import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { Json } from '#test/harness/world.ts';
import type { Stage } from '../stage.ts';
import type { Becomes, InboundCase, Scene, Subject } from '../subject.ts';

/** What the inbox of the scene holds: messages of all conversations, comments of its post, and their events. */
async function lookAt({ rest }: Stage, { account, post }: Scene) {
  const conversations: readonly Json[] = (await rest(`GET /v1/inbox/conversations?account_id=${account}`)).body.data;
  const messages: Json[] = [];
  for (const { id } of conversations)
    messages.push(...(await rest(`GET /v1/inbox/conversations/${id}/messages?limit=100`)).body.data);
  const comments: readonly Json[] = post
    ? ((await rest(`GET /v1/inbox/comments/${post}?limit=100`)).body.data ?? [])
    : [];
  const unread = conversations.reduce((sum, { unread_count: count }) => sum + Number(count), 0);
  return { conversations: conversations.length, messages, comments, unread };
}

type View = Awaited<ReturnType<typeof lookAt>>;

const newIn = (before: readonly Json[], after: readonly Json[]): readonly Json[] =>
  after.filter(({ id }) => before.every((one) => one.id !== id));

/** Members of metadata that name what was sent where it has no words and no files. */
const NAMED = ['location', 'contacts', 'poll', 'story', 'order', 'unsupported'];

/** Whether an entry of the inbox shows somebody who reads it what was sent. */
const speaks = ({ text, attachments, content, metadata }: Json): boolean =>
  String(text).trim() !== '' ||
  [...(attachments ?? []), ...(content?.media ?? [])].length > 0 ||
  NAMED.some((name) => metadata?.[name] !== undefined);

/** Entries that stood before and have another text or other metadata now. */
const changedIn = (before: readonly Json[], after: readonly Json[]): readonly Json[] =>
  after.filter((one) => {
    const was = before.find(({ id }) => id === one.id);
    return was !== undefined && JSON.stringify([was.text, was.metadata]) !== JSON.stringify([one.text, one.metadata]);
  });

/** What an event of the inbox must be where the person wrote. */
function expectEvent(events: readonly Json[], name: string, entry: Json): void {
  const [one, ...more] = events.filter(({ event, data }) => event === name && data.id === entry.id);
  expect(more).toEqual([]);
  expect(one?.data).toMatchObject({ metadata: entry.metadata });
  expect(speaks({ text: one!.data.content.text, ...one!.data })).toBe(true);
  expect(one!.data.author.id).not.toBe('');
}

type Expectation = (before: View, after: View, events: readonly Json[], count: number) => void;

const EXPECTATIONS: Readonly<Record<Becomes, Expectation>> = {
  message(before, after, events, count) {
    const added = newIn(before.messages, after.messages);
    expect(added.map((one) => speaks(one) && one.metadata.notice === undefined)).toEqual(Array(count).fill(true));
    const received = added.filter(({ direction }) => direction === 'incoming');
    for (const one of received) expectEvent(events, 'dm.received', one);
    expect(after.unread).toBe(received.length === 0 ? after.unread : before.unread + received.length);
  },
  comment(before, after, events, count) {
    const added = newIn(before.comments, after.comments);
    expect(added.map(speaks)).toEqual(Array(count).fill(true));
    for (const one of added) expectEvent(events, 'comment.received', one);
  },
  edit(before, after, events) {
    const entries = (view: View) => [...view.messages, ...view.comments];
    expect(newIn(entries(before), entries(after))).toEqual([]);
    const [changed] = changedIn(entries(before), entries(after));
    expect(changed && speaks(changed)).toBe(true);
    expect([events, after.unread]).toEqual([[], before.unread]);
  },
  removal(before, after, events) {
    const entries = (view: View) => [...view.messages, ...view.comments];
    expect(newIn(entries(after), entries(before)).length).toBe(1);
    expect([newIn(entries(before), entries(after)), events]).toEqual([[], []]);
  },
  reaction(before, after, events) {
    expect(newIn(before.messages, after.messages)).toEqual([]);
    expect(changedIn(before.messages, after.messages).length).toBe(1);
    expect([events, after.unread]).toEqual([[], before.unread]);
  },
  notice(before, after, events, count) {
    const added = newIn(before.messages, after.messages);
    expect(added.length).toBe(count);
    for (const one of added) expect([speaks(one), one.metadata.notice]).toEqual([true, expect.any(Object)]);
    expect([events, after.unread]).toEqual([[], before.unread]);
  },
  postback: (_before, _after, events) => expect(events.map(({ event }) => event)).toContain('dm.postback'),
  referral: (_before, _after, events) => expect(events.map(({ event }) => event)).toContain('dm.referral'),
  mention: (_before, _after, events) => expect(events.map(({ event }) => event)).toContain('mention.received'),
  receipt(before, after, events) {
    const statuses = ({ messages }: View) => messages.map(({ status }) => status);
    expect(statuses(after)).not.toEqual(statuses(before));
    expect([newIn(before.messages, after.messages), after.unread, events]).toEqual([[], before.unread, []]);
  },
  nothing(before, after, events) {
    const entries = (view: View) => [...view.messages, ...view.comments];
    const [was, is] = [entries(before), entries(after)];
    expect([newIn(was, is), newIn(is, was), changedIn(was, is), events]).toEqual([[], [], [], []]);
    expect([after.conversations, after.unread]).toEqual([before.conversations, before.unread]);
  },
};

const sizeOf = ({ messages, comments }: View): number => messages.length + comments.length;

type Group = Readonly<{ becomes: Becomes; names: readonly string[]; cases: readonly InboundCase[] }>;

/** Cases one after the other; neighbours that may be sent together are. */
function groupsOf(inbound: Readonly<Record<string, InboundCase>>): readonly Group[] {
  const groups: Group[] = [];
  for (const [name, one] of Object.entries(inbound)) {
    const last = groups.at(-1);
    const joins = one.together === true && last?.becomes === one.becomes && last.cases[0]!.together === true;
    const { names, cases } = joins ? last : { names: [], cases: [] };
    if (joins) groups.pop();
    groups.push({ becomes: one.becomes, names: [...names, name], cases: [...cases, one] });
  }
  return groups;
}

/** Has somebody send each documented kind of content, and expects the inbox and the events to show what it becomes. */
export async function receiveEverything(stage: Stage, subject: Subject, scene: Scene): Promise<void> {
  const receiver = await stage.world.receive([
    'dm.received',
    'comment.received',
    'dm.postback',
    'dm.referral',
    'mention.received',
  ]);
  let before: View | undefined;
  for (const { becomes, names, cases } of groupsOf(subject.inbound ?? {})) {
    const [{ before: prepare }] = cases as readonly [InboundCase];
    if (before === undefined || prepare !== undefined) {
      await prepare?.(scene);
      await stage.hear();
      before = await lookAt(stage, scene);
    }
    const heard = receiver.received.length;
    for (const { send } of cases) await send(scene);
    await stage.hear();
    let after = await lookAt(stage, scene);
    // On a busy machine a push may fail; it is sent again later, and those that follow it with it.
    const isWhole = () => cases.length === 1 || sizeOf(after) >= sizeOf(before!) + cases.length;
    for (let tries = 0; tries < 3 && !isWhole(); tries += 1) {
      await stage.hear();
      after = await lookAt(stage, scene);
    }
    const events = receiver.received.slice(heard).map(({ body }) => body as Json);
    const entries = [...after.messages, ...after.comments, ...events.map(({ data }) => data)];
    try {
      EXPECTATIONS[becomes](before, after, events, cases.length);
      for (const { shows } of cases)
        if (shows !== undefined) expect(entries).toContainEqual(expect.objectContaining(shows));
    } catch (error) {
      throw new Error(`${names.join(', ')} did not become: ${becomes}`, { cause: error });
    }
    before = after;
  }
}

/** The rows of a platform's table in docs/inbound.md: the type, and the first word of what becomes of it. */
export function documentedInbound(title: string): Readonly<Record<string, string>> {
  const text = readFileSync(new URL('../../../../docs/inbound.md', import.meta.url), 'utf8');
  const section = text.split(/^## /m).find((one) => one.startsWith(`${title}\n`)) ?? '';
  const rows = [...section.matchAll(/^\| (?<types>`[^|]+) \| (?<becomes>[a-z]+)/gm)];
  return Object.fromEntries(
    rows.flatMap(({ groups }) =>
      [...groups!['types']!.matchAll(/`([^`]+)`/g)].map(([, type]) => [type!, groups!['becomes']!]),
    ),
  );
}
