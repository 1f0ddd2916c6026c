import type { SandboxOptions } from '../../../../src/sandbox/network.ts';
import { openApp } from './app.ts';
import type { Reply } from './bluesky.ts';
import { openTwinWorld, type TwinWorld } from './twin.ts';

export const FRED = 'fred.sandbox.test';
export const MIA = 'mia.sandbox.test';
export const OLIVIA = 'olivia.sandbox.test';
export const BOT = 'harbour_coffee_bot';
export const OTHER = 'single_origin_bot';
export const CHANNEL = '@harbour_coffee';

/** A call of a bot: its result, or the code and the words of the refusal. */
export type Called = Promise<any>;

export type TelegramWorld = TwinWorld &
  Readonly<{
    token: string;
    /** The bot of somebody else. */
    other: string;
    bot: number;
    call(method: string, params?: object, token?: string): Called;
    /** A call with its files as multipart. */
    upload(method: string, fields: Record<string, string>, files: Record<string, Uint8Array>): Called;
    chat(title: string): Promise<any>;
    /** Reads what waits for the bot, and confirms it. */
    updates(token?: string): Promise<any[]>;
    /** Starts the bot as a person; answers the id of their chat. */
    started(person?: string, payload?: string): Promise<number>;
  }>;

const said = ({ status, json, text }: Reply) =>
  json?.ok === true
    ? json.result
    : json === undefined
      ? [status, text]
      : [json.error_code, json.description, ...(json.parameters === undefined ? [] : [json.parameters])];

/** The twin of Telegram with an app that its webhooks may name. */
export async function openTelegramWorld(options: Partial<SandboxOptions> = {}): Promise<TelegramWorld> {
  const world = await openTwinWorld('telegram', options, openApp('/hook'));
  const { at, act, list } = world;
  const bots = await list('bots');
  const { id, token } = bots.find(({ username }) => username === BOT);
  const { token: other } = bots.find(({ username }) => username === OTHER);

  const call: TelegramWorld['call'] = async (method, params = {}, by = token) => {
    const headers = { 'content-type': 'application/json' };
    const reply = await world.ask(`${at}/api/bot${by}/${method}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(params),
    });
    await world.sandbox.settle();
    return said(reply);
  };
  async function updates(by = token): Promise<any[]> {
    const got = await call('getUpdates', {}, by);
    if (got.length > 0) await call('getUpdates', { offset: got.at(-1).update_id + 1 }, by);
    return got;
  }
  return {
    ...world,
    token,
    other,
    bot: Number(id),
    call,
    async upload(method, fields, files) {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.set(name, value);
      for (const [name, bytes] of Object.entries(files)) form.set(name, new Blob([new Uint8Array(bytes)]), name);
      return said(await world.ask(`${at}/api/bot${token}/${method}`, { method: 'POST', body: form }));
    },
    chat: async (title) => (await list('chats')).find((one) => one.title === title),
    updates,
    async started(person = FRED, payload) {
      await act('start', { person, bot: BOT, ...(payload !== undefined && { payload }) });
      return (await updates()).at(-1).message.chat.id;
    },
  };
}
