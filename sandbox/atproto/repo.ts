import type { Store } from '../store.ts';
import { anyObject, flag, list, nullable, object } from '../kit/api/checks.ts';
import { text, union, uriOf } from './formats.ts';
import { seal } from './ipld.ts';
import { fixedKey, validateKey, validateRecord, type Lexicons } from './lexicons.ts';
import { didDocument, type People, type Person } from './people.ts';
import type { RecordRow, Records, Write } from './records.ts';
import { invalid, procedure, query, required, unauthorised, whole, type Method, type Session } from './xrpc.ts';
import type { Charge } from '../kit/api/rates.ts';

type Target = { repo: string; collection: string; rkey: string };
type Swaps = { swapRecord?: string | null; swapCommit?: string };
type Content = { record: Record<string, unknown>; validate?: boolean };
type CreateInput = Omit<Target, 'rkey'> & Content & { rkey?: string; swapCommit?: string };
type Item = { $type: string; collection: string; rkey?: string; value?: Record<string, unknown> };
type WritesInput = { repo: string; validate?: boolean; swapCommit?: string; writes: Item[] };

const repo = text({ format: 'at-identifier' });
const collection = text({ format: 'nsid' });
const rkey = text({ bytes: 512 });
const cid = text({ format: 'cid' });
const MOST_WRITES = 200;
const ITEM = 'com.atproto.repo.applyWrites#';
/** The rate-limit points of a write; a deletion costs one. */
const PRICES: ReadonlyMap<string, number> = new Map([
  ['create', 3],
  ['update', 2],
]);

function actionOf(type: string): Write['action'] {
  const action = (['create', 'update', 'delete'] as const).find((one) => type === `${ITEM}${one}`);
  if (action === undefined) throw invalid(`Action not supported: ${type}`);
  return action;
}

/** Charges both of an account's windows for writes. */
function charge(session: Session, points: number): readonly Charge[] {
  return [
    { name: 'write', key: session.did, limit: 5000, window_s: 3600, points },
    { name: 'write day', key: session.did, limit: 35_000, window_s: 86_400, points },
  ];
}

export type RepoWorld = Readonly<{ people: People; records: Records; lexicons: Lexicons; base: () => string }>;

function prepare(lexicons: Lexicons, type: string, content: Content) {
  const record = 'record' in content && content.record['$type'] ? content.record : { ...content.record, $type: type };
  // Encode it first, because that limits the depth and refuses impossible records.
  const sealed = seal(record);
  const status = validateRecord(lexicons, type, JSON.parse(sealed.json) as Record<string, unknown>, content.validate);
  return { sealed, ...(status !== undefined && { validationStatus: status }) };
}

function makeWrites(
  { write: transact }: Store,
  { records, lexicons }: RepoWorld,
  named: (identifier: string) => Person,
) {
  /** The caller's own repository, named by its DID or handle. */
  function own(identifier: string, session: Session): string {
    const did = named(identifier).did;
    if (did !== session.did) throw unauthorised();
    return did;
  }

  const note = ({ input }: { input: { collection: string; rkey?: string } }) =>
    `${input.collection}/${input.rkey ?? '…'}`;

  const createRecord = procedure<CreateInput>({
    check: object({ repo, collection, record: anyObject }, { rkey, validate: flag, swapCommit: cid }),
    charges: ({ session }) => charge(session, 3),
    note,
    run({ input, session }) {
      const did = own(input.repo, session);
      const { sealed, ...status } = prepare(lexicons, input.collection, input);
      if (input.rkey !== undefined) validateKey(lexicons, input.collection, input.rkey, input.validate);
      const made = transact(() => {
        const key = input.rkey ?? fixedKey(lexicons, input.collection) ?? records.nextKey(did);
        const write: Write = { action: 'create', collection: input.collection, rkey: key, sealed };
        // A second like replaces the first one only in this call; the other ways to write keep both.
        const before = input.validate === false ? [] : records.rivals(did, input.collection, input.record);
        const gone = before.map((rkey): Write => ({ action: 'delete', collection: input.collection, rkey }));
        return { key, commit: records.commit(did, [...gone, write], input.swapCommit) };
      });
      return { json: { uri: uriOf(did, input.collection, made.key), cid: sealed.cid, commit: made.commit, ...status } };
    },
  });

  const putRecord = procedure<Target & Content & Swaps>({
    check: object(
      { repo, collection, rkey, record: anyObject },
      { validate: flag, swapRecord: nullable(cid), swapCommit: cid },
    ),
    charges: ({ session }) => charge(session, 2),
    note,
    run({ input, session }) {
      const did = own(input.repo, session);
      const { sealed, ...status } = prepare(lexicons, input.collection, input);
      validateKey(lexicons, input.collection, input.rkey, input.validate);
      const commit = transact(() => {
        const current = records.get(did, input.collection, input.rkey);
        // Writing the same bytes again changes nothing, even if another version was expected.
        if (current?.cid === sealed.cid) return undefined;
        const action = current === undefined ? 'create' : 'update';
        const write: Write = { action, collection: input.collection, rkey: input.rkey, sealed, swap: input.swapRecord };
        return records.commit(did, [write], input.swapCommit);
      });
      return {
        json: { uri: uriOf(did, input.collection, input.rkey), cid: sealed.cid, ...(commit && { commit }), ...status },
      };
    },
  });

  const deleteRecord = procedure<Target & Swaps>({
    check: object({ repo, collection, rkey }, { swapRecord: cid, swapCommit: cid }),
    charges: ({ session }) => charge(session, 1),
    note,
    run({ input, session }) {
      const did = own(input.repo, session);
      const commit = transact(() => {
        if (records.get(did, input.collection, input.rkey) === undefined) return undefined;
        const write: Write = {
          action: 'delete',
          collection: input.collection,
          rkey: input.rkey,
          swap: input.swapRecord ?? undefined,
        };
        return records.commit(did, [write], input.swapCommit);
      });
      return { json: { ...(commit && { commit }) } };
    },
  });

  return Object.freeze({ own, createRecord, putRecord, deleteRecord });
}

function makeReads(records: Records, base: () => string, named: (identifier: string) => Person) {
  const wire = (row: RecordRow) => ({
    uri: uriOf(row.did, row.collection, row.rkey),
    cid: row.cid,
    value: JSON.parse(row.json) as unknown,
  });

  const getRecord = query({
    run({ params }) {
      const type = required(params, 'collection');
      const key = required(params, 'rkey');
      const { did } = named(required(params, 'repo'));
      const row = records.get(did, type, key);
      const wanted = params.get('cid');
      if (row === undefined || (wanted !== null && wanted !== row.cid))
        throw invalid(`Could not locate record: ${uriOf(did, type, key)}`, 'RecordNotFound');
      return { json: wire(row) };
    },
  });

  const listRecords = query({
    run({ params }) {
      const { did } = named(required(params, 'repo'));
      const type = required(params, 'collection');
      const limit = whole(params, 'limit', { min: 1, max: 100, or: 50 });
      const after = params.get('cursor') || undefined;
      const rows = records.list(did, type, { after, reverse: params.get('reverse') === 'true', limit });
      // As on a real server, a full page has a cursor even if it is the last one.
      const cursor = rows.length === limit ? rows.at(-1)?.rkey : undefined;
      return { json: { ...(cursor !== undefined && { cursor }), records: rows.map(wire) } };
    },
  });

  const describeRepo = query({
    run({ params }) {
      const person = named(required(params, 'repo'));
      const { did, handle } = person;
      const didDoc = didDocument(person, base());
      return { json: { handle, did, didDoc, collections: records.collections(did), handleIsCorrect: true } };
    },
  });

  return Object.freeze({ getRecord, listRecords, describeRepo });
}

export function repoMethods(store: Store, world: RepoWorld): Readonly<Record<string, Method>> {
  const { people, records, lexicons, base } = world;
  const { write: transact } = store;
  const { own, createRecord, putRecord, deleteRecord } = makeWrites(store, world, named);

  function named(identifier: string): Person {
    const person = people.find(identifier);
    if (person === undefined) throw invalid(`Could not find repo: ${identifier}`);
    return person;
  }

  const applyWrites = procedure<WritesInput>({
    check: object(
      {
        repo,
        writes: list(
          union({
            [`${ITEM}create`]: object({ collection, value: anyObject }, { rkey }),
            [`${ITEM}update`]: object({ collection, rkey, value: anyObject }),
            [`${ITEM}delete`]: object({ collection, rkey }),
          }),
        ),
      },
      { validate: flag, swapCommit: cid },
    ),
    charges: ({ input, session }) => {
      const price = ({ $type }: Item) => PRICES.get($type.split('#')[1] ?? '') ?? 1;
      return charge(
        session,
        input.writes.reduce((sum, item) => sum + price(item), 0),
      );
    },
    note: ({ input }) => `${input.writes.length} writes`,
    run({ input, session }) {
      const did = own(input.repo, session);
      if (input.writes.length > MOST_WRITES) throw invalid(`Too many writes. Max: ${MOST_WRITES}`);
      const prepared = input.writes.map((item) => {
        const kind = actionOf(item.$type);
        if (item.rkey !== undefined) validateKey(lexicons, item.collection, item.rkey, input.validate);
        const content = item.value && {
          record: item.value,
          ...(input.validate !== undefined && { validate: input.validate }),
        };
        return { kind, item, ...(kind !== 'delete' && content && prepare(lexicons, item.collection, content)) };
      });
      const done = transact(() => {
        const keyed = prepared.map((one) => ({
          ...one,
          key: one.item.rkey ?? fixedKey(lexicons, one.item.collection) ?? records.nextKey(did),
        }));
        const writes = keyed.map(({ kind, item, key, sealed }) => ({
          action: kind,
          collection: item.collection,
          rkey: key,
          sealed,
        }));
        return { keyed, commit: records.commit(did, writes, input.swapCommit) };
      });
      const results = done.keyed.map(({ kind, item, key, sealed, validationStatus }) => ({
        $type: `${ITEM}${kind}Result`,
        ...(sealed && { uri: uriOf(did, item.collection, key), cid: sealed.cid }),
        ...(validationStatus && { validationStatus }),
      }));
      return { json: { commit: done.commit, results } };
    },
  });

  const { getRecord, listRecords, describeRepo } = makeReads(records, base, named);

  return Object.freeze({
    'com.atproto.repo.createRecord': createRecord,
    'com.atproto.repo.putRecord': putRecord,
    'com.atproto.repo.deleteRecord': deleteRecord,
    'com.atproto.repo.applyWrites': applyWrites,
    'com.atproto.repo.getRecord': getRecord,
    'com.atproto.repo.listRecords': listRecords,
    'com.atproto.repo.describeRepo': describeRepo,
  });
}
