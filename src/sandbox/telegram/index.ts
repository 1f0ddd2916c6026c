import { html } from '../html.ts';
import { makeActs } from '../kit/acts.ts';
import { makeGate } from '../kit/api/gate.ts';
import { openOrders, type Orders } from '../kit/api/orders.ts';
import { plainWords } from '../kit/api/params.ts';
import { makeRoutes, nameOf, type RouteWords } from '../kit/api/routes.ts';
import { openDocs } from '../kit/docs.ts';
import { makeFetching } from '../kit/fetching.ts';
import { openFiles } from '../kit/files.ts';
import { digits } from '../kit/ids.ts';
import type { TwinOptions } from '../kit/options.ts';
import { makePeople, shownPerson, shownPost, type Person } from '../kit/people.ts';
import { fileHost } from '../kit/public.ts';
import type { Pushes } from '../kit/push/pushes.ts';
import { openSettings } from '../kit/settings.ts';
import { makeTwin } from '../kit/twin.ts';
import type { SandboxPerson, Twin } from '../twin.ts';
import { ABOUT } from './about.ts';
import { telegramActs, type OrderedError } from './acts.ts';
import { makeDrawn } from './console/drawn.ts';
import { DONE, SETTINGS, type Bot, type TelegramDocs } from './docs.ts';
import { badRequest, notFound, TelegramError, tooMany, unauthorized } from './errors.ts';
import { botMethods, chatMethods } from './methods/bot.ts';
import { makeTargets, type BotCaller, type Parts } from './methods/calls.ts';
import { changeMethods } from './methods/change.ts';
import { sendMethods } from './methods/send.ts';
import { makeRender, shownMessage } from './render.ts';
import { makeTalk, type Talk } from './talk.ts';
import { makeUpdates } from './updates.ts';
import { channelName, settle } from './residents.ts';
import { type Chats, makeChats, newSecret, tokenOf, type World } from './world.ts';

const USER_AGENT = 'TelegramBot (like TwitterBot)';
const THROTTLED_S = 5;

function openWorld(options: TwinOptions): World {
  const { store, clock } = options;
  const docs = openDocs<TelegramDocs>(store, ABOUT.prefix);
  const files = openFiles(store, ABOUT.prefix, { nodes: docs, clock, newId: () => digits(15) });
  return Object.freeze({
    options,
    docs,
    people: makePeople<Person>(docs, ABOUT.slug, clock),
    settings: openSettings(store, ABOUT.prefix, SETTINGS),
    files,
    fetching: makeFetching(options, files, { network: ABOUT.title, userAgent: USER_AGENT }),
  });
}

/** What the control door shows. */
const listsOf = ({ docs, settings }: World, chats: Chats, pushes: Pushes) => ({
  messages: () => docs.list('message').map(shownMessage),
  chats: () => chats.all(),
  bots: () => docs.list('bot').map((bot) => ({ ...bot, token: tokenOf(bot) })),
  updates: () => docs.list('update'),
  settings: () => settings.all(),
  pushes: () => pushes.list(1000),
});

/** The Bot API. */
function makeApi(parts: Parts, talk: Talk, orders: Orders<OrderedError>) {
  const { docs, options } = parts.world;
  const targets = makeTargets(parts);
  const botBy = (token = '') => docs.list('bot').find((bot) => tokenOf(bot) === token);
  const words: RouteWords<BotCaller> = {
    ...plainWords((message) => badRequest(message)),
    noSuchPath: notFound,
    caller(_ctx, _params, { token = '' }) {
      if (!/^\d{1,20}:[\w-]{35}$/.test(token)) throw notFound();
      const bot = botBy(token);
      if (bot === undefined) throw unauthorized();
      return { person: bot.id, scopes: [] };
    },
    personOf: (_ctx, _params, { token }) => botBy(token)?.id,
    missing: () => unauthorized(),
    limited: () => tooMany(1),
  };
  const gate = makeGate<OrderedError>({
    ...options,
    network: ABOUT.slug,
    orders,
    words: {
      throttled: () => tooMany(THROTTLED_S),
      expired: unauthorized,
      trouble: () => new TelegramError(500, 'Internal Server Error'),
      ordered: ({ status, description, retry_after }) =>
        new TelegramError(status, description, retry_after === undefined ? undefined : { retry_after }),
    },
  });
  const routes = [
    ...botMethods(parts),
    ...chatMethods(parts, targets),
    ...sendMethods(parts, targets, talk),
    ...changeMethods(parts, targets),
  ];
  return { routes, answerApi: makeRoutes({ gate, routes, words, rates: undefined }) };
}

/** Telegram's stand-in: the Bot API, BotFather, and people who talk to bots. */
export function openTelegram(options: TwinOptions): Twin {
  const world = openWorld(options);
  const { docs, people, settings, files } = world;
  const chats = makeChats(world);
  const render = makeRender(world, chats);
  const updates = makeUpdates(world);
  const parts: Parts = { world, chats, render, updates };
  const talk = makeTalk(world, chats, render, updates);
  const orders = openOrders<OrderedError>(options.store, ABOUT.prefix);
  let places = settle(world, chats);

  const { routes, answerApi } = makeApi(parts, talk, orders);

  const channelOf = (bot: Bot) => chats.named(channelName(bot.username));
  const shownBot = (bot: Bot): SandboxPerson => {
    const channel = channelOf(bot);
    const credentials = { 'Bot token': tokenOf(bot), ...(channel && { Channel: `@${channel.username!}` }) };
    const posts = channel ? chats.messages(channel.id).length : 0;
    return shownPerson(ABOUT.slug, { id: bot.id, handle: bot.username, name: bot.name }, { posts, credentials });
  };
  const find = (who: string) =>
    docs.list('bot').find(({ id, username }) => id === who || username === who.replace(/^@/, ''))?.id ??
    people.find(who)?.id;

  const drawn = makeDrawn(world, chats, talk);

  return makeTwin({
    ...ABOUT,
    methods: Object.freeze(routes.map(nameOf)),
    areas: {
      api: answerApi,
      cdn: fileHost(files, (id) => docs.get('blob', id)),
      www: drawn.visit,
    },
    people: () => docs.list('bot').map(shownBot),
    cast: () => [
      ...docs.list('bot').map((bot) => {
        const channel = channelOf(bot);
        const posting = channel && html`, and it may post to <code>@${channel.username!}</code>`;
        return {
          handle: `@${bot.username}`,
          name: bot.name,
          path: undefined,
          part: html`a bot of ${chats.nameOf(bot.owner)}; its token is <code>${tokenOf(bot)}</code>${posting}`,
        };
      }),
      ...people.all().map(({ handle, name }) => ({
        handle,
        name,
        path: undefined,
        part: html`writes to bots, once they have started them`,
      })),
    ],
    find,
    addPerson(handle: string, name: string) {
      return options.store.write(() => {
        const { id } = people.add(handle, name, true);
        const bot = places.makeBot(id, `${handle.replaceAll(/\W/g, '_').slice(0, 28)}_bot`, name);
        places.makePlaces(bot, name, true);
        return shownBot(bot);
      });
    },
    posts(who: string) {
      const bot = docs.get('bot', find(who) ?? '');
      const channel = bot && chats.named(channelName(bot.username));
      return (channel ? chats.messages(channel.id) : []).map((post) => {
        const { id, text, at, deleted_at } = post;
        const versions = [{ action: 'create', at, record: { text } } as const];
        return shownPost(
          ABOUT.slug,
          { handle: bot!.username },
          { id, text, exists: deleted_at === undefined, path: '', versions },
        );
      });
    },
    latest: drawn.latest,
    acts: makeActs(telegramActs(parts, talk, orders, places.makeBot)),
    conversations: drawn.conversations,
    lists: listsOf(world, chats, updates.pushes),
    pushes: updates.pushes,
    revoke(who: string) {
      const bot = docs.get('bot', find(who) ?? '');
      if (bot) docs.change('bot', bot.id, { secret: newSecret() });
    },
    reset() {
      options.store.write(() => {
        const bots = docs.list('bot');
        docs.clear(DONE);
        files.reset();
        settings.reset();
        orders.reset();
        updates.pushes.reset();
        // Tokens stay good.
        for (const { id, at, username, name, secret, owner, next_update } of bots)
          docs.put('bot', { id, at, username, name, secret, owner, next_update });
      });
      places = settle(world, chats);
    },
  });
}
