import type { SandboxOptions } from '#sandbox/network.ts';
import { jsonRequest, openApp } from './app.ts';
import type { Reply } from './bluesky.ts';
import { openTwinWorld } from './twin.ts';

export const FRED = 'fred.sandbox.test';
export const MIA = 'mia.sandbox.test';
export const OLIVIA = 'olivia.sandbox.test';
export const BOT = 'harbour_coffee_bot';
const OTHER = 'single_origin_bot';
export const CHANNEL = '@harbour_coffee';

export type TelegramWorld = Awaited<ReturnType<typeof openTelegramWorld>>;

/** What a call of a bot answers: its result, or the code and the words of the refusal. */
const said = ({ status, json, text }: Reply) =>
  json?.ok === true
    ? json.result
    : json === undefined
      ? [status, text]
      : [json.error_code, json.description, ...(json.parameters === undefined ? [] : [json.parameters])];

/** The simulator of Telegram with an app that its webhooks may name. */
export async function openTelegramWorld(options: Partial<SandboxOptions> = {}) {
  const world = await openTwinWorld('telegram', options, openApp('/hook'));
  const { at, act, list } = world;
  const bots = await list('bots');
  const { id, token }: { id: string; token: string } = bots.find(({ username }) => username === BOT);
  const { token: other }: { token: string } = bots.find(({ username }) => username === OTHER);

  const call = async (method: string, params: object = {}, by = token): Promise<any> => {
    const reply = await world.ask(`${at}/api/bot${by}/${method}`, jsonRequest('POST', params));
    await world.sandbox.settle();
    return said(reply);
  };
  /** Reads what waits for the bot, and confirms it. */
  async function updates(by = token): Promise<any[]> {
    const got = await call('getUpdates', {}, by);
    if (got.length > 0) await call('getUpdates', { offset: got.at(-1).update_id + 1 }, by);
    return got;
  }
  return {
    ...world,
    token,
    /** The bot of somebody else. */
    other,
    bot: Number(id),
    call,
    /** A call with its files as multipart. */
    async upload(method: string, fields: Record<string, string>, files: Record<string, Uint8Array>): Promise<any> {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.set(name, value);
      for (const [name, bytes] of Object.entries(files)) form.set(name, new Blob([new Uint8Array(bytes)]), name);
      return said(await world.ask(`${at}/api/bot${token}/${method}`, { method: 'POST', body: form }));
    },
    chat: async (title: string) => (await list('chats')).find((one) => one.title === title),
    updates,
    /** Starts the bot as a person; answers the id of their chat. */
    async started(person = FRED, payload?: string): Promise<number> {
      await act('start', { person, bot: BOT, ...(payload !== undefined && { payload }) });
      return (await updates()).at(-1).message.chat.id;
    },
  };
}
