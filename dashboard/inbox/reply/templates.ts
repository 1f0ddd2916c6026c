import { computed, signal } from '@preact/signals';
import type { Call } from '../../lib/call.ts';
import type { Item } from '../list/items.ts';
import { componentsOf, lackOf, slotOf, variablesOf, wordsOf, type Template } from './filling.ts';
import type { Request } from './outbox.ts';

type Whose = Pick<Item, 'key' | 'accountId'>;

const PAGE_SIZE = 100;

/** The approved templates for a conversation's account, and the one that is being filled in. */
export function makeTemplates(call: Call) {
  const whose = signal<Whose | undefined>(undefined);
  const templates = signal<readonly Template[] | undefined>(undefined);
  const problem = signal<string | undefined>(undefined);
  const chosen = signal<Template | undefined>(undefined);
  const values = signal<ReadonlyMap<string, string>>(new Map());
  const variables = computed(() => (chosen.value === undefined ? [] : variablesOf(chosen.value)));

  async function read(one: Whose): Promise<void> {
    problem.value = undefined;
    try {
      const { data } = await call('list_whatsapp_templates', { account_id: one.accountId, limit: PAGE_SIZE });
      if (whose.value === one) templates.value = data.filter(({ status }) => status === 'APPROVED');
    } catch (error) {
      if (whose.value === one) problem.value = (error as Error).message;
    }
  }

  function choose(id: string): void {
    chosen.value = templates.value?.find((template) => template.id === id);
    values.value = new Map();
  }

  return {
    /** Whether a template is being chosen for this conversation. */
    isFor: (key: string): boolean => whose.value?.key === key,
    templates: computed(() => templates.value),
    problem: computed(() => problem.value),
    chosen: computed(() => chosen.value),
    values: computed(() => values.value),
    variables,
    /** Why the chosen template cannot be sent from this page. */
    lack: computed(() => chosen.value && lackOf(chosen.value)),
    words: computed(() => (chosen.value === undefined ? '' : wordsOf(chosen.value, values.value))),
    isFilled: computed(() => variables.value.every((one) => (values.value.get(slotOf(one)) ?? '').trim() !== '')),

    /** Starts to choose a template for a conversation. */
    async open({ key, accountId }: Whose): Promise<void> {
      choose('');
      templates.value = undefined;
      whose.value = { key, accountId };
      await read(whose.value);
    },
    again: () => read(whose.value!),
    close(): void {
      choose('');
      whose.value = undefined;
    },
    choose,
    fill: (slot: string, text: string) => void (values.value = new Map(values.value).set(slot, text)),

    /** The request that sends the chosen template to a person. */
    requestTo(to: string): Request | undefined {
      if (whose.value === undefined || chosen.value === undefined) return undefined;
      const { name: template_name, language } = chosen.value;
      const components = componentsOf(chosen.value, values.value);
      const input = { account_id: whose.value.accountId, to, template_name, language, components };
      return { name: 'send_whatsapp_template', input };
    },
  };
}
