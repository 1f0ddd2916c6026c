import { maybe, number, optional, type ActTable } from '../kit/acts.ts';
import { worldActs } from '../kit/world.ts';
import type { Parts } from './methods/calls.ts';
import { makeActionFields } from './people/action-fields.ts';
import { ownerActs, type MakeBot } from './people/owners.ts';
import { dialogActs, groupActs } from './people/writers.ts';
import type { Talk } from './talk.ts';

export function telegramActs(parts: Parts, talk: Talk, makeBot: MakeBot): ActTable {
  const actionFields = makeActionFields(parts, talk);
  return {
    groups: { people: 'What people do', owners: 'What owners do', twin: 'How Telegram behaves' },
    acts: {
      ...dialogActs(parts, talk, actionFields),
      ...groupActs(parts, talk, actionFields),
      ...ownerActs(parts, talk, actionFields, makeBot),
      ...worldActs(parts.world, {
        fields: { description: maybe('Description'), retry_after: optional(number('Retry after, in seconds')) },
        read: ({ description = 'Internal Server Error', retry_after: after }, status) => ({
          status,
          description,
          ...(after !== undefined && { retry_after: Number(after) }),
        }),
      }),
    },
  };
}
