import type { Method } from '../../graph/world.ts';
import type { World } from '../world.ts';

type Inspected = Readonly<{ data: Readonly<{ granular_scopes: readonly Readonly<{ scope: string }>[] }> }>;

/** Undocumented ways in which a token can name its accounts. */
const ODD: Readonly<Record<string, (scope: { scope: string; target_ids?: unknown }) => object>> = {
  events: ({ scope, ...more }) => ({
    scope: scope.replace(/^whatsapp_.*/, 'whatsapp_business_manage_events'),
    ...more,
  }),
  all: ({ scope }) => ({ scope }),
};

/** Inspects a token; how it names accounts depends on the setting `grants`. */
export const grantedMethod = ({ settings }: World, inspect: Method): Method => ({
  ...inspect,
  async run(call, id) {
    const odd = ODD[settings.get('grants')];
    const { data } = (await inspect.run(call, id)) as Inspected;
    return { data: { ...data, ...(odd && { granular_scopes: data.granular_scopes.map(odd) }) } };
  },
});
