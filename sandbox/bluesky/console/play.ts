/** What followers do. Each action makes the calls that a follower's app would make. */
import { isoTime, type Clock } from '#kernel/clock.ts';
import { PageError } from '../../forms.ts';
import type { Store } from '../../store.ts';
import {
  long,
  makeActs,
  maybe,
  must,
  optional,
  short,
  text as plain,
  there,
  type Choice,
  type Field,
  type Values,
} from '../../kit/acts.ts';
import type { Chats } from '../../kit/chat/chats.ts';
import { asText } from '../../kit/api/checks.ts';
import type { People, Person } from '../../atproto/people.ts';
import type { RecordRow } from '../../atproto/records.ts';
import type { Relations } from '../reading/relations.ts';
import { POST, postAt } from '../uris.ts';
import type { Views } from '../reading/views.ts';
import { invalid, type Call, type Method } from '../../atproto/xrpc.ts';

export type PlayWorld = Readonly<{
  store: Store;
  clock: Clock;
  people: People;
  relations: Relations;
  views: Views;
  chat: Chats;
  methods: Readonly<Record<string, Method>>;
}>;
type Subject = Readonly<{ uri: string; cid: string }>;

const OFFERED = 40;

const LINKS_AND_MENTIONS =
  /\[(?<words>[^\]]+)\]\((?<target>https?:\/\/[^\s)]+)\)|(?<![\w@])@(?<handle>[a-z0-9-]+(?:\.[a-z0-9-]+)+)|https?:\/\/[^\s<>"]*[^\s<>"'.,;:!?)]/gi;

/** Parses links, also with their own words ("[words](address)"), and mentions into text and byte ranges. */
function writtenBy(given: string, people: People) {
  let [text, end] = ['', 0];
  const facets: object[] = [];
  for (const match of given.matchAll(LINKS_AND_MENTIONS)) {
    const { words = match[0], target = match[0], handle } = match.groups ?? {};
    const did = handle === undefined ? undefined : people.find(handle)?.did;
    text += given.slice(end, match.index);
    const byteStart = Buffer.byteLength(text);
    text += words;
    end = match.index + match[0].length;
    if (handle !== undefined && did === undefined) continue;
    const feature =
      did === undefined
        ? { $type: 'app.bsky.richtext.facet#link', uri: target }
        : { $type: 'app.bsky.richtext.facet#mention', did };
    facets.push({ index: { byteStart, byteEnd: Buffer.byteLength(text) }, features: [feature] });
  }
  return { text: text + given.slice(end), ...(facets.length > 0 && { facets }) };
}

function makeChoices({ store, people, views, chat }: PlayWorld): Readonly<Record<string, () => readonly Choice[]>> {
  const newest = store.db.prepare(
    'select * from bsky_record where collection = ? order by sort_at desc, rkey desc limit ?',
  );
  const handle = (did: string) => people.byDid(did)?.handle ?? did;
  const postLabel = (row: RecordRow) =>
    `@${handle(row.did)}: ${short(asText((JSON.parse(row.shown_json) as { text?: unknown }).text))}`;

  return {
    person: () => people.all().map(({ did, handle: label }) => ({ value: did, label })),
    post: () =>
      (newest.all(POST, OFFERED) as RecordRow[]).map((row) => ({ value: views.uri(row), label: postLabel(row) })),
    message: () =>
      chat
        .everyMessage()
        .slice(-OFFERED)
        .map(({ id, json }) => ({ value: id, label: short(asText((JSON.parse(json) as { text?: unknown }).text)) })),
    conversation: () =>
      chat.newest(OFFERED).map((convo) => ({ value: convo.id, label: chat.membersOf(convo).map(handle).join(' – ') })),
  };
}

function makePersonCalls(world: PlayWorld) {
  const { methods, clock, people, relations } = world;

  async function call(person: Person, nsid: string, input?: object, params: [string, string][] = []): Promise<unknown> {
    const method = methods[nsid];
    const wrong = method?.check?.(input, '$');
    if (wrong !== undefined) throw invalid(wrong);
    const session = { did: person.did, scope: 'sandbox', privileged: true };
    const made = { params: new URLSearchParams(params), headers: {}, input, session };
    // The method's own check has just validated the input.
    return (await method?.run(made as unknown as Call<never>))?.json ?? {};
  }

  const create = (person: Person, collection: string, record: object): Promise<unknown> =>
    call(person, 'com.atproto.repo.createRecord', {
      repo: person.did,
      collection,
      record: { $type: collection, createdAt: isoTime(clock.now()), ...record },
    });

  const remove = (person: Person, uri: string): Promise<unknown> => {
    const [collection = '', rkey = ''] = uri.split('/').slice(3);
    return call(person, 'com.atproto.repo.deleteRecord', { repo: person.did, collection, rkey });
  };

  function who(values: Values, name = 'person'): Person {
    return there(people.find(must(values, name)), 'person');
  }

  function write(person: Person, text: string, more: object): Promise<unknown> {
    return create(person, POST, { ...writtenBy(text, people), ...more });
  }

  function takeBack(person: Person, kind: 'like' | 'repost' | 'follow' | 'block', target: string): Promise<unknown> {
    const uri = relations.link(person.did, kind, target);
    if (uri === undefined) throw new PageError(404, 'There is nothing to take back.');
    return remove(person, uri);
  }

  return Object.freeze({ call, create, remove, who, write, takeBack });
}

function makePosting(world: PlayWorld, { create, remove, who, write }: ReturnType<typeof makePersonCalls>) {
  const { views, people } = world;

  function rowOf(values: Values, name = 'post'): RecordRow {
    return there(views.rowAt(values[name]), 'post');
  }

  const subjectOf = (row: RecordRow): Subject => ({ uri: views.uri(row), cid: row.shown_cid });

  const liking = (kind: 'like' | 'repost') => (input: Values) =>
    create(who(input), `app.bsky.feed.${kind}`, { subject: subjectOf(rowOf(input)) });

  function reply(input: Values): Promise<unknown> {
    const parent = subjectOf(rowOf(input));
    const rootRow = views.rowAt(views.rootUri(rowOf(input)));
    const root = rootRow === undefined ? parent : subjectOf(rootRow);
    const { text = '', page } = input;
    if (page === undefined) return write(who(input), must(input, 'text'), { reply: { root, parent } });
    const external = { uri: page, title: 'A page', description: '' };
    const embed = { $type: 'app.bsky.embed.external', external };
    return write(who(input), text, { reply: { root, parent }, embed });
  }

  function newPost(input: Values): Promise<unknown> {
    const quote = input['quote'] === undefined ? undefined : subjectOf(rowOf(input, 'quote'));
    const embed = quote && { $type: 'app.bsky.embed.record', record: quote };
    return write(who(input), must(input, 'text'), { ...(embed && { embed }) });
  }

  function deletePost(input: Values): Promise<unknown> {
    const owner = there(people.byDid(postAt(views.uri(rowOf(input)))?.who ?? ''), 'person');
    return remove(owner, views.uri(rowOf(input)));
  }

  return Object.freeze({ rowOf, subjectOf, liking, reply, newPost, deletePost });
}

const person = { label: 'As', kind: 'person' };
const whom = { label: 'Whom', kind: 'person' };
const post = { label: 'Post', kind: 'post' };
const conversation = { label: 'Conversation', kind: 'conversation' };
const text = long('Text (@handle mentions)');
const maybeText = optional(text);
const onMessage = { label: 'Message', kind: 'message' };
const emoji = plain('Emoji');
const from = { label: 'Takes messages from', kind: 'choice', choices: ['all', 'following', 'none'] };

export function followerActs(world: PlayWorld) {
  const { people, views, chat } = world;

  const personCalls = makePersonCalls(world);
  const { call, create, who, takeBack } = personCalls;

  const { rowOf, subjectOf, liking, reply, newPost, deletePost } = makePosting(world, personCalls);
  const turnedTo = (kind: 'follow' | 'block') => (input: Values) =>
    create(who(input), `app.bsky.graph.${kind}`, { subject: who(input, 'whom').did });
  const lock = (locked: boolean) => (input: Values) => {
    const convo = there(chat.find(must(input, 'conversation')), 'conversation');
    chat.setLocked(convo.id, locked);
    return { conversation: convo.id, locked };
  };
  const inConvo = (method: string) => (input: Values) =>
    call(who(input), `chat.bsky.convo.${method}`, { convoId: must(input, 'conversation') });

  async function message(input: Values): Promise<unknown> {
    const post = input['share'] === undefined ? undefined : rowOf(input, 'share');
    const embed = post && { $type: 'app.bsky.embed.record', record: subjectOf(post) };
    const text = embed ? (input['text'] ?? '') : must(input, 'text');
    const members: [string, string][] = [['members', who(input, 'whom').did]];
    const { convo } = (await call(who(input), 'chat.bsky.convo.getConvoForMembers', undefined, members)) as {
      convo: { id: string };
    };
    const content = { ...writtenBy(text, people), ...(embed && { embed }) };
    const sent = await call(who(input), 'chat.bsky.convo.sendMessage', { convoId: convo.id, message: content });
    return { ...(sent as object), convoId: convo.id };
  }

  const reacting = (method: 'addReaction' | 'removeReaction') => (input: Values) => {
    const { id: messageId, convo: convoId } = there(chat.message(must(input, 'message')), 'message');
    return call(who(input), `chat.bsky.convo.${method}`, { convoId, messageId, value: must(input, 'emoji') });
  };

  const act = (title: string, fields: Readonly<Record<string, Field>>, run: (input: Values) => unknown) => ({
    group: 'anybody',
    title,
    fields,
    run,
  });

  return makeActs({
    groups: { anybody: 'What anybody does' },
    lists: makeChoices(world),
    acts: {
      post: act('Write a post', { person, text, quote: { label: 'Quoting', kind: 'post', optional: true } }, newPost),
      reply: act('Reply in a thread', { person, post, text: maybeText, page: maybe('Linked page') }, reply),
      like: act('Like', { person, post }, liking('like')),
      unlike: act('Take a like back', { person, post }, (input) =>
        takeBack(who(input), 'like', views.uri(rowOf(input))),
      ),
      repost: act('Repost', { person, post }, liking('repost')),
      delete_post: act('Delete a post', { post }, deletePost),
      follow: act('Follow', { person, whom }, turnedTo('follow')),
      block: act('Block', { person, whom }, turnedTo('block')),
      unblock: act('Take a block back', { person, whom }, (input) =>
        takeBack(who(input), 'block', who(input, 'whom').did),
      ),
      message: act(
        'Write a message',
        { person, whom, text: maybeText, share: { label: 'Sharing', kind: 'post', optional: true } },
        message,
      ),
      react: act('React to a message', { person, message: onMessage, emoji }, reacting('addReaction')),
      unreact: act('Withdraw a reaction', { person, message: onMessage, emoji }, reacting('removeReaction')),
      read: act('Mark a conversation read', { person, conversation }, inConvo('updateRead')),
      accept: act('Accept a conversation', { person, conversation }, inConvo('acceptConvo')),
      leave: act('Leave a conversation', { person, conversation }, inConvo('leaveConvo')),
      take_messages: act('Say whose messages are welcome', { person, from }, (input) =>
        call(who(input), 'com.atproto.repo.putRecord', {
          repo: who(input).did,
          collection: 'chat.bsky.actor.declaration',
          rkey: 'self',
          record: { $type: 'chat.bsky.actor.declaration', allowIncoming: must(input, 'from') },
        }),
      ),
      lock: act('Lock a conversation', { conversation }, lock(true)),
      unlock: act('Unlock a conversation', { conversation }, lock(false)),
    },
  });
}
