import { html } from '../html.ts';
import { makeActs } from '../kit/acts.ts';
import { makeFront } from '../kit/api/front.ts';
import { makeRoutes, nameOf } from '../kit/api/routes.ts';
import { digits } from '../kit/ids.ts';
import type { TwinOptions } from '../kit/options.ts';
import { personView, postView } from '../kit/people.ts';
import { fileHost } from '../kit/public.ts';
import { makeTwin } from '../kit/twin.ts';
import { openWorld } from '../kit/world.ts';
import type { SandboxPerson, Twin } from '../twin.ts';
import { ABOUT } from './about.ts';
import { telegramActs } from './acts.ts';
import { makePages } from './console/chat-pages.ts';
import { SETTINGS, type Bot, type OrderedError, type TelegramDocs } from './docs.ts';
import { badRequest, notFound, TelegramError, tooMany, unauthorized } from './errors.ts';
import { chatMethods, fileRoute, selfMethods, webhookMethods } from './methods/bot.ts';
import { makeTargets, routesOf, type BotCaller, type Parts } from './methods/calls.ts';
import { changeMethods } from './methods/change.ts';
import { sendMethods } from './methods/send.ts';
import { makeRender, messageView } from './render.ts';
import { channelName, settle } from './residents.ts';
import { makeTalk, type Talk } from './talk.ts';
import { makeUpdates } from './updates.ts';
import { makeChats, newSecret, tokenOf } from './world.ts';

const USER_AGENT = 'TelegramBot (like TwitterBot)';
const THROTTLED_S = 5;

function makeApi(parts: Parts, talk: Talk) {
  const { world } = parts;
  const targets = makeTargets(parts);
  const personOf = (token: string) => world.docs.list('bot').find((bot) => tokenOf(bot) === token)?.id;
  const front = makeFront<BotCaller, OrderedError>({
    world,
    network: ABOUT.slug,
    given: (_ctx, { token }) => token,
    tokens: {
      personOf,
      grantOf(token) {
        if (!/^\d{1,20}:[\w-]{35}$/.test(token)) throw notFound();
        const person = personOf(token);
        if (person === undefined) throw unauthorized();
        return { person, scopes: [] };
      },
    },
    words: {
      invalid: (message) => badRequest(message),
      noSuchPath: notFound,
      badToken: unauthorized,
      noScope: unauthorized,
      tooMany: () => tooMany(THROTTLED_S),
      trouble: () => new TelegramError(500, 'Internal Server Error'),
      ordered: ({ status, description, retry_after }) =>
        new TelegramError(status, description, retry_after === undefined ? undefined : { retry_after }),
    },
  });
  const queries = { ...selfMethods(parts), ...chatMethods(parts, targets) };
  const changes = { ...webhookMethods(parts), ...sendMethods(parts, targets, talk), ...changeMethods(parts, targets) };
  const routes = [...routesOf(queries, false), ...routesOf(changes, true), fileRoute(parts)];
  return { routes, answerApi: makeRoutes({ ...front, routes }) };
}

/** Opens the simulator of Telegram: the Bot API, BotFather, and people who talk to bots. */
export function openTelegram(options: TwinOptions): Twin {
  const own = { settings: SETTINGS, userAgent: USER_AGENT, newId: () => digits(15) };
  const world = openWorld<TelegramDocs, typeof SETTINGS, OrderedError>(options, ABOUT, own);
  const { docs, people, files } = world;
  const chats = makeChats(world);
  const render = makeRender(world, chats);
  const parts: Parts = { world, chats, render, updates: makeUpdates(world) };
  const talk = makeTalk(world, chats, render, parts.updates);
  const { routes, answerApi } = makeApi(parts, talk);
  const drawn = makePages(world, chats, talk);
  let places = settle(world, chats);

  const bots = () => docs.list('bot');
  const channelOf = (bot: Bot) => chats.named(channelName(bot.username));
  const postsOf = (bot: Bot) => chats.messages(channelOf(bot)?.id ?? '');
  const botView = (bot: Bot): SandboxPerson => {
    const channel = channelOf(bot);
    const credentials = { 'Bot token': tokenOf(bot), ...(channel && { Channel: `@${channel.username}` }) };
    const { id, username: handle, name } = bot;
    return personView(ABOUT.slug, { id, handle, name }, { posts: postsOf(bot).length, credentials });
  };
  const botOf = (who: string) => bots().find(({ id, username }) => id === who || username === who.replace(/^@/, ''));
  const introduced = (handle: string, name: string) => ({ handle, name, path: undefined });

  return makeTwin({
    ...ABOUT,
    world,
    methods: Object.freeze(routes.map(nameOf)),
    areas: { api: answerApi, cdn: fileHost(files, (id) => docs.get('blob', id)), www: drawn.answer },
    people: () => bots().map(botView),
    cast: () => [
      ...bots().map((bot) => {
        const channel = channelOf(bot);
        const posting = channel && html`, and it may post to <code>@${channel.username}</code>`;
        const part = html`a bot of ${chats.nameOf(bot.owner)}; its token is <code>${tokenOf(bot)}</code>${posting}`;
        return { ...introduced(`@${bot.username}`, bot.name), part };
      }),
      ...people.all().map(({ handle, name }) => ({
        ...introduced(handle, name),
        part: html`writes to bots, once they have started them`,
      })),
    ],
    find: (who: string) => botOf(who)?.id ?? people.find(who)?.id,
    addPerson(handle: string, name: string) {
      return options.store.write(() => {
        const { id } = people.add(handle, name, true);
        const bot = places.makeBot(id, `${handle.replaceAll(/\W/g, '_').slice(0, 28)}_bot`, name);
        places.makePlaces(bot, name, true);
        return botView(bot);
      });
    },
    posts(who: string) {
      const bot = botOf(who);
      return (bot ? postsOf(bot) : []).map(({ id, text, at, deleted_at }) => {
        const versions = [{ action: 'create', at, record: { text } } as const];
        const post = { id, text, exists: deleted_at === undefined, path: '', versions };
        return postView(ABOUT.slug, { handle: bot!.username }, post);
      });
    },
    latest: drawn.latest,
    acts: makeActs(telegramActs(parts, talk, (...who) => places.makeBot(...who))),
    conversations: drawn.conversations,
    lists: {
      messages: () => docs.list('message').map(messageView),
      chats: chats.all,
      bots: () => bots().map((bot) => ({ ...bot, token: tokenOf(bot) })),
      updates: () => docs.list('update'),
    },
    revoke(who: string) {
      const bot = botOf(who);
      if (bot) docs.change('bot', bot.id, { secret: newSecret() });
    },
    reset() {
      options.store.write(() => {
        const before = bots();
        world.reset();
        // Keep the bots, so that their tokens stay valid.
        for (const { webhook: _, allowed_updates: __, last_error: ___, ...bot } of before) docs.put('bot', bot);
      });
      places = settle(world, chats);
    },
  });
}
