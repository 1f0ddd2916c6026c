import { createHmac, type KeyObject } from 'node:crypto';
import { accountsHaving, findLinked, holdAccount, loadAccount, type AccountRow } from '#db/access/accounts.ts';
import { accountsOfApp } from '#db/access/apps.ts';
import { accountsOfPage } from '#db/access/pages.ts';
import { patchSubscription } from '#db/inbox/subscriptions.ts';
import { deletePush, insertPush, isWaiting, loadPush, tryPush, type PushRow } from '#db/inbox/pushes.ts';
import type { Network } from '#db/schema/database.ts';
import type { Store } from '#db/store/store.ts';
import type { Db, Tx } from '#db/store/tx.ts';
import type { CrashPoint, Disconnect, Sessions } from '#call/ports.ts';
import type { Clock } from '#kernel/clock.ts';
import { fail } from '#kernel/errors.ts';
import { newId } from '#kernel/ids.ts';
import { chunksOf } from '#kernel/limits/chunks.ts';
import type { Log } from '#kernel/log.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import { safeEqual } from '#kernel/sign.ts';
import { answerHandshake, canBePush } from '#platforms/shared/push/handshake.ts';
import type { InboundEvent } from '#platforms/inbound.ts';
import type { Platforms } from '#platforms/lookup.ts';
import type { HandshakeAnswer, Push, PushRequest, PushedEvent } from '#platforms/push.ts';
import { UNFLUSHED } from '../../jobs/lease.ts';
import type { AttachmentAddresses } from '../read/attachment-addresses.ts';
import { makeDataDeletion } from '../erase/data-deletion.ts';
import { record } from '../record/record.ts';
import { makeCompleting, type Budget } from './complete.ts';
import { CHUNK } from './intake.ts';
import { makePushAddresses, type PushAddressDeps, type PushSender } from './push-addresses.ts';

/** A webhook that cannot be processed is dropped after this many attempts or this time. */
const TRIES = 10;
const RETRY_FOR_MS = 3 * 86_400_000;
/** The response to a webhook, unless the platform requires another one. */
const RECEIVED = 'EVENT_RECEIVED';

export type PushDeps = PushAddressDeps &
  Readonly<{
    store: Store;
    sessions: Pick<Sessions, 'use'>;
    platforms: Platforms;
    clock: Clock;
    log: Log;
    disconnect: Disconnect;
    addresses: AttachmentAddresses;
    /** The key from which the codes of status pages are derived. */
    codeKey: KeyObject;
    rootUrl: string;
    crash: CrashPoint;
  }>;

type AccountEvents = { account: AccountRow; events: InboundEvent[] };
type Task = () => Promise<unknown>;

/** Turns a stored webhook into rows and outbound events. */
function makeProcessing(
  deps: PushDeps,
  completion: ReturnType<typeof makeCompleting>,
  dataDeletion: ReturnType<typeof makeDataDeletion>,
) {
  const { store, clock, disconnect, platforms, addresses } = deps;

  async function readPush(row: PushRow, push: Push): Promise<readonly AccountEvents[]> {
    const found = new Map<string, AccountEvents>();
    const known = new Map<string, readonly AccountRow[] | Promise<readonly AccountRow[]>>();
    const addressee = row.account_id === null ? undefined : await loadAccount(store.db, row.account_id);
    const { hosts } = deps.bare(platforms.get(row.platform as PlatformSlug)!, row.network as Network);
    for (const pushed of push.read({ ...requestOf(row), metadata: addressee?.metadata, hosts })) {
      const key = JSON.stringify([pushed.user, pushed.page, pushed.having]);
      const accounts =
        known.get(key) ?? (row.account_id === null ? accountsFor(row, push, pushed) : [addressee ?? []].flat());
      known.set(key, accounts);
      for (const account of await accounts) {
        const one = found.get(account.id) ?? { account, events: [] };
        one.events.push(pushed.event);
        found.set(account.id, one);
      }
    }
    return [...found.values()];
  }

  async function accountsFor(row: PushRow, push: Push, { user, page, having }: PushedEvent) {
    const [platform, network] = [row.platform as PlatformSlug, row.network as Network];
    // Customers can sign with the secret of their own app, so it may only report on accounts connected with that app.
    if (push.scope === 'customer_app') {
      return (await accountsOfApp(store.db, platform, row.path)).filter((one) => one.platform_user_id === user);
    }
    if (page !== undefined) return accountsOfPage(store.db, platform, network, page);
    if (having !== undefined) return accountsHaving(store.db, platform, network, having);
    const account = user === undefined ? undefined : await findLinked(store.db, platform, network, user);
    return account ? [account] : [];
  }

  function tasksFor({ account, events }: AccountEvents, row: PushRow, push: Push, budget: Budget): readonly Task[] {
    const take = async (chunk: readonly InboundEvent[]) => {
      const whole = await completion.complete(account, push, chunk, budget);
      const now = clock.now();
      await store.write((tx) => record(tx, account, whole, { silent: false, way: 'push', now, addresses }));
    };
    const about = events.filter(({ kind }) => kind !== 'revoked' && kind !== 'deletion');
    return [
      ...chunksOf(about, CHUNK).map((chunk) => () => take(chunk)),
      ...events.flatMap((event): readonly Task[] => {
        if (event.kind === 'revoked') return [() => store.write((tx) => revoked(tx, account, row, event.why))];
        return event.kind === 'deletion' ? [() => dataDeletion.remove(account, row)] : [];
      }),
    ];
  }

  async function revoked(tx: Tx, { id }: AccountRow, row: PushRow, why: string): Promise<void> {
    const account = await holdAccount(tx.db, tx.dialect, id);
    // If the account was connected again since, the access that was revoked is no longer in use.
    if (account && account.connected_at <= row.received_at) {
      await disconnect(tx, account, 'access_revoked', why, clock.now());
    }
  }

  async function processPush(row: PushRow): Promise<void> {
    const push = platforms.get(row.platform as PlatformSlug)?.push;
    if (push === undefined) return;
    const budget = completion.budget();
    const all = await readPush(row, push);
    const hasDeletionRequest = all.some(({ events }) => events.some(({ kind }) => kind === 'deletion'));
    if (hasDeletionRequest) await dataDeletion.promise(row);
    const tasks = all.flatMap((found) => tasksFor(found, row, push, budget));
    const isDeletion = hasDeletionRequest || row.erases !== null;
    await doAll([...tasks, ...(isDeletion ? [() => dataDeletion.finish(row.id)] : [])]);
  }

  return processPush;
}

/** Receives webhooks of platforms: verifies and stores them at once, and processes them in a job. */
export function makePushes(deps: PushDeps) {
  const { store, clock, log } = deps;
  const completion = makeCompleting(deps);
  const dataDeletion = makeDataDeletion(deps);
  const { pushOf, sendersOf, handshakeSendersOf } = makePushAddresses(deps);

  const codeOf = (id: string) => {
    const [, own] = id.split('_') as [string, string];
    return own + createHmac('sha256', deps.codeKey).update(own).digest('hex').slice(0, 32);
  };

  const processPush = makeProcessing(deps, completion, dataDeletion);

  /** Stores that a platform has confirmed an account's subscription; `lease` is in seconds. */
  const begin = (account: string, lease: number) =>
    store.write(async ({ db }) => {
      const now = clock.now();
      await patchSubscription(db, account, { state: 'active', until: now + lease * 1000, caught_up: 0, made_at: now });
    });

  return Object.freeze({
    /** Responds when a platform verifies our address; `path` is the part after the platform's own path. */
    async handshake(slug: string, path: string, query: Readonly<Record<string, string>>): Promise<HandshakeAnswer> {
      const { push } = pushOf(slug);
      for (const { trust, account } of await handshakeSendersOf(slug, path)) {
        const answer = answerHandshake(push, query, trust);
        if (answer === undefined) continue;
        if (account !== null && answer.lease !== undefined) await begin(account, answer.lease);
        return answer;
      }
      fail('auth.invalid_secret');
    },

    /** Throws if the platform cannot send webhooks here; called before the body is read. */
    expects(slug: string): void {
      const { platform, push } = pushOf(slug);
      if (push.scope === 'app' && deps.appsOf(platform.slug).length === 0) fail('auth.invalid_secret');
    },

    /** Verifies a webhook and stores it before responding. */
    async accept(slug: string, request: PushRequest): Promise<unknown> {
      const { platform, push } = pushOf(slug);
      const senders = await sendersOf(slug, request.path);
      // The connector does not need an account's path, which is only its address and not a secret.
      const pushed = push.scope === 'account' ? { ...request, path: '' } : request;
      const { network, account } = (await signerOf(push, pushed, senders)) ?? fail('auth.invalid_secret');
      const now = clock.now();
      const id = newId('push', now);
      const code = codeOf(id);
      const url = `${deps.rootUrl}/push/${platform.slug}/deletion/${code}`;
      const confirmation = push.confirmDeletion?.(pushed, { url, code });
      await store.write(async (tx) => {
        await insertPush(tx.db, {
          id,
          platform: platform.slug,
          network,
          account_id: account,
          path: pushed.path,
          headers: keptHeaders(pushed.headers),
          body: Buffer.from(pushed.body).toString('base64'),
          received_at: now,
          // Once a data-deletion request is confirmed, it must be completed.
          erases: confirmation === undefined ? null : [],
        });
        await tx.enqueue({ kind: 'take_push', key: id, runAt: now });
      });
      return confirmation ?? push.reply?.(pushed) ?? RECEIVED;
    },

    async take(id: string) {
      const row = await store.write((tx) => tryPush(tx.db, id), UNFLUSHED);
      if (row === undefined) return undefined;
      deps.crash('push.taken');
      try {
        if (row.attempts > TRIES && row.erases === null) throw new Error('every try ended without an answer');
        await processPush(row);
      } catch (error) {
        const isYoung = row.attempts < TRIES && clock.now() - row.received_at < RETRY_FOR_MS;
        const isPromised = (await loadPush(store.db, id))?.erases !== null;
        if (isYoung || isPromised) throw error;
        log.error({ push: id, platform: row.platform, path: row.path, attempts: row.attempts, error }, 'push dropped');
      }
      return { write: (db: Db) => deletePush(db, id) };
    },

    /** The state of a data-deletion request; undefined for an unknown code. */
    async deletion(slug: string, code: string): Promise<'done' | 'in_progress' | undefined> {
      pushOf(slug);
      const id = `push_${code.slice(0, -32)}`;
      if (!safeEqual(code, codeOf(id))) return undefined;
      return (await isWaiting(store.db, id)) ? 'in_progress' : 'done';
    },
  });
}

/** The sender whose secret signed a webhook; undefined if none did. */
async function signerOf(
  push: Push,
  request: PushRequest,
  senders: readonly PushSender[],
): Promise<PushSender | undefined> {
  if (!canBePush(request.body)) return undefined;
  for (const sender of senders) if (await push.verify(request, sender.trust)) return sender;
  return undefined;
}

/** Runs all tasks even if some fail, and then throws the first failure. */
async function doAll(tasks: readonly Task[]): Promise<void> {
  const failures: unknown[] = [];
  for (const task of tasks) await task().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

function requestOf(row: PushRow): PushRequest {
  return {
    path: row.path,
    headers: row.headers,
    body: Buffer.from(row.body, 'base64'),
  };
}

/** The headers to store. Signatures and secrets are left out, as the sender is already verified. */
function keptHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => name === 'content-type' || (name.startsWith('x-') && !/secret|signature|token|forwarded/.test(name)),
    ),
  );
}
