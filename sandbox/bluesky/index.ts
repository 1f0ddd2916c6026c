import type { Context } from 'koa';
import { isoTime } from '#kernel/clock.ts';
import { html } from '../html.ts';
import type { Offer, Resident, SandboxPerson, SandboxPost, Twin } from '../twin.ts';
import { ABOUT } from './about.ts';
import { openAuth } from '../atproto/auth.ts';
import { openBlobs } from '../atproto/blobs.ts';
import { asText } from '../kit/api/checks.ts';
import { chatMethods } from './chat/methods.ts';
import { openChat } from './chat/open.ts';
import { feedMethods } from './reading/feed.ts';
import { openGates } from './reading/gates.ts';
import type { TwinOptions } from '../kit/options.ts';
import { openRates } from '../kit/api/rates.ts';
import { makeTwin } from '../kit/twin.ts';
import { notificationMethods } from './reading/notifications.ts';
import { openNotices } from './reading/notices.ts';
import { drawThreads, postPath, profilePages, profilePath } from './console/pages.ts';
import { didDocument, openPeople, type Person } from '../atproto/people.ts';
import { followerActs } from './console/play.ts';
import { openRecords, type RecordRow, type Records, type VersionRow } from '../atproto/records.ts';
import { openRelations } from './reading/relations.ts';
import { repoMethods } from '../atproto/repo.ts';
import { xrpcServer } from '../atproto/server.ts';
import { makeTables } from '../atproto/tables.ts';
import { talks } from './console/talk.ts';
import { threadMethods } from './reading/threads.ts';
import { POST } from './uris.ts';
import { uriOf } from '../atproto/formats.ts';
import { hasMedia, LEXICONS, linksOf } from './lexicons.ts';
import { makeViews } from './reading/views.ts';

const { slug: SLUG } = ABOUT;
const RESIDENTS = Object.freeze([
  ['alice.sandbox.test', 'Alice of the Sandbox'],
  ['bob.sandbox.test', 'Bob Next Door'],
  ['carol.sandbox.test', 'Carol Reads Everything'],
] as const);
const SERVICES = Object.freeze([
  { id: 'did:web:api.bsky.app#bsky_appview' },
  { id: 'did:web:api.bsky.chat#bsky_chat', area: 'chat.bsky.', isPrivileged: true },
]);
/** How many of the newest posts to search for each thread that is shown. */
const PER_THREAD = 5;

function openParts({ store, clock }: TwinOptions, base: () => string) {
  makeTables(store.db);
  const people = openPeople(store, clock);
  const blobs = openBlobs(store, clock);
  const relations = openRelations(store.db);
  const gates = openGates(store.db, relations);
  const notices = openNotices(store.db);
  const records = openRecords(store, {
    clock,
    blobs,
    reading: {
      linksOf,
      hasMedia,
      keepsFirst: (collection) => collection === POST,
      allows: gates.allows,
      added: notices.add,
      removed: notices.drop,
    },
  });
  const chat = openChat(store, clock);
  const views = makeViews({ db: store.db, people, records, relations, gates, base });
  const auth = openAuth({ store, clock }, SLUG, people, base);
  const methods = Object.freeze({
    ...auth.methods,
    ...repoMethods(store, { people, records, lexicons: LEXICONS, base }),
    ...blobs.methods,
    ...feedMethods(store, people, views),
    ...threadMethods(store, views, relations),
    ...notificationMethods({ people, records, relations, gates, notices, views }),
    ...chatMethods({ store, clock, chat, people, records, relations, views }),
  });

  function reset(): void {
    store.write(() => {
      records.reset();
      chat.reset();
      blobs.reset();
      auth.reset();
    });
  }
  return Object.freeze({ people, records, gates, chat, views, auth, relations, methods, reset });
}

export function openBluesky(options: TwinOptions): Twin {
  const { store, clock } = options;
  const base = () => `${options.rootUrl().replace(/\/+$/, '')}/sandbox/${SLUG}`;
  const { people, records, gates, chat, views, auth, relations, methods, reset } = openParts(options, base);
  const rates = options.rateLimits ? openRates(clock) : undefined;
  const newest = store.db.prepare('select * from bsky_record where collection = ? order by sort_at desc limit ?');
  const postCount = store.db.prepare('select count(*) as n from bsky_record where did = ? and collection = ?');
  if (people.all().length === 0) for (const [handle, name] of RESIDENTS) people.add(handle, name);
  const conversations = talks(chat, people, SLUG);
  const answerXrpc = xrpcServer({ ...options, network: SLUG, methods, services: SERVICES, auth, rates });
  const pages = { people, records, views, gates };

  function showXrpc(ctx: Context, rest: readonly string[]): unknown {
    if (rest.join('/') !== '_health') return answerXrpc(ctx, rest.join('/'));
    ctx.body = { version: 'sandbox' };
    return undefined;
  }
  const read = (show: (ctx: Context, rest: readonly string[]) => void) => (ctx: Context, rest: readonly string[]) => {
    if (ctx.method === 'GET' || ctx.method === 'HEAD') show(ctx, rest);
    else ctx.status = 405;
  };
  const identity = read((ctx, [did = '', ...more]) => {
    if (more.length === 0) showIdentity(ctx, people.byDid(did), base());
  });

  const known = (person: Person): SandboxPerson => ({
    network: SLUG,
    id: person.did,
    handle: person.handle,
    display_name: person.display_name,
    credentials: {
      // The first password has all rights, including direct messages.
      app_password: person.privileged_app_password,
      app_password_without_messages: person.app_password,
    },
    form: { identifier: person.handle, app_password: person.privileged_app_password },
    commits: records.commits(person.did),
    posts: (postCount.get(person.did, POST) as { n: number }).n,
  });

  return makeTwin({
    ...ABOUT,
    methods: Object.freeze(Object.keys(methods)),
    areas: {
      xrpc: showXrpc,
      plc: identity,
      did: identity,
      handle: read((ctx, [who = '', ...more]) => {
        if (more.join('/') === '.well-known/atproto-did') ctx.body = people.find(who)?.did;
      }),
      profile: read(profilePages(pages)),
    },
    people: () => people.all().map(known),
    cast: () => people.all().map(introduced),
    find: (person: string) => people.find(person)?.did,
    addPerson: (handle: string, displayName: string) => known(people.add(handle, displayName)),
    posts(person: string) {
      const found = people.find(person);
      return found === undefined ? [] : historyOf(records, found);
    },
    latest: (count: number, offer?: Offer) =>
      drawThreads(newest.all(POST, count * PER_THREAD) as RecordRow[], count, pages, offer),
    acts: followerActs({ store, clock, people, relations, views, chat, methods }),
    done: (made: unknown) => made ?? {},
    conversations: conversations.draw,
    lists: { messages: conversations.messages },
    revoke(person: string) {
      const did = people.find(person)?.did;
      if (did !== undefined) people.revoke(did);
    },
    reset() {
      reset();
      rates?.reset();
    },
  });
}

const introduced = ({ handle: name, display_name, privileged_app_password, app_password }: Person): Resident => ({
  handle: name,
  name: display_name,
  path: profilePath(name),
  part: html`App password <code>${privileged_app_password}</code>
    <small>or, without direct messages, <code>${app_password}</code></small>`,
});

const version = ({ action, cid, rev, at, json }: VersionRow) => ({
  action,
  cid: cid ?? undefined,
  rev,
  at: isoTime(at),
  record: json === null ? undefined : (JSON.parse(json) as unknown),
});

function showIdentity(ctx: Context, person: Person | undefined, base: string): void {
  if (person !== undefined) ctx.body = didDocument(person, base);
  else {
    ctx.status = 404;
    ctx.body = { message: 'DID not registered' };
  }
}

function historyOf(records: Records, person: Person): readonly SandboxPost[] {
  const byKey = Map.groupBy(records.versions(person.did, POST), ({ rkey }) => rkey);
  return [...byKey].map(([rkey, versions]) => {
    const text = (JSON.parse(versions.findLast(({ json }) => json !== null)?.json ?? '{}') as { text?: unknown }).text;
    return {
      network: SLUG,
      person: person.handle,
      uri: uriOf(person.did, POST, rkey),
      rkey,
      exists: versions.at(-1)?.action !== 'delete',
      text: asText(text),
      path: postPath(person.handle, rkey),
      versions: versions.map(version),
    };
  });
}
