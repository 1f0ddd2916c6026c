/** Keeps the updates of each bot for a day, and pushes them to its webhook in order or returns them by getUpdates. */
import { seconds } from '../kit/ids.ts';
import { ownOrigins, type TwinOptions } from '../kit/options.ts';
import type { Bot, Webhook } from './docs.ts';
import { badRequest, conflict } from './errors.ts';
import type { World } from './world.ts';

const DAY_MS = 24 * 3_600_000;
const LONGEST_POLL_S = 50;
const PORTS = new Set(['', '443', '80', '88', '8443']);
/** Only sent if the bot requests them. */
const OPT_IN: ReadonlySet<string> = new Set(['chat_member', 'message_reaction', 'message_reaction_count']);

export function checkWebhook(options: TwinOptions, url: string): void {
  const refuse = (why: string) => badRequest(`bad webhook: ${why}`);
  if (!URL.canParse(url)) throw refuse('invalid URL specified');
  const { protocol, port, origin } = new URL(url);
  if (ownOrigins(options).includes(origin)) return;
  if (protocol !== 'https:') throw refuse('An HTTPS URL must be provided for webhook');
  if (!PORTS.has(port)) throw refuse('Webhook can be set up only on ports 80, 88, 443 or 8443');
}

const ACTIVE = "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";
const OTHER = 'terminated by other getUpdates request; make sure that only one bot instance is running';

function dropUpdates(docs: World['docs'], id: string, until: number): void {
  for (const { id: update, at } of docs.list('update', { page: id })) if (at <= until) docs.remove('update', update);
}

export type Updates = ReturnType<typeof makeUpdates>;

export function makeUpdates({ docs, options, pushes }: Pick<World, 'docs' | 'options' | 'pushes'>) {
  const { clock, store, wait } = options;
  /** The bots with a getUpdates that is waiting, and the function that ends it. */
  const waiting = new Map<string, (ended: 'update' | 'other') => void>();
  const bot = (id: string) => docs.get('bot', id)!;

  const dropOld = (id: string) => dropUpdates(docs, id, clock.now() - DAY_MS);

  /** A bot's pending updates of the last day, oldest first. */
  function pending(id: string) {
    dropOld(id);
    return docs.list('update', { page: id }).toSorted((a, b) => a.n - b.n);
  }

  const isAllowed = ({ allowed_updates: allowed = [] }: Bot, kind: string) =>
    allowed.length === 0 ? !OPT_IN.has(kind) : allowed.includes(kind);

  const push = (id: string, item: object) => pushes.add({ page_id: id, kind: 'update', item });

  pushes.start({
    bundle: (updates) =>
      updates.flatMap(({ page_id: id, item }) => {
        const { webhook } = docs.get('bot', id) ?? {};
        return webhook ? [{ url: webhook.url, body: JSON.stringify(item), accounts: [id] }] : [];
      }),
    request({ url, body }, isWrong) {
      const secret = docs.list('bot').find(({ webhook }) => webhook?.url === url)?.webhook?.secret_token;
      const proof: Record<string, string> =
        secret === undefined ? {} : { 'x-telegram-bot-api-secret-token': isWrong ? 'wrong' : secret };
      return { url, body, headers: { 'content-type': 'application/json', ...proof } };
    },
    isReady: async (url) => docs.list('bot').some(({ webhook }) => webhook?.url === url),
    waits: [1000, 5000, 30_000, 60_000],
    lastTry: DAY_MS,
    isInOrder: true,
    taken({ body }, [id = '']) {
      const { update_id: n } = JSON.parse(body) as { update_id: number };
      docs.remove('update', `${id}/${n}`);
      docs.change('bot', id, { last_error: undefined });
    },
    failed(accounts) {
      const message = 'Wrong response from the webhook';
      for (const id of accounts)
        if (docs.get('bot', id)) docs.change('bot', id, { last_error: { date: seconds(clock.now()), message } });
    },
  });

  function setWebhook(id: string, webhook: Webhook | undefined, isClean: boolean): void {
    store.write(() => {
      const before = bot(id).webhook;
      if (before) pushes.drop(before.url);
      docs.change('bot', id, { webhook, last_error: undefined });
      for (const update of pending(id)) {
        if (isClean) docs.remove('update', update.id);
        else if (webhook) push(id, update.body);
      }
    });
    if (webhook) waiting.get(id)?.('other');
  }

  return Object.freeze({
    pending,
    setWebhook,

    /** Adds an update if the bot subscribes to its kind. Inside a transaction. */
    tell(id: string, kind: string, body: object): void {
      const { next_update: n, webhook } = bot(id);
      if (!isAllowed(bot(id), kind)) return;
      docs.change('bot', id, { next_update: n + 1 });
      const update = { update_id: n, [kind]: body };
      // Nobody may ever ask for those of a bot that is not connected.
      dropOld(id);
      docs.put('update', { id: `${id}/${n}`, at: clock.now(), page_id: id, n, body: update });
      if (webhook) push(id, update);
      else waiting.get(id)?.('update');
    },

    /** Returns updates from an offset, which confirms all before it. Waits until there is one. */
    async read(id: string, { offset, limit, timeout }: Readonly<{ offset: number; limit: number; timeout: number }>) {
      waiting.get(id)?.('other');
      const until = clock.now() + Math.min(timeout, LONGEST_POLL_S) * 1000;
      for (;;) {
        if (bot(id).webhook) throw conflict(ACTIVE);
        const all = pending(id);
        const from = offset < 0 ? (all.at(offset)?.n ?? 0) : offset;
        for (const { id: known, n } of all) if (n < from) docs.remove('update', known);
        const left = all.filter(({ n }) => n >= from).slice(0, limit);
        if (left.length > 0 || clock.now() >= until) return left.map(({ body }) => body);
        const arrival = Promise.withResolvers<'update' | 'other'>();
        waiting.set(id, arrival.resolve);
        const ended = await Promise.race([arrival.promise, wait(until - clock.now())]);
        if (waiting.get(id) === arrival.resolve) waiting.delete(id);
        if (ended === 'other') throw bot(id).webhook ? conflict(ACTIVE) : conflict(OTHER);
        if (ended === false) return [];
      }
    },
  });
}
