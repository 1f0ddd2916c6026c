import * as z from 'zod';
import type { AccountCall, UnauthenticatedCall } from '../call.ts';
import { makeRest, type RestRequest, type Fields } from '../shared/rest.ts';
import { sessionParser } from '../shared/session.ts';
import { errorOf, Migrated } from './errors.ts';

/** Telegram's ids are integers small enough for a JSON number. */
export const Id = z.number().int().transform(String);
/** The result of methods that return nothing else. */
export const Done = z.literal(true);

/** The session: the bot, and its channel with the channel's discussion group. */
export const sessionOf = sessionParser(
  z.object({
    token: z.string(),
    bot: z.string(),
    channel: z.object({ id: z.string(), username: z.string().optional(), group: z.string().optional() }).optional(),
  }),
);
export type TelegramSession = ReturnType<typeof sessionOf>;

/** The token is part of the URL, so URLs are never logged. */
export type BotCall = UnauthenticatedCall & Readonly<{ token: string }>;

export const botOf = (call: AccountCall): BotCall => ({ ...call, token: sessionOf(call.session).token });

const rest = makeRest<BotCall>({
  base: ({ hosts, token }) => `${hosts['api']!}/bot${token}`,
  errorOf,
});

/** The parameters of a method: JSON, or a form if there are files. */
export type Given = Readonly<{ json?: Readonly<Record<string, unknown>> }> &
  Pick<RestRequest, 'form' | 'file' | 'deadlineMs'>;

export async function request<T extends z.ZodType>(
  call: BotCall,
  method: string,
  given: Given,
  result: T,
): Promise<z.output<T>> {
  const made = z.object({ result }).transform((answer) => (answer as { result: z.output<T> }).result);
  return rest.request(call, { method: 'POST', path: `/${method}`, ...given }, made);
}

/** Calls a method for a chat; if the chat has a new id, calls it again with that. */
export async function requestInChat<T extends z.ZodType>(
  call: BotCall,
  method: string,
  chat: string,
  given: Given,
  result: T,
): Promise<z.output<T>> {
  const at = (chat_id: string): Given =>
    given.form || given.file
      ? { ...given, form: { ...given.form, chat_id } satisfies Fields }
      : { ...given, json: { ...given.json, chat_id } };
  try {
    return await request(call, method, at(chat), result);
  } catch (error) {
    if (!(error instanceof Migrated)) throw error;
    return request(call, method, at(error.to), result);
  }
}

/** Builds a message id from the chat and the message's number in that chat. */
export const messageId = (chat: string, message: string): string => `${chat}:${message}`;

export const MESSAGE_ID = /^(-?\d{1,20}):(\d{1,15})$/;

/** Splits a message id into chat and number; for anything else the parts match no chat and no message. */
export function partsOf(id: string): Readonly<{ chat: string; message: number }> {
  const [, chat = '', message = ''] = MESSAGE_ID.exec(id) ?? [];
  return { chat, message: Number(message) };
}
