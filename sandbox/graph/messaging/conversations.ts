import { DAY } from '#kernel/clock.ts';
import { badParam, GraphError } from '../api/errors.ts';
import type { Message, Page, Person, Thread } from '../docs.ts';
import { graphTime } from '../ids.ts';
import { edge, type NodeType } from '../api/render.ts';
import { addressOf, sharesOf, stickerOf, storyOf } from './kinds.ts';
import type { Threads } from './threads.ts';
import { requireWrite } from '../oauth/tokens.ts';
import {
  drawList,
  drawOne,
  fileUrl,
  live,
  pageAt,
  pictureUrl,
  type Call,
  type Methods,
  type GraphWorld,
} from '../world.ts';

/** The platform's names, and how it shows the two sides of a conversation. */
export type ConversationTerms = Readonly<{
  platform: 'MESSENGER' | 'INSTAGRAM';
  right: Readonly<{ scopes: readonly string[]; task: string }>;
  detailed: number;
  /** Shows one side of a conversation: a person, or the Page if `person` is undefined. */
  party(page: Page, person: Person | undefined): object;
  profile: Readonly<Record<string, (profile: Profile) => unknown>>;
}>;

function messenger(world: GraphWorld): ConversationTerms {
  const { people } = world;
  return Object.freeze({
    platform: 'MESSENGER',
    right: { scopes: ['pages_messaging'], task: 'MESSAGING' },
    detailed: Infinity,
    party(page: Page, person: Person | undefined) {
      const id = person === undefined ? page.id : people.psid(page.id, person.id);
      return { name: (person ?? page).name, email: `${id}@facebook.com`, id };
    },
    profile: {
      first_name: ({ person }: Profile) => person.name.split(' ')[0],
      last_name: ({ person }: Profile) => person.name.split(' ').slice(1).join(' '),
      profile_pic: ({ page, person }: Profile) => pictureUrl(world, people.psid(page, person.id)),
      locale: () => undefined,
      timezone: () => undefined,
      gender: () => undefined,
    },
  });
}

const LONGEST_SNIPPET = 100;

type Profile = Readonly<{ page: string; person: Person }>;

function makeViews(world: GraphWorld, threads: Threads, terms: ConversationTerms) {
  const { people, nodes, clock } = world;

  const party = (page: string, person: string | undefined) =>
    terms.party(pageAt(world, page), person === undefined ? undefined : people.byId(person));

  const personOf = ({ parent_id }: Message) => nodes.get('thread', parent_id)?.parent_id;

  function attachments({ id, pieces }: Message): object | undefined {
    const kept = pieces.flatMap((one, at) => {
      const file = one.blob === undefined ? undefined : nodes.get('blob', one.blob);
      if (file !== undefined) return [{ ...file, url: fileUrl(world, file.id) }];
      const url = addressOf(one);
      return url === undefined ? [] : [{ id: `${id}-${at}`, mime: `${one.type}/*`, name: one.type, size: 0, url }];
    });
    if (kept.length === 0) return undefined;
    return {
      data: kept.map(({ id, mime, name, size, url }) => {
        const other = mime.startsWith('video/')
          ? { video_data: { url, preview_url: url, length: 0 } }
          : { file_url: url };
        const view = mime.startsWith('image/')
          ? { image_data: { url, preview_url: url, max_width: 0, max_height: 0, width: 0, height: 0 } }
          : other;
        return { id, mime_type: mime, name, size, ...view };
      }),
    };
  }

  /** A field that only the newest `terms.detailed` messages have. */
  const detailed =
    (read: (one: Message) => unknown) =>
    (one: Message): unknown =>
      terms.detailed === Infinity ||
      messagesOf(one.parent_id)
        .slice(0, terms.detailed)
        .some(({ id }) => id === one.id)
        ? read(one)
        : undefined;

  const message: NodeType<Message> = {
    name: 'Message',
    id: ({ id }) => id,
    defaultFields: ['created_time'],
    fields: {
      created_time: ({ at }) => graphTime(at),
      message: detailed(({ text }) => text ?? ''),
      from: detailed((one) => party(one.page_id, one.from_page ? undefined : personOf(one))),
      to: detailed((one) => ({ data: [party(one.page_id, one.from_page ? personOf(one) : undefined)] })),
      attachments: detailed(attachments),
      shares: detailed(sharesOf),
      sticker: detailed(stickerOf),
      story: detailed(storyOf),
      tags: ({ from_page }) => ({ data: [{ name: 'inbox' }, { name: from_page ? 'sent' : 'source:web' }] }),
      reply_to: ({ reply_to }) => (reply_to === undefined ? undefined : { id: reply_to }),
      reactions: detailed((one) =>
        one.reaction === undefined
          ? undefined
          : { data: [{ reaction: one.reaction, users: [party(one.page_id, personOf(one))] }] },
      ),
      is_unsupported: detailed(({ unsupported }) => unsupported),
    },
  };

  /** Newest first; leaves out messages that were unsent. */
  const messagesOf = (thread: string) =>
    threads
      .messages(thread)
      .filter(({ deleted_at }) => deleted_at === undefined)
      .toReversed();

  const thread: NodeType<Thread> = {
    name: 'UnifiedThread',
    id: ({ id }) => id,
    defaultFields: ['link', 'updated_time'],
    fields: {
      link: ({ page_id, id }) => `/${page_id}/inbox/${id}/`,
      updated_time: ({ updated_at }) => graphTime(updated_at),
      snippet: ({ id }) => messagesOf(id)[0]?.text?.slice(0, LONGEST_SNIPPET) ?? '',
      unread_count: ({ unread }) => unread,
      message_count: ({ id }) => messagesOf(id).length,
      can_reply: ({ inbound_at = 0 }) => inbound_at + DAY > clock.now(),
      is_subscribed: () => true,
      name: () => undefined,
      subject: () => undefined,
      scoped_thread_key: ({ id }) => id,
      participants: ({ page_id, parent_id }) => ({ data: [party(page_id, parent_id), party(page_id, undefined)] }),
      senders: ({ page_id, parent_id }) => ({ data: [party(page_id, parent_id), party(page_id, undefined)] }),
      messages: ({ id }) => edge(message, `${id}/messages`, () => messagesOf(id)),
    },
  };

  return Object.freeze({ message, messagesOf, thread });
}

export function makeConversations(world: GraphWorld, threads: Threads, terms = messenger(world)): Methods {
  const { nodes, people } = world;

  const { message, messagesOf, thread } = makeViews(world, threads, terms);

  const profile: NodeType<Profile> = {
    name: 'User',
    id: ({ page, person }) => people.psid(page, person.id),
    defaultFields: Object.keys(terms.profile).slice(0, 3),
    fields: { name: ({ person }) => person.name, ...terms.profile },
  };

  const readable = (call: Call, page: string) => requireWrite(call.actor, pageAt(world, page), people, terms.right);

  function list(call: Call, id: string): object {
    readable(call, id);
    const { params } = call;
    const platform = params.oneOf('platform', ['MESSENGER', 'INSTAGRAM'] as const) ?? terms.platform;
    const folder = params.text('folder') ?? 'inbox';
    if (!['inbox', 'spam', 'page_done', 'other', 'pending', 'page_background'].includes(folder))
      throw badParam(`Param folder must be one of {inbox, spam, page_done} - got "${folder.slice(0, 80)}"`);
    const user = params.text('user_id');
    const rows = nodes
      .list('thread', { page: id })
      .filter(
        (one) => threads.messages(one.id).length > 0 && (user === undefined || people.psid(id, one.parent_id) === user),
      )
      .toSorted((a, b) => b.updated_at - a.updated_at);
    const view = platform === terms.platform && folder === 'inbox' ? rows : [];
    return drawList(call, thread, `${id}/conversations`, view);
  }

  return Object.freeze({
    'GET page/conversations': { params: ['platform', 'user_id', 'folder', 'tags'], run: list },
    'GET thread': {
      params: [],
      run(call: Call, id: string) {
        const found = live(nodes.get('thread', id), id);
        readable(call, found.page_id);
        return drawOne(call, thread, found);
      },
    },
    'GET thread/messages': {
      params: ['source'],
      run(call: Call, id: string) {
        const found = live(nodes.get('thread', id), id);
        readable(call, found.page_id);
        return drawList(call, message, `${id}/messages`, messagesOf(id));
      },
    },
    'GET message': {
      params: [],
      run(call: Call, id: string) {
        const found = live(nodes.get('message', id), id);
        readable(call, found.page_id);
        return drawOne(call, message, found);
      },
    },
    'GET profile': {
      params: [],
      run(call: Call, id: string) {
        const page = call.actor.kind === 'page' ? call.actor.claims.page : '';
        readable(call, page);
        const person = people.byPsid(page, id);
        // A Page can see the profile of a person only after the person has written to it.
        if (person === undefined || threads.of(page, person.id)?.inbound_at === undefined)
          throw new GraphError(100, '(#100) No profile available for this user.', { subcode: 2018218 });
        return drawOne(call, profile, { page, person });
      },
    },
  });
}
