/** Webhooks that apps register: each proves itself at its beginning and again and again, and gets events while it does. */
import type { Doc, DocStore } from '../docs.ts';
import { makeDue, type Due } from '../due.ts';
import { randomText } from '../ids.ts';
import type { TwinOptions } from '../options.ts';
import type { PushAnswer, PushRequest, Pushes } from './pushes.ts';

/** Where events are sent to, of the app `page_id`. */
export type Webhook = Doc & Readonly<{ page_id: string; url: string; valid: boolean }>;

type HookDocs = DocStore<{ webhook: Webhook; due: Due }>;

export type HookRules = Readonly<{
  /** The address that asks for the proof of a challenge. */
  handshakeUrl(hook: Webhook, challenge: string): string;
  isProof(hook: Webhook, challenge: string, answer: PushAnswer): boolean;
  /** The signed headers of a delivery; a wrong signature where it is asked for. */
  headers(hook: Webhook | undefined, body: string, isWrong: boolean): NonNullable<PushRequest['headers']>;
  /** How often it has to prove itself again, in ms. */
  againMs: number;
  waits: readonly number[];
  lastTry: number;
}>;

/** Opens the webhooks of a twin; its pushes are theirs alone. */
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

  // The fragment says whose a delivery is: several apps may have the same address.
  const addressOf = ({ url, id }: Webhook) => `${url}#${id}`;
  return Object.freeze({
    prove,
    due: due.run,
    proveAll: () => Promise.all(docs.list('webhook').map(({ id }) => prove(id))),
    /** Sends an event of an account, if the webhook has proved itself. Inside a transaction. */
    send(id: string, account: string, kind: string, body: string): void {
      const hook = docs.get('webhook', id);
      if (hook?.valid === true) pushes.add({ page_id: account, kind, item: { url: addressOf(hook), body } });
    },
    /** Removes a webhook with what waits for it. Inside a transaction. */
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
