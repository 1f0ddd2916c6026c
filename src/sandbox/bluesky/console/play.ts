/** What an operator does in a follower's place: every action is nothing but the calls that person's own app would make. */
import type { Clock } from '../../../kernel/clock.ts';
import { wireTime } from '../../../kernel/clock.ts';
import { textField } from '../../actions.ts';
import { PageError } from '../../forms.ts';
import type { Store } from '../../store.ts';
import type { Action, ActionField } from '../../twin.ts';
import type { ChatStore } from '../chat/store.ts';
import { asText } from '../xrpc/check.ts';
import type { People, Person } from '../people/people.ts';
import type { RecordRow } from '../records/records.ts';
import type { Relations } from '../reading/relations.ts';
import { POST, postAt } from '../records/uris.ts';
import type { Views } from '../reading/views.ts';
import { invalid, XrpcError } from '../xrpc/xrpc.ts';
import type { Call, Method } from '../xrpc/xrpc.ts';

export type PlayWorld = Readonly<{
  store: Store;
  clock: Clock;
  people: People;
  relations: Relations;
  views: Views;
  chat: ChatStore;
  methods: Readonly<Record<string, Method>>;
}>;
type Input = Readonly<Record<string, unknown>>;
type Act = Readonly<{ label: string; fields: readonly ActionField[]; run(input: Input): unknown }>;
type Subject = Readonly<{ uri: string; cid: string }>;

const OFFERED = 40;
const LABEL_LENGTH = 60;
const GROUP = 'What anybody does';

/** Links and mentions of known people, at the byte ranges they have. */
function facetsIn(text: string, people: People): object[] {
  return [...text.matchAll(/(?<![\w@])@([a-z0-9-]+(?:\.[a-z0-9-]+)+)|https?:\/\/[^\s<>"]*[^\s<>"'.,;:!?)]/gi)].flatMap(
    (match) => {
      const [found, handle] = match;
      const did = handle === undefined ? undefined : people.find(handle)?.did;
      if (handle !== undefined && did === undefined) return [];
      const byteStart = Buffer.byteLength(text.slice(0, match.index));
      const feature =
        did === undefined
          ? { $type: 'app.bsky.richtext.facet#link', uri: found }
          : { $type: 'app.bsky.richtext.facet#mention', did };
      return [{ index: { byteStart, byteEnd: byteStart + Buffer.byteLength(found) }, features: [feature] }];
    },
  );
}

const short = (text: string) => (text.length > LABEL_LENGTH ? `${text.slice(0, LABEL_LENGTH)}…` : text);

const allowed: ActionField = {
  name: 'from',
  label: 'Takes messages from',
  input: 'text',
  choices: () => ['all', 'following', 'none'].map((value) => ({ value, label: value })),
};

/** What a form of the console offers to choose from. */
function makeChoices(world: PlayWorld) {
  const { store, people, views, chat } = world;

  const newest = store.db.prepare(
    'select * from bsky_record where collection = ? order by sort_at desc, rkey desc limit ?',
  );

  const postLabel = (row: RecordRow) =>
    `@${people.byDid(row.did)?.handle ?? row.did}: ${short(asText((JSON.parse(row.shown_json) as { text?: unknown }).text))}`;

  const posts = (name: string, label: string, optional: boolean): ActionField => ({
    name,
    label,
    input: 'text',
    optional,
    choices: () =>
      (newest.all(POST, OFFERED) as RecordRow[]).map((row) => ({ value: views.uri(row), label: postLabel(row) })),
  });

  const conversation: ActionField = {
    name: 'conversation',
    label: 'Conversation',
    input: 'text',
    choices: () =>
      chat.newest(OFFERED).map((convo) => ({
        value: convo.id,
        label: chat
          .membersOf(convo)
          .map((did) => people.byDid(did)?.handle ?? did)
          .join(' – '),
      })),
  };

  return Object.freeze({ posts, conversation });
}

/** Acts in the name of a person. */
function makePersonCalls(world: PlayWorld) {
  const { methods, clock, people, relations } = world;

  async function call(person: Person, nsid: string, input?: object, params: [string, string][] = []): Promise<unknown> {
    const method = methods[nsid];
    const wrong = method?.check?.(input, '$');
    if (wrong !== undefined) throw invalid(wrong);
    const session = { did: person.did, scope: 'sandbox', privileged: true };
    const made = { params: new URLSearchParams(params), headers: {}, input, session };
    // The input has just passed the method's own check.
    return (await method?.run(made as unknown as Call<never>))?.json ?? {};
  }

  const create = (person: Person, collection: string, record: object): Promise<unknown> =>
    call(person, 'com.atproto.repo.createRecord', {
      repo: person.did,
      collection,
      record: { $type: collection, createdAt: wireTime(clock.now()), ...record },
    });

  const remove = (person: Person, uri: string): Promise<unknown> => {
    const [collection = '', rkey = ''] = uri.split('/').slice(3);
    return call(person, 'com.atproto.repo.deleteRecord', { repo: person.did, collection, rkey });
  };

  function who(input: Input, name = 'person'): Person {
    const found = people.find(textField(input, name) ?? '');
    if (found === undefined) throw new PageError(404, 'There is no such person.');
    return found;
  }

  function write(person: Person, text: string, more: object): Promise<unknown> {
    const facets = facetsIn(text, people);
    return create(person, POST, { text, ...(facets.length > 0 && { facets }), ...more });
  }

  function takeBack(person: Person, kind: 'like' | 'repost' | 'follow' | 'block', target: string): Promise<unknown> {
    const uri = relations.link(person.did, kind, target);
    if (uri === undefined) throw new PageError(404, 'There is nothing to take back.');
    return remove(person, uri);
  }

  return Object.freeze({ call, create, remove, who, write, takeBack });
}

/** Posts, replies and reactions of a person. */
function makePosting(world: PlayWorld, { create, remove, who, write }: ReturnType<typeof makePersonCalls>) {
  const { views, people } = world;

  function rowOf(input: Input, name = 'post'): RecordRow {
    const found = views.rowAt(textField(input, name));
    if (found === undefined) throw new PageError(404, 'There is no such post.');
    return found;
  }

  const subjectOf = (row: RecordRow): Subject => ({ uri: views.uri(row), cid: row.shown_cid });

  const liking = (kind: 'like' | 'repost') => (input: Input) =>
    create(who(input), `app.bsky.feed.${kind}`, { subject: subjectOf(rowOf(input)) });

  function reply(input: Input): Promise<unknown> {
    const parent = subjectOf(rowOf(input));
    const rootRow = views.rowAt(views.rootUri(rowOf(input)));
    const root = rootRow === undefined ? parent : subjectOf(rootRow);
    return write(who(input), textField(input, 'text') ?? '', { reply: { root, parent } });
  }

  function newPost(input: Input): Promise<unknown> {
    const quote = input['quote'] === undefined ? undefined : subjectOf(rowOf(input, 'quote'));
    const embed = quote && { $type: 'app.bsky.embed.record', record: quote };
    return write(who(input), textField(input, 'text') ?? '', { ...(embed && { embed }) });
  }

  function deletePost(input: Input): Promise<unknown> {
    const owner = people.byDid(postAt(views.uri(rowOf(input)))?.who ?? '');
    if (owner === undefined) throw new PageError(404, 'There is no such person.');
    return remove(owner, views.uri(rowOf(input)));
  }

  return Object.freeze({ rowOf, liking, reply, newPost, deletePost });
}

/** The actions of the twin, for the console's forms and the control door. */
export function followerActions(world: PlayWorld) {
  const { people, views, chat } = world;

  const { posts, conversation } = makeChoices(world);
  const person: ActionField = { name: 'person', label: 'As', input: 'person' };

  const personCalls = makePersonCalls(world);
  const { call, create, who, takeBack } = personCalls;

  const { rowOf, liking, reply, newPost, deletePost } = makePosting(world, personCalls);
  const whom: ActionField = { name: 'whom', label: 'Whom', input: 'person' };
  const words: ActionField = { name: 'text', label: 'Text (@handle mentions)', input: 'lines' };
  const post = posts('post', 'Post', false);
  const turnedTo = (kind: 'follow' | 'block') => (input: Input) =>
    create(who(input), `app.bsky.graph.${kind}`, { subject: who(input, 'whom').did });
  const lock = (locked: boolean) => (input: Input) => {
    const convo = chat.find(textField(input, 'conversation') ?? '');
    if (convo === undefined) throw new PageError(404, 'There is no such conversation.');
    chat.setLocked(convo.id, locked);
    return { conversation: convo.id, locked };
  };
  const inConvo = (method: string) => (input: Input) =>
    call(who(input), `chat.bsky.convo.${method}`, { convoId: textField(input, 'conversation') });

  async function message(input: Input): Promise<unknown> {
    const text = textField(input, 'text') ?? '';
    const members: [string, string][] = [['members', who(input, 'whom').did]];
    const { convo } = (await call(who(input), 'chat.bsky.convo.getConvoForMembers', undefined, members)) as {
      convo: { id: string };
    };
    const facets = facetsIn(text, people);
    const content = { text, ...(facets.length > 0 && { facets }) };
    const sent = await call(who(input), 'chat.bsky.convo.sendMessage', { convoId: convo.id, message: content });
    return { ...(sent as object), convoId: convo.id };
  }

  const acts: Readonly<Record<string, Act>> = Object.freeze({
    post: { label: 'Write a post', fields: [person, words, posts('quote', 'Quoting', true)], run: newPost },
    reply: { label: 'Reply in a thread', fields: [person, post, words], run: reply },
    like: { label: 'Like', fields: [person, post], run: liking('like') },
    unlike: {
      label: 'Take a like back',
      fields: [person, post],
      run: (input) => takeBack(who(input), 'like', views.uri(rowOf(input))),
    },
    repost: { label: 'Repost', fields: [person, post], run: liking('repost') },
    delete_post: { label: 'Delete a post', fields: [post], run: deletePost },
    follow: { label: 'Follow', fields: [person, whom], run: turnedTo('follow') },
    block: { label: 'Block', fields: [person, whom], run: turnedTo('block') },
    unblock: {
      label: 'Take a block back',
      fields: [person, whom],
      run: (input) => takeBack(who(input), 'block', who(input, 'whom').did),
    },
    message: { label: 'Write a message', fields: [person, whom, words], run: message },
    read: { label: 'Mark a conversation read', fields: [person, conversation], run: inConvo('updateRead') },
    accept: { label: 'Accept a conversation', fields: [person, conversation], run: inConvo('acceptConvo') },
    leave: { label: 'Leave a conversation', fields: [person, conversation], run: inConvo('leaveConvo') },
    take_messages: {
      label: 'Say whose messages are welcome',
      fields: [person, allowed],
      run: (input) =>
        call(who(input), 'com.atproto.repo.putRecord', {
          repo: who(input).did,
          collection: 'chat.bsky.actor.declaration',
          rkey: 'self',
          record: { $type: 'chat.bsky.actor.declaration', allowIncoming: textField(input, 'from') },
        }),
    },
    lock: { label: 'Lock a conversation', fields: [conversation], run: lock(true) },
    unlock: { label: 'Unlock a conversation', fields: [conversation], run: lock(false) },
  });

  return Object.freeze({
    actions: Object.entries(acts).map(([name, { label, fields }]): Action => ({ name, label, group: GROUP, fields })),
    async act(name: string, input: Input): Promise<unknown> {
      try {
        return Object.hasOwn(acts, name) ? await acts[name]?.run(input) : undefined;
      } catch (error) {
        // The network's refusal, for whoever plays the person.
        throw error instanceof XrpcError ? new PageError(error.status, `${error.error}: ${error.message}`) : error;
      }
    },
  });
}
