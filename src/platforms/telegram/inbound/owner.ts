import * as z from 'zod';
import type { Hosts } from '../../call.ts';
import { text } from '../../shared/fields.ts';
import type { TelegramSession } from '../api.ts';

/** The account that receives updates: the bot, its channel and the discussion group. */
export type Owner = Readonly<{
  bot: string;
  channel?: string | undefined;
  group?: string | undefined;
  /** The base URL of people's profile pages on the account's network. */
  web: string;
}>;

export const ownerOf = ({ bot, channel }: TelegramSession, { web = '' }: Hosts): Owner => ({
  bot,
  channel: channel?.id,
  group: channel?.group,
  web,
});

const Known = z.object({ bot_id: text, channel_id: text, group_id: text });

export function ownerIn(metadata: Readonly<Record<string, unknown>>, { web = '' }: Hosts): Owner {
  const { bot_id: bot = '', channel_id: channel, group_id: group } = Known.parse(metadata);
  return { bot, channel, group, web };
}
