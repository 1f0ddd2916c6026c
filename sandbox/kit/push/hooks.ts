/** Webhooks of apps. Each has to pass a challenge at first and then regularly, or it gets no events. */
import type { Doc, DocStore } from '../docs.ts';
import { makeDue, type Due } from '../due.ts';
import { randomText } from '../ids.ts';
import type { TwinOptions } from '../options.ts';
import type { PushAnswer, PushRequest, Pushes } from './pushes.ts';

export type Webhook = Doc & Readonly<{ page_id: string; url: string; valid: boolean }>;

type HookDocs = DocStore<{ webhook: Webhook; due: Due }>;

export type HookRules = Readonly<{
  handshakeUrl(hook: Webhook, challenge: string): string;
  isProof(hook: Webhook, challenge: string, answer: PushAnswer): boolean;
  /** The signed headers of a delivery; `isWrong` makes the signature invalid. */
  headers(hook: Webhook | undefined, body: string, isWrong: boolean): NonNullable<PushRequest['headers']>;
  /** How often a webhook is challenged again, in ms. */
  againMs: number;
  waits: readonly number[];
  lastTry: number;
}>;

export function openHooks(
  { store, clock, complain }: Pick<TwinOptions, 'store' | 'clock' | 'complain'>,
  docs: HookDocs,
  pushes: Pushes,
  { handshakeUrl, isProof, headers, againMs, waits, lastTry }: HookRules,
) {
  const checks = new Set<Promise<unknown>>();
  let isClosed = false;
  const due = makeDue({ store, clock, nodes: docs }, again, () => {});

  async function prove(id: string): Promise<boolean> {
    const hook = docs.get('webhook', id);
    if (hook === undefined) return false;
    const challenge = randomText(36);
    const request = { method: 'GET', url: handshakeUrl(hook, challenge) };
    const valid = await pushes.handshake(hook.url, request, (answer) => isProof(hook, challenge, answer));
    if (isClosed) return false;
    store.write(() => {
      if (docs.get('webhook', id) === undefined) return;
      docs.change('webhook', id, { valid });
      due.add(id, againMs);
    });
    return valid;
  }
  function again(id: string): void {
    const check = prove(id).catch((error: unknown) => complain(error, 'the proof of a webhook'));
    checks.add(check);
    void check.finally(() => checks.delete(check));
  }

  pushes.start({
    bundle: (updates) =>
      updates.map(({ page_id, item }) => ({ ...(item as { url: string; body: string }), accounts: [page_id] })),
    request({ url, body }, isWrong) {
      const [address = '', id = ''] = url.split('#');
      return { url: address, body, headers: headers(docs.get('webhook', id), body, isWrong) };
    },
    waits,
    lastTry,
  });

  // Add the id as a fragment, because several apps may use the same URL.
  const addressOf = ({ url, id }: Webhook) => `${url}#${id}`;
  return Object.freeze({
    prove,
    due: due.run,
    proveAll: () => Promise.all(docs.list('webhook').map(({ id }) => prove(id))),
    /** Sends an account's event to a webhook if it is verified. Inside a transaction. */
    send(id: string, account: string, kind: string, body: string): void {
      const hook = docs.get('webhook', id);
      if (hook?.valid === true) pushes.add({ page_id: account, kind, item: { url: addressOf(hook), body } });
    },
    /** Removes a webhook and its pending deliveries. Inside a transaction. */
    remove(hook: Webhook): void {
      docs.remove('webhook', hook.id);
      pushes.drop(addressOf(hook));
    },
    async settle() {
      while (checks.size > 0) await Promise.all(checks);
      await pushes.settle();
    },
    close() {
      isClosed = true;
      due.close();
      pushes.close();
    },
  });
}
