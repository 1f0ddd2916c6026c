/** What people do on Telegram, with bots and without. */
import { maybe, newest, number, short } from '../kit/acts.ts';
import type { ActTable } from '../kit/acts.ts';
import { orderAct, type Orders } from '../kit/api/orders.ts';
import { pushActs } from '../kit/push/pushes.ts';
import { settingsAct } from '../kit/settings.ts';
import { SETTINGS, type Chat } from './docs.ts';
import type { Parts } from './methods/calls.ts';
import { ownerActs, type MakeBot } from './people/owners.ts';
import { makeStage } from './people/saying.ts';
import { dialogActs, groupActs } from './people/writers.ts';
import type { Talk } from './talk.ts';

/** An error that a test has ordered. */
export type OrderedError = Readonly<{ status: number; description: string; retry_after?: number }>;

export function telegramActs(parts: Parts, talk: Talk, orders: Orders<OrderedError>, makeBot: MakeBot): ActTable {
  const { world, chats, updates } = parts;
  const { docs, people, settings } = world;
  const stage = makeStage(parts, talk);
  const acts = {
    ...dialogActs(parts, stage),
    ...groupActs(parts, talk, stage),
    ...ownerActs(parts, talk, stage, makeBot),
    order: orderAct(
      orders,
      { description: maybe('Description'), retry_after: { ...number('Retry after, in seconds'), optional: true } },
      ({ description, retry_after: after }, status) => ({
        status,
        description: description ?? 'Internal Server Error',
        ...(after !== undefined && { retry_after: Number(after) }),
      }),
    ),
    settings: settingsAct(settings, SETTINGS),
    ...pushActs(updates.pushes),
  };

  const label = (one: Chat) => one.title ?? one.username ?? one.id;
  return {
    acts,
    groups: { people: 'What people do', owners: 'What owners do', twin: 'How Telegram behaves' },
    lists: {
      bot: () => docs.list('bot').map(({ id, username }) => ({ value: id, label: `@${username}` })),
      person: () => people.all().map(({ id, name }) => ({ value: id, label: name })),
      chat: () => chats.all().flatMap((one) => (one.type === 'private' ? [] : [{ value: one.id, label: label(one) }])),
      message: () =>
        newest(docs.list('message')).map((one) => ({
          value: one.id,
          label: `${chats.nameOf(one.from ?? one.sender_chat ?? '')}: ${short(one.text || (one.media?.kind ?? ''))}`,
        })),
    },
  };
}
