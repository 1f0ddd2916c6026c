import * as z from 'zod';
import type { AccountCall, UnauthenticatedCall } from '../call.ts';
import { makeRest, type RestRequest, type Fields } from '../shared/rest.ts';
import { sessionParser } from '../shared/session.ts';
import { errorOf, Migrated } from './errors.ts';

/** Ids are whole numbers that a JSON number holds exactly. */
export const Id = z.number().int().transform(String);
/** What methods answer that have nothing to say. */
export const Done = z.literal(true);

/** What is stored of a connection: the bot, and the channel it posts to with its discussion group. */
export const sessionOf = sessionParser(
  z.object({
    token: z.string(),
    bot: z.string(),
    channel: z.object({ id: z.string(), username: z.string().optional(), group: z.string().optional() }).optional(),
  }),
);
export type TelegramSession = ReturnType<typeof sessionOf>;

/** A call with the token of a bot. It is a part of the address, so addresses are never logged. */
export type BotCall = UnauthenticatedCall & Readonly<{ token: string }>;

/** The call of an account's bot. */
export const botOf = (call: AccountCall): BotCall => ({ ...call, token: sessionOf(call.session).token });

const rest = makeRest<BotCall>({
  base: ({ hosts, token }) => `${hosts['api']!}/bot${token}`,
  errorOf,
});

/** What a method takes: JSON, or a form where files go along. */
export type Given = Readonly<{ json?: Readonly<Record<string, unknown>> }> &
  Pick<RestRequest, 'form' | 'file' | 'deadlineMs'>;

/** Calls a method of the Bot API. */
export async function request<T extends z.ZodType>(
  call: BotCall,
  method: string,
  given: Given,
  result: T,
): Promise<z.output<T>> {
  const made = z.object({ result }).transform((answer) => (answer as { result: z.output<T> }).result);
  return rest.request(call, { method: 'POST', path: `/${method}`, ...given }, made);
}

/** Calls a method about a chat; one that has moved to another id meanwhile is called there. */
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

/** A message is known by its chat and its number there. */
export const messageId = (chat: string, message: string): string => `${chat}:${message}`;

/** The chat of a message and its number there. */
export const MESSAGE_ID = /^(-?\d{1,20}):(\d{1,15})$/;

/** The chat and the number in an id of ours; numbers of no chat where it is none. */
export function partsOf(id: string): Readonly<{ chat: string; message: number }> {
  const [, chat = '', message = ''] = MESSAGE_ID.exec(id) ?? [];
  return { chat, message: Number(message) };
}
